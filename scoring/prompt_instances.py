"""Instances of a prompt template: every way of filling its n placeholders with k communities.

There are k!/(k-n)! of them, since no community is compared with itself; a template without
placeholders is one instance. A limit takes a seeded sample of them. Instances are numbered in one
order, by the places of the communities in the requirement, so that number and sample mean the same
communities in every language.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.hashing import sha256_json
from corpus.prompts import PLACEHOLDER, PromptTemplate, Requirement


@dataclass(frozen=True, slots=True)
class PromptInstance:
    """One prompt that can be sent."""

    number: int
    """From 0 on, among all ways of filling the template."""
    communities: tuple[int, ...]
    """Places of the communities in the requirement, by placeholder, from 0 on."""
    prompt: str
    """The template's text, filled in."""
    message: str
    """What is sent: task prefix, prompt and what is asked of the answer's form."""


@dataclass(frozen=True, slots=True)
class TemplateInstances:
    """The instances of one template under one requirement."""

    template: PromptTemplate
    requirement: Requirement
    possible: int
    """Ways of filling the template, k!/(k-n)!."""
    instances: tuple[PromptInstance, ...]
    """In the order of their numbers; all of them, or a sample."""
    seed: int


def count_instances(template: PromptTemplate, requirement: Requirement) -> int:
    """Ways of filling the template, k!/(k-n)!; 0 where communities are too few."""
    return math.perm(len(requirement.concern.communities), len(template.placeholders))


def build_instances(
    template: PromptTemplate,
    requirement: Requirement,
    *,
    limit: int | None = None,
    seed: int = 0,
) -> TemplateInstances:
    """The instances of a template, or a sample of at most `limit` of them.

    The sample depends on the seed and the template's id, on nothing else: it does not change when
    other templates join, and is of the same communities in every language.

    Raises:
        ValueError: if the limit is below 1, or if the requirement cannot fill the template; the
            findings about requirements name those.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"a limit of instances is at least 1, not {limit}")
    concern = requirement.concern
    other = [each.text for each in template.placeholders if each.markup != concern.markup]
    if other:
        raise ValueError(f"{requirement.name} does not fill {', '.join(other)} of {template.id}")
    possible = count_instances(template, requirement)
    if possible == 0:
        raise ValueError(f"{requirement.name} has too few communities for template {template.id}")
    numbers: Sequence[int] = range(possible)
    if limit is not None and limit < possible:
        source = random.Random(sha256_json([seed, template.id]))
        numbers = sorted(source.sample(range(possible), limit))
    names = concern.names_in(template.language) if template.placeholders else ()
    instances = tuple(_build_instance(template, names, number) for number in numbers)
    return TemplateInstances(template, requirement, possible, instances, seed)


def _build_instance(template: PromptTemplate, names: Sequence[str], number: int) -> PromptInstance:
    placeholders = template.placeholders
    chosen = unrank_permutation(number, len(names), len(placeholders))
    filled = {each.text: names[place] for each, place in zip(placeholders, chosen, strict=True)}
    # All at once: the name of a community may itself look like a placeholder.
    prompt = PLACEHOLDER.sub(lambda match: filled[match[0]], template.prompt)
    return PromptInstance(number, chosen, prompt, build_message(template, prompt))


def build_message(template: PromptTemplate, prompt: str) -> str:
    """What is sent for a filled prompt; a task prefix stands on a line of its own."""
    if not template.task_prefix:
        return f"{prompt} {template.output_formatting}".strip()
    parts = (template.task_prefix, prompt, template.output_formatting)
    return "\n".join(part for part in parts if part)


def unrank_permutation(number: int, k: int, n: int) -> tuple[int, ...]:
    """The permutation of n of k places with this number, in lexicographic order from 0 on."""
    left = list(range(k))
    chosen = []
    for taken in range(1, n + 1):
        place, number = divmod(number, math.perm(k - taken, n - taken))
        chosen.append(left.pop(place))
    return tuple(chosen)
