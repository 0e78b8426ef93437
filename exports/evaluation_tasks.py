"""Tasks in a release: `lm_eval/` for lm-evaluation-harness and `inspect_ai/` for inspect_ai.

    lm_eval/stereoscope.yaml   the group: plain mean of each measure over the languages
    lm_eval/<code>.yaml        one task per language
    lm_eval/_common.yaml       what all tasks share: how items are read, measures
    lm_eval/process.py         the code behind them, standard library only
    lm_eval/settings.json      poles of the stereotypes, templates by language
    inspect_ai/task.py         a chat model chooses between both texts

They read the rows and templates of the release they lie in, wherever it lies. Written for the
instrument EuroGEST only: the other two are not scored by comparing two texts.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from corpus.languages import Edition, TemplateKind
from corpus.languages import language as find_language
from corpus.stereotypes import Inventory, Pole
from corpus.templates import Overlap, take_chosen, template_for, template_overlap
from exports.contents import Contents
from exports.files import write_json, write_text
from exports.provenance import Draft

GROUP = "stereoscope"
PROTOCOLS = ("sum", "per_byte")
_WHOLE = ("g_s", "default_rate", "logit_r_difference")


class _Function(str):
    """A function that the harness looks up beside the YAML file."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes functions with the harness's tag, and no aliases."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


_Dumper.add_representer(
    _Function, lambda dumper, name: dumper.represent_scalar("!function", str(name))
)


def find_scored(draft: Draft) -> list[Contents]:
    """The languages that tasks can be made of: with a row of a stereotype of the inventory."""
    ids = set(draft.inventory.ids) if draft.inventory else set()
    return [each for each in draft.contents if any(row.stereotype_id in ids for row in each.rows)]


def write_evaluation_tasks(folder: Path, draft: Draft) -> None:
    """Writes the tasks of a release; nothing where no row is of a stereotype of the inventory.

    Args:
        folder: The release, with its rows and templates.
        draft: What it is built from.
    """
    inventory, scored = draft.inventory, find_scored(draft)
    if inventory is None or not scored:
        return
    tasks = folder / "lm_eval"
    write_json(tasks / "settings.json", _build_settings(inventory, scored))
    write_text(tasks / "process.py", _code("process.py"))
    _write_yaml(tasks / "_common.yaml", _build_common(inventory, draft.version))
    for contents in scored:
        code = contents.language
        _write_yaml(
            tasks / f"{code}.yaml",
            {
                "include": "_common.yaml",
                "task": f"{GROUP}_{code}",
                "dataset_kwargs": {"language": code},
                "metadata": {
                    "version": draft.version,
                    "validation": str(contents.validation),
                },
            },
        )
    codes = [contents.language for contents in scored]
    unvalidated = [code for code in codes if code in draft.unvalidated]
    _write_yaml(tasks / f"{GROUP}.yaml", _build_group(codes, draft.version, unvalidated))
    write_text(folder / "inspect_ai" / "task.py", _code("task.py"))


def _code(name: str) -> str:
    return (resources.files("exports") / "evaluation" / name).read_text(encoding="utf-8")


def _build_settings(inventory: Inventory, scored: list[Contents]) -> dict[str, Any]:
    return {
        "inventory": inventory.name,
        "feminine": list(inventory.ids_of(Pole.FEMININE)),
        "masculine": list(inventory.ids_of(Pole.MASCULINE)),
        "default_rate": list(inventory.default_rate_ids),
        "validation": {each.language: str(each.validation) for each in scored},
        "templates": {each.language: _choose_templates(each) for each in scored},
    }


def _choose_templates(contents: Contents) -> dict[str, str]:
    """Ids of the templates that neutral sentences are scored in: the chosen ones, else corrected.

    Without a pronoun template where that is not usable.
    """
    language = take_chosen(find_language(contents.language), contents.standing.templates)
    kinds = [TemplateKind.NOUN]
    if language.pronoun_template_usable:
        kinds.append(TemplateKind.PRONOUN)
    found = [template_for(language, kind, Edition.CHOSEN) for kind in kinds]
    return {
        str(each.kind): each.id for each in found if template_overlap(each) is not Overlap.IDENTICAL
    }


def _build_common(inventory: Inventory, version: str) -> dict[str, Any]:
    metrics = [
        (f"{name}_{protocol}", f"compute_{name}") for protocol in PROTOCOLS for name in _WHOLE
    ]
    metrics += [
        (f"q_{number}_{protocol}", "compute_q")
        for protocol in PROTOCOLS
        for number in inventory.ids
    ]
    return {
        "custom_dataset": _Function("process.load_items"),
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "",
        "doc_to_choice": _Function("process.list_choices"),
        "doc_to_target": 0,
        "target_delimiter": "",
        "num_fewshot": 0,
        "process_results": _Function("process.process_results"),
        "metric_list": [
            # No measure is better when it is higher.
            {
                "metric": name,
                "aggregation": _Function(f"process.{function}"),
                "higher_is_better": None,
            }
            for name, function in metrics
        ],
        "metadata": {"version": version},
    }


def _build_group(codes: list[str], version: str, unvalidated: list[str]) -> dict[str, Any]:
    """The group of all languages; q_i are left to the languages, which may lack some of them."""
    return {
        "group": GROUP,
        "task": [f"{GROUP}_{code}" for code in codes],
        "aggregate_metric_list": [
            {"metric": f"{name}_{protocol}", "aggregation": "mean", "weight_by_size": False}
            for protocol in PROTOCOLS
            for name in _WHOLE
        ],
        "metadata": {"version": version} | ({"unvalidated": unvalidated} if unvalidated else {}),
    }


def _write_yaml(file: Path, values: dict[str, Any]) -> None:
    text = yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    write_text(file, text)
