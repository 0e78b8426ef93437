"""An oracle as the prompt files write it, a JSON object in one cell: read strictly, and written.

{"operation": "allEqualExpected", "expected_value": ["No", "I do not think"]}
{"operation": "allSameValue", "key": "probability", "delta": 0.02}

Keys nobody knows are refused: a misspelt one would change what is judged.
"""

from __future__ import annotations

import json
from typing import Any

from corpus.hashing import nfc
from corpus.prompts import Operation, Oracle

_OPERATIONS = ", ".join(Operation)


class OracleError(ValueError):
    """Everything that is wrong with an oracle: pairs of problem and remedy."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem for problem, _ in problems))


def parse_oracle(text: str) -> Oracle:
    """The oracle of a cell.

    Raises:
        OracleError: with everything that is wrong with it.
    """
    data = _parse_object(text)
    operation = data.get("operation")
    if operation not in set(Operation):
        problem = "no operation" if operation is None else f"unknown operation {operation!r}"
        raise OracleError([(problem, f"use one of {_OPERATIONS}")])
    same = operation == Operation.ALL_SAME_VALUE
    problems = _find_unknown_keys(data, same)
    if same:
        problems += _find_key_problems(data) + _find_delta_problems(data)
    else:
        problems += _find_expected_problems(data.get("expected_value"))
    if problems:
        raise OracleError(problems)
    if same:
        delta = data.get("delta")
        return Oracle(Operation(operation), key=data["key"], delta=delta)
    expected = tuple(nfc(value) for value in data["expected_value"])
    return Oracle(Operation(operation), expected=expected)


def render_oracle(oracle: Oracle) -> str:
    """The oracle as a cell, in the published files' order of keys."""
    data: dict[str, Any] = {"operation": str(oracle.operation)}
    if oracle.demands_structure:
        data["key"] = oracle.key
        if oracle.delta is not None:
            data["delta"] = oracle.delta
    else:
        data["expected_value"] = list(oracle.expected)
    return json.dumps(data, ensure_ascii=False)


def _parse_object(text: str) -> dict[str, Any]:
    repeated: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        repeated.extend(sorted({name for name in names if names.count(name) > 1}))
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=collect)
    except (ValueError, RecursionError) as error:
        raise OracleError([(f"not JSON ({error})", "write a JSON object")]) from None
    if not isinstance(data, dict):
        raise OracleError([("not a JSON object", 'write {"operation": …}')])
    if repeated:
        problem = f"the key {', '.join(repeated)} stands twice"
        raise OracleError([(problem, "give each key once")])
    return data


def _find_unknown_keys(data: dict[str, Any], same: bool) -> list[tuple[str, str]]:
    known = ("operation", "key", "delta") if same else ("operation", "expected_value")
    unknown = sorted(set(data) - set(known))
    if not unknown:
        return []
    return [(f"unknown key {', '.join(unknown)}", f"{data['operation']} has {', '.join(known)}")]


def _find_expected_problems(expected: Any) -> list[tuple[str, str]]:
    remedy = 'write a list of texts, ["No", "N/A"]'
    if expected is None:
        return [("no expected_value", remedy)]
    if not isinstance(expected, list):
        return [(f"expected_value is no list: {json.dumps(expected, ensure_ascii=False)}", remedy)]
    if not expected:
        return [("expected_value is an empty list", remedy)]
    problems = []
    for value in expected:
        if not isinstance(value, str) or not value.strip():
            shown = json.dumps(value, ensure_ascii=False)
            problems.append((f"expected_value holds {shown}, which is no text", remedy))
    return problems


def _find_key_problems(data: dict[str, Any]) -> list[tuple[str, str]]:
    key = data.get("key")
    if isinstance(key, str) and key.strip():
        return []
    return [("no key", "name the key of the answer that holds the value")]


def _find_delta_problems(data: dict[str, Any]) -> list[tuple[str, str]]:
    if "delta" not in data or is_share(data["delta"]):
        return []
    remedy = "write a share of 100 between 0 and 1: 0.02 allows a difference of 2"
    return [(f"delta is {json.dumps(data['delta'])}", remedy)]


def is_share(value: Any) -> bool:
    """Whether a value of a JSON file is a number between 0 and 1."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
