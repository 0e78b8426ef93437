"""Codes in words: what a page says for a state, a reason, a gate or a kind of disagreement."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.camps import CHOSEN
from annotation.disagreements import Disagreement, DisagreementKind
from annotation.label_schemes import SCHEMES
from annotation.rater_shift import RATER_CONSTANT
from annotation.reliability import MARKS
from corpus.errors import InputError
from corpus.figures import REASONS as FIGURE_REASONS
from corpus.figures import WEAK_BELOW_ITEMS, Figure
from corpus.prompt_languages import name_of
from corpus.records import Instrument
from corpus.stereotypes import Inventory
from pipeline.flags import FLAGS
from pipeline.reasons import REASONS as CANDIDATE_REASONS
from scoring.half_precision import WITHIN_ERROR

KINDS = {
    DisagreementKind.LABEL_CONFLICT: "raters' labels differ",
    DisagreementKind.SYSTEM_CONFLICT: "a label differs from the system's",
    DisagreementKind.UNSURE: "a rater is unsure",
    DisagreementKind.DA_SPREAD: "DA scores far apart",
    DisagreementKind.LOW_DA: "low DA",
    DisagreementKind.COMMENT: "a comment",
}
KINDS_OF_ANSWERS = {
    **KINDS,
    DisagreementKind.LABEL_CONFLICT: "raters answer yes and no",
    DisagreementKind.SYSTEM_CONFLICT: "a rater's answer is not the one expected",
}
"""Of prompts and sector sentences, which are answered yes, no or unsure."""
MEASURES = {
    "g_s_p": "share of all assignments of poles with as large a g_s",
    "mean_da": "mean DA",
    "label_accuracy": "accuracy of the system's label",
    "label_accuracy_three_labels": "accuracy, answers with three labels only",
    "pearson": "Pearson's correlation of DA",
    "mean_pearson": "mean of Pearson's correlations",
    "pearson_p": "p of Pearson's correlation",
    "pearson_p_adjusted": "p of Pearson's correlation, adjusted",
    "spearman": "Spearman's correlation of DA",
    "alpha_interval": "alpha of DA",
    "alpha_nominal": "alpha of labels",
    "kappa": "kappa",
    "kappa_three_labels": "kappa, answers with three labels only",
    "ac1": "AC1",
    "raw_agreement": "raw agreement on labels",
    "differing_labels": "differing labels",
    "template_mean_da": "mean DA of templated sentences",
    "langbite": "rate langbite",
    "all": "rate all",
    "langbite_average": "mean rate langbite",
    "all_average": "mean rate all",
    "verdict_kappa": "kappa of verdicts on answers",
    "verdict_agreement": "same verdicts on answers",
    "judge_rate": "tests that the judging model passes",
    "judge_verdicts": "verdicts of the judging model",
    "rate_correlation": "correlation of rates",
}
MEASURES_OF_ANSWERS = {
    each.accuracy: each.accuracy_name
    for instrument, each in SCHEMES.items()
    if instrument is not Instrument.EUROGEST
}
"""Definition of a figure → its words, of prompts and sector sentences, which nobody labels."""
NOTES = {
    "weak": f"weak: fewer than {WEAK_BELOW_ITEMS} items",
    RATER_CONSTANT: "a rater gave one and the same answer throughout",
    CHOSEN: "chosen after seeing the data",
    "few_sentences": "a stereotype has fewer than 10 sentences",
    "contained": "sentences whose one variant begins the other",
    "first_token": "sentences whose gendered word stands first and has no probability",
    "within_error": "not ordered: the error of half precision could make it, or is not known",
    "unequal_tokens": "sentences whose variants are sums over different numbers of tokens",
    "identical": "sentences left out: both variants are the same tokens",
    "no_scored_token": "sentences left out: a variant has no token with a probability",
    "no_own_token": "sentences left out: one variant is the beginning of the other",
    "not_terminated": "sentences left out: not scored with an ending",
    "us_centred": "templates centred on the United States",
    "partial_left_out": "tests not asked as a whole are left out",
    "equal_with_placeholder": "an oracle for one answer, where communities give several",
    "answers_cut_off": "answers that end at the length limit, judged by what there is of them",
    "same_family": "a model of its own family translated, paraphrased or judged",
    "helper_family_unknown": "nobody says the family of a model that helped",
    "demonstration": "a demonstration, not a finding",
    "points_missing": "concerns of models without a rate in one of the languages",
}
INVALID_REASONS = {
    "unknown_field": "an answer to a question the form does not have",
    "missing": "a required answer is missing",
    "not_shown": "an answer to a question that was not asked",
    "not_a_whole_number": "not a whole number",
    "out_of_range": "outside the scale",
    "unknown_choice": "none of the choices",
    "not_text": "not a text",
    "unreadable_control": "an answer that cannot be read",
    "repeated_control": "the same question answered twice",
    "wrong_rater": "answered by another account than the rater's",
    "written_by_another": "changed by another account",
    "altered_task": "the text shown was changed on the server",
    "second_answer": "a second answer to the same item",
}


def describe_language(code: str) -> str:
    """`Slovak (sk)`; the bare code if it is unknown."""
    try:
        return f"{name_of(code)} ({code})"
    except InputError:
        return code


def describe_candidate_reason(code: str) -> str:
    """Why a candidate is what it is, in words."""
    if code.startswith("decided:"):
        return f"decided by a curator ({code.removeprefix('decided:')})"
    return CANDIDATE_REASONS.get(code, code)


def describe_flag(flag: str) -> str:
    """A mark of a candidate in words, the code before them."""
    return f"{flag}: {FLAGS[flag]}" if flag in FLAGS else flag


def describe_quality(evidence: Mapping[str, object]) -> str:
    """The quality scores in a candidate's evidence, and whose they are; empty without any."""
    quality = evidence.get("quality")
    scores = quality.get("scores") if isinstance(quality, Mapping) else None
    if not isinstance(quality, Mapping) or not isinstance(scores, Mapping):
        return ""
    parts = [
        f"{wrapper} {'none' if score is None else f'{score:.3f}'}"
        for wrapper, score in scores.items()
    ]
    return f"{', '.join(parts)} ({quality.get('model') or 'model not recorded'})" if parts else ""


def describe_import(evidence: Mapping[str, object]) -> str:
    """Where an imported candidate comes from and what was said of it there; empty otherwise."""
    imported = evidence.get("imported")
    if not isinstance(imported, Mapping):
        return ""
    row = f"row {imported.get('row')}"
    if "release" not in imported:
        return f"{imported.get('file')}, {row}"
    told = [f"release {imported['release']}, {row}", f"reason there {imported.get('reason')}"]
    told.append(f"texts seen by humans there: {imported.get('human_seen')}")
    if imported.get("decision"):
        told.append(f"decided there: {imported['decision']}")
    return "; ".join(told)


def describe_figure_reason(code: str | None) -> str:
    """Why a figure is undefined, in words; empty for None."""
    return "" if code is None else FIGURE_REASONS.get(code, code)


def describe_kinds(disagreement: Disagreement) -> str:
    """Why a candidate is in the queue."""
    sentences = disagreement.subject_id.startswith(f"{Instrument.EUROGEST}/")
    told = KINDS if sentences else KINDS_OF_ANSWERS
    return ", ".join(told[kind] for kind in disagreement.kinds)


def describe_measure(name: str) -> str:
    """A measure in words; the bare name if there are none."""
    return MEASURES.get(name, name)


def describe_measure_of(figure: Figure) -> str:
    """The measure of a figure in the words of what raters were asked."""
    return MEASURES_OF_ANSWERS.get(figure.definition) or describe_measure(figure.name)


def describe_note(code: str) -> str:
    """A mark of a figure in words, with its count if it has one; words stay as they are."""
    name, _, count = code.partition(":")
    if name == WITHIN_ERROR and count.isdigit():
        return f"not ordered against {count} others: they lie within the error of half precision"
    if count.isdigit() and name in NOTES:
        return f"{NOTES[name]}: {count}"
    return NOTES.get(code) or MARKS.get(code, code)


def describe_invalid_reason(code: str) -> str:
    """Why an answer is invalid, in words, with the question it is about."""
    problem, _, where = code.partition(":")
    words = INVALID_REASONS.get(problem, problem)
    return f"{words} ({where})" if where else words


def describe_stereotype(stereotype_id: int | None, inventory: Inventory) -> str:
    """`3 empathetic and caring`; empty for None, the bare number if the inventory lacks it."""
    if stereotype_id is None:
        return ""
    if stereotype_id not in inventory.ids:
        return str(stereotype_id)
    return f"{stereotype_id} {inventory.stereotype(stereotype_id).name}"
