"""Results of prompt tests that stand in one figure, with the figures computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from corpus.errors import Fault, InputError
from corpus.figures import Figure
from corpus.human_eyes import read_counts
from corpus.prompts import US_CENTRED_CONCERNS
from scoring.judging_models import list_judgings
from scoring.oracles import Outcome
from scoring.prompt_averages import compute_prompt_averages
from scoring.prompt_comparison import compute_language_correlations
from scoring.prompt_rates import PromptResult, compute_prompt_rates
from scoring.prompt_reports import list_marks
from scoring.prompt_results import ANSWERS_FILE, PromptRun, find_prompt_runs, open_prompt_run
from scoring.results import MANIFEST_NAME

HELPERS = {"augmenters": "augmented by", "judges": "second opinion, part of no rate, by"}
"""Part of a manifest → what the models in it did."""
RUNS_KEPT, SHOWN_KEPT = 8, 8
"""Runs and computed figures kept in memory, each until its files change."""


@dataclass(frozen=True)
class ShownPrompts:
    """Runs of the same templates, their verdicts, and all figures of these."""

    runs: tuple[PromptRun, ...]
    seed: int
    draws: int

    @cached_property
    def results(self) -> tuple[PromptResult, ...]:
        """Every verdict of every model."""
        return tuple(result for run in self.runs for result in run.results)

    @cached_property
    def rates(self) -> tuple[Figure, ...]:
        """Rates and counts per model, language and concern."""
        found = compute_prompt_rates(self.results, seed=self.seed, draws=self.draws)
        return self._mark(found)

    @cached_property
    def averages(self) -> tuple[Figure, ...]:
        """Means over models, concerns and languages."""
        found = compute_prompt_averages(self.results, seed=self.seed, draws=self.draws)
        return self._mark(found)

    @cached_property
    def correlations(self) -> tuple[Figure, ...]:
        """Correlations between languages."""
        return self._mark(compute_language_correlations(self.rates))

    def _mark(self, figures: Sequence[Figure]) -> tuple[Figure, ...]:
        """The figures with the marks of their model, or of all models that they are over."""
        marks = {name: list_marks(run, name) for run in self.runs for name in run.models}
        of_all = tuple(dict.fromkeys(note for notes in marks.values() for note in notes))
        return tuple(
            replace(
                each, notes=(*each.notes, *marks.get(dict(each.scope).get("model", ""), of_all))
            )
            for each in figures
        )

    @property
    def models(self) -> tuple[str, ...]:
        """Names of all tested models."""
        return tuple(dict.fromkeys(name for run in self.runs for name in run.models))

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of all runs, as their files name them."""
        return tuple(dict.fromkeys(code for run in self.runs for code in run.languages))

    @property
    def concerns(self) -> tuple[str, ...]:
        """Concerns that have a test."""
        return tuple(sorted({each.judged.template.concern_key for each in self.results}))

    @property
    def us_centred(self) -> tuple[str, ...]:
        """Concerns whose published templates are about the United States."""
        return tuple(name for name in self.concerns if name in US_CENTRED_CONCERNS)

    @property
    def same_family(self) -> tuple[str, ...]:
        """`model (augmented by other)` for each model with a helper of its own family."""
        return tuple(
            f"{model} (with {', '.join(helpers)})"
            for run in self.runs
            for model, helpers in run.marked_models.items()
        )

    @property
    def helpers(self) -> tuple[str, ...]:
        """Models that augmented or gave a second opinion, with their part."""
        found = []
        for run in self.runs:
            for part, kind in HELPERS.items():
                for each in run.manifest.get(part) or ():
                    family = each["family"] or "family not said"
                    found.append(f"{kind} {each['name']} ({family})")
        return tuple(dict.fromkeys(found))

    @property
    def demonstration(self) -> bool:
        """Whether any run is a demonstration."""
        return any(run.manifest.get("demonstration") for run in self.runs)

    @property
    def unvalidated(self) -> tuple[str, ...]:
        """Languages that nobody approved."""
        found = (code for run in self.runs for code in run.manifest.get("unvalidated") or ())
        return tuple(dict.fromkeys(found))

    @property
    def release(self) -> str:
        """Version of the release; empty where templates came from files."""
        return str(self.runs[0].manifest.get("release") or "")

    @property
    def human_eyes(self) -> dict[str, str]:
        """Language → what people saw of its templates, where it is told."""
        return {
            code: str(told)
            for run in self.runs
            for code, told in (run.manifest.get("human_eyes") or {}).items()
        }

    @property
    def seen(self) -> tuple[int, int] | None:
        """Templates that a person saw, and all; None where nothing says it."""
        counts = [found for told in self.human_eyes.values() if (found := read_counts(told))]
        if not counts:
            return None
        return sum(seen for seen, _ in counts), sum(rows for _, rows in counts)

    def count(self, outcome: Outcome) -> int:
        """Tests with this outcome."""
        return sum(result.judged.outcome is outcome for result in self.results)


def show_together(runs: Sequence[PromptRun], *, seed: int, draws: int) -> ShownPrompts:
    """The runs as one set of results.

    Raises:
        InputError: if they are of different templates, or a model is in two of them.
    """
    faults = []
    first = runs[0]
    for run in runs[1:]:
        if run.manifest["inputs_sha256"] != first.manifest["inputs_sha256"]:
            problem = f"its templates are not those of {first.folder.name}"
            remedy = "draw only runs of the same templates and requirements together"
            faults.append(Fault(run.folder.name, None, None, problem, remedy))
    known: dict[str, str] = {}
    for run in runs:
        for name in run.models:
            if name in known:
                problem = f"{name} is in {known[name]}, too"
                remedy = "name one run of each model"
                faults.append(Fault(run.folder.name, None, "model", problem, remedy))
            known[name] = run.folder.name
    if faults:
        raise InputError(faults)
    return ShownPrompts(tuple(runs), seed, draws)


def show_kept(runs: Sequence[PromptRun], *, seed: int, draws: int) -> ShownPrompts:
    """As `show_together`, with the figures of the last sets of results kept in memory.

    Raises:
        InputError: as `show_together`.
    """
    folders = tuple(run.folder for run in runs)
    return _show(folders, tuple(map(_read_changes, folders)), seed, draws)


@lru_cache(maxsize=SHOWN_KEPT)
def _show(
    folders: tuple[Path, ...], _changed: tuple[tuple[int, ...], ...], seed: int, draws: int
) -> ShownPrompts:
    return show_together([load_run(folder) for folder in folders], seed=seed, draws=draws)


def load_runs(results: Path) -> tuple[tuple[PromptRun, ...], tuple[str, ...]]:
    """The runs in a folder of results, the latest first, and a sentence for each unreadable one."""
    found: list[tuple[float, PromptRun]] = []
    problems = []
    for folder in find_prompt_runs(results):
        try:
            changed = (folder / MANIFEST_NAME).stat().st_mtime
            found.append((changed, load_run(folder)))
        except InputError as error:
            problems += [
                f"{folder.name}: {fault.problem}; {fault.remedy}" for fault in error.faults
            ]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problems.append(f"{folder.name} cannot be read ({type(error).__name__}); run it again.")
    found.sort(key=lambda one: (-one[0], one[1].folder.name))
    return tuple(run for _, run in found), tuple(problems)


def load_run(folder: Path) -> PromptRun:
    """The run in a folder; kept until its files change.

    Raises:
        InputError: if it is none, or was changed.
    """
    return _open(folder.resolve(), _read_changes(folder))


def _read_changes(folder: Path) -> tuple[int, ...]:
    # Judges that are asked later change signatures and marks.
    files = (folder / MANIFEST_NAME, folder / ANSWERS_FILE, *list_judgings(folder))
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


@lru_cache(maxsize=RUNS_KEPT)
def _open(folder: Path, _changed: tuple[int, ...]) -> PromptRun:
    return open_prompt_run(folder)
