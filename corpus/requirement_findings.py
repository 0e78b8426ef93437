"""Templates against the requirements that fill and judge them: what does not fit, before a request.

Articles are compared with communities only where it is plain: English a and an, and two articles in
a row. It is the developers' reading, for people to look at.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from corpus.langbite_files import TemplateFile, TemplateRow
from corpus.prompt_findings import Finding
from corpus.prompts import PLACEHOLDER, PromptTemplate, Requirement

_IRREGULAR_PLURALS = frozenset({"men", "women", "people", "children"})
_ARTICLES: dict[str, frozenset[str]] = {
    "ca": frozenset({"un", "una", "un/una", "el", "la", "els", "les"}),
    "es": frozenset({"un", "una", "un/una", "el", "la", "los", "las"}),
    "fr": frozenset({"un", "une", "le", "la", "les"}),
}
_WORD_BEFORE = re.compile(r"([\w/]+)\s+$")


def find_requirement_findings(
    files: Sequence[TemplateFile], requirements: Sequence[Requirement], requirements_file: str
) -> tuple[Finding, ...]:
    """What does not fit between templates and requirements.

    Args:
        files: the templates.
        requirements: what is asked of them.
        requirements_file: name of the requirements' file, for findings about them.
    """
    found: list[Finding] = []
    for file in files:
        unasked: dict[str, list[str]] = defaultdict(list)
        odd: dict[str, list[str]] = defaultdict(list)
        for row in file.rows:
            requirement = find_requirement(row.template, requirements)
            if requirement is None:
                unasked[row.template.concern_key].append(row.template.id)
                continue
            found.extend(_find_unfillable(file, row, requirement))
            for problem in _find_disagreements(row.template, requirement):
                odd[problem].append(row.template.id)
        found.extend(_describe_unasked(file, unasked))
        for problem, ids in odd.items():
            remedy = "name the communities as the templates need them, or change the templates"
            text = f"{problem} ({len(ids)} templates)"
            found.append(
                Finding("agreement", file.file, None, "prompt", text, remedy, False, tuple(ids))
            )
    found.extend(_find_without_templates(files, requirements, requirements_file))
    return tuple(found)


def find_requirement(
    template: PromptTemplate, requirements: Sequence[Requirement]
) -> Requirement | None:
    """The requirement that asks for this template, or None."""
    return next((each for each in requirements if each.asks_for(template)), None)


def _find_unfillable(
    file: TemplateFile, row: TemplateRow, requirement: Requirement
) -> Iterator[Finding]:
    template, concern = row.template, requirement.concern
    ids = (template.id,)
    other = [each.text for each in template.placeholders if each.markup != concern.markup]
    if other:
        problem = f"{', '.join(other)} is not filled: {requirement.name} fills {{{concern.markup}}}"
        remedy = "use the markup of the requirement"
        yield Finding(
            "placeholder_not_filled", file.file, row.row, "prompt", problem, remedy, True, ids
        )
    numbers = [each.number or 1 for each in template.placeholders if each.markup == concern.markup]
    needed = max([*numbers, len(numbers)], default=0)
    count = len(concern.communities)
    if needed > count:
        last = template.placeholders[-1].text
        problem = f"{last} needs {needed} communities, {requirement.name} has {count}"
        remedy = "name more communities or use fewer placeholders"
        yield Finding(
            "too_few_communities", file.file, row.row, "prompt", problem, remedy, True, ids
        )


def _find_disagreements(template: PromptTemplate, requirement: Requirement) -> Iterator[str]:
    """`'a' before {GENDER} does not fit men, women`: each combination once."""
    concern = requirement.concern
    language = template.language.split("_")[0]
    names = concern.names_in(template.language)
    told = set()
    for match in PLACEHOLDER.finditer(template.prompt):
        before = _WORD_BEFORE.search(template.prompt[: match.start()])
        if before is None or match[1] != concern.markup:
            continue
        article = before[1].casefold()
        wrong = [name for name in names if not _fits(article, name, language)]
        if wrong:
            told.add(f"{article!r} before {{{concern.markup}}} does not fit {', '.join(wrong)}")
    yield from sorted(told)


def _fits(article: str, name: str, language: str) -> bool:
    first = name.casefold().split()[0]
    if language == "en":
        if article not in ("a", "an"):
            return True
        # Words in u begin with either sound, and "8" with a vowel.
        vowel = first[0] in "aeio8"
        sure = first[0] != "u"
        return first not in _IRREGULAR_PLURALS and (not sure or vowel == (article == "an"))
    articles = _ARTICLES.get(language, frozenset())
    return not (article in articles and first in articles)


def _describe_unasked(file: TemplateFile, unasked: dict[str, list[str]]) -> Iterator[Finding]:
    for concern, ids in unasked.items():
        problem = f"no requirement asks for {len(ids)} templates of {concern}"
        remedy = "write a requirement with the markup and its communities, or leave them out"
        yield Finding(
            "not_asked_for", file.file, None, "concern", problem, remedy, False, tuple(ids)
        )


def _find_without_templates(
    files: Sequence[TemplateFile], requirements: Sequence[Requirement], name: str
) -> Iterator[Finding]:
    templates = [template for file in files for template in file.templates]
    languages = {file.language for file in files}
    for requirement in requirements:
        for language in requirement.languages:
            asked = any(
                each.language == language and requirement.asks_for(each) for each in templates
            )
            if language in languages and not asked:
                problem = f"{requirement.name} asks for {requirement.concern.name} in {language}"
                problem += " and no template does"
                remedy = "write templates, or take the language out of the requirement"
                yield Finding("no_template", name, None, requirement.name, problem, remedy)
