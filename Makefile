# Stereoscope: every target does its own set-up and says what it does. Start with `make demo`.
PYTHON = python3
# COMET needs Python 3.12 or older; it may have an interpreter of its own.
COMET_PYTHON = $(PYTHON)
TORCH_INDEX =
COMET = 1
SERVE = 1
MODEL =
PYTEST_WORKERS = 2
PYTEST_ARGS =

BIN = .venv/bin
INDEX_OPTION = $(if $(TORCH_INDEX),--torch-index "$(TORCH_INDEX)")

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-test comet browser demo test lint format types docs lock clean python

help:
	@echo "make demo     the whole path on the bundled sample: then serves the app and Label Studio"
	@echo "                SERVE=0 ends after the table; MODEL=name-or-path scores that model"
	@echo "make test     checks and the whole test suite; COMET=0 leaves the COMET environment out"
	@echo "                PYTEST_ARGS=\"-k word\" selects tests, PYTEST_WORKERS=n runs n at a time"
	@echo "make setup    .venv (the product) and .venv-label-studio (the Label Studio server)"
	@echo "make comet    .venv-comet (the COMET worker, for quality estimation)"
	@echo "make lint | types | format    the checks one by one; the formatter"
	@echo "make docs     writes docs/commands.md and docs/settings.md anew"
	@echo "make lock     resolves the top-level pins anew and writes requirements*.txt"
	@echo "make clean    removes the environments, caches and the demo's workspace"
	@echo
	@echo "PYTHON=python3.12 names the Python (3.11 or newer), COMET_PYTHON that of make comet;"
	@echo "TORCH_INDEX=URL takes PyTorch from another index, for instance the one of its CPU builds."

python:
	@command -v "$(PYTHON)" >/dev/null || \
	  { echo "There is no $(PYTHON): install Python 3.11 or newer, or name one with make PYTHON=…" >&2; exit 1; }

setup: python
	@"$(PYTHON)" scripts/check_machine.py $(INDEX_OPTION) product label-studio
	@"$(PYTHON)" scripts/build_environment.py $(INDEX_OPTION) product label-studio

setup-test: setup
	@"$(PYTHON)" scripts/check_machine.py test
	@"$(PYTHON)" scripts/build_environment.py test

comet: python
	@"$(COMET_PYTHON)" scripts/check_machine.py $(INDEX_OPTION) comet
	@"$(COMET_PYTHON)" scripts/build_environment.py $(INDEX_OPTION) comet

browser:
	@sh scripts/provide_browser.sh

demo: setup
	$(BIN)/stereoscope demo $(if $(filter 0,$(SERVE)),--no-serve) $(if $(MODEL),--model "$(MODEL)")

test: setup-test $(if $(filter 0,$(COMET)),,comet) browser lint types
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile $(PYTEST_ARGS)

lint: setup-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python scripts/write_reference.py --check

types: setup-test
	$(BIN)/mypy

format: setup-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup
	@$(BIN)/python scripts/write_reference.py

lock: python
	@"$(PYTHON)" scripts/write_locks.py $(INDEX_OPTION)

clean:
	rm -rf .venv .venv-label-studio .venv-comet .cache build demo-workspace test-results
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
