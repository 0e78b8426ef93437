"""Quality of augmentation: golden values by hand, and never one language against another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from corpus.figures import Figure
from corpus.prompt_sources import Order
from engines.embeddings import FloatArray
from pipeline.prompt_import import import_prompts
from pipeline.prompt_quality import (
    BEFORE,
    BLEU,
    CHRF,
    DIFFERENCE,
    EACH_OTHER,
    ENGLISH,
    HUMAN,
    MEANING,
    Resampling,
    compute_quality,
)
from pipeline.prompt_texts import TemplateTexts, TextGroup, load_text_groups
from tests.corpus.prompt_files import write_prompts
from tests.pipeline.test_prompt_augmentation import Study, study
from tests.pipeline.test_prompt_import import read_files

__all__ = ["study"]
RESAMPLING = Resampling(200, 7)


@dataclass(frozen=True)
class Letters:
    """Embeds a text as how often it has the letters a and b."""

    languages: frozenset[str]
    model: str = "letters"
    revision: str = "1"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        found = np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float64)
        unit: FloatArray = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit


def group(language: str, order: Order, *templates: TemplateTexts, seen: int = 0) -> TextGroup:
    return TextGroup(language, order, templates, ("m",), seen)


def find(figures: Sequence[Figure], measure: str, **scope: str) -> Figure:
    [found] = [
        each
        for each in figures
        if each.name == measure and scope.items() <= dict(each.scope).items()
    ]
    return found


def test_values_by_hand() -> None:
    # BLEU: precisions 5/5, 3/4, 2/3, 1/2 and a brevity penalty of exp(1 - 6/5).
    texts = TemplateTexts(
        "1", "ab", ("the cat sat on mat", "the cat sat on the mat"), human="the cat sat on the mat"
    )
    figures = compute_quality([group("es", Order.T2P, texts)], None, RESAMPLING)
    bleu = 100 * math.exp(1 - 6 / 5) * (1 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    found = find(figures, BLEU, against=HUMAN)
    assert found.value == pytest.approx((bleu + 100) / 2)
    assert (found.n, found.notes) == (1, ("weak", "no_human_has_seen"))
    assert found.interval is not None
    assert found.interval.reason == "too_few"
    assert "eff:yes" in found.method
    assert find(figures, CHRF, against=HUMAN).value is not None
    # The other direction: precisions 5/6, 3/5, 2/4, 1/3, and no penalty.
    back = 100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert find(figures, BLEU, against=EACH_OTHER).value == pytest.approx((bleu + back) / 2)
    assert find(figures, MEANING, against=ENGLISH).reason == "not_set"


def test_templates_weigh_the_same_and_intervals_hold_the_mean() -> None:
    many = [
        TemplateTexts(str(number), "a", ("ab" if number % 2 else "a",) * (1 + number % 3))
        for number in range(40)
    ]
    embedder = Letters(frozenset({"en", "es"}))
    figures = compute_quality([group("es", Order.T2P, *many, seen=1)], embedder, RESAMPLING)
    found = find(figures, MEANING, against=ENGLISH)
    assert found.value == pytest.approx((1 + 1 / math.sqrt(2)) / 2)
    assert (found.n, found.notes) == (40, ())
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.low is not None
    assert found.interval.high is not None
    assert found.interval.low < found.value < found.interval.high
    again = compute_quality([group("es", Order.T2P, *many, seen=1)], embedder, RESAMPLING)
    assert again == figures


def test_a_language_that_a_model_does_not_declare_has_no_meaning() -> None:
    texts = TemplateTexts("1", "ab", ("aab",), before="abb", human="b")
    groups = [group(each, Order.T2P, texts) for each in ("lb", "es")]
    figures = compute_quality(groups, Letters(frozenset({"es"})), RESAMPLING)
    assert find(figures, MEANING, language="lb", against=HUMAN).reason == "language_unsupported"
    assert find(figures, MEANING, language="es", against=HUMAN).value is not None
    # English is a language of this comparison too.
    assert find(figures, MEANING, language="es", against=ENGLISH).reason == "language_unsupported"


def test_words_are_never_compared_between_languages() -> None:
    t2p = group("fr", Order.T2P, TemplateTexts("1", "is it so", ("b a",), before="a b"))
    p2t = group("fr", Order.P2T, TemplateTexts("1", "is it so", ("a b",)))
    english = group("en", Order.T2P, TemplateTexts("1", "is it so", ("so is it",), "is it so"))
    figures = compute_quality([t2p, p2t, english], None, RESAMPLING)
    places = {
        (each.name, *(value for _, value in each.scope)) for each in figures if each.name != MEANING
    }
    assert not [place for place in places if place[3] == ENGLISH]
    assert ("bleu", "fr", "p2t", BEFORE) not in places
    assert ("bleu", "fr", "t2p", BEFORE) in places
    assert ("bleu", "en", "t2p", BEFORE) in places
    assert ("bleu", "en", "t2p", HUMAN) not in places
    assert find(figures, BLEU, language="fr", order="t2p", against=HUMAN).reason == "no_data"
    assert find(figures, BLEU, language="fr", order="p2t", against=EACH_OTHER).reason == "too_few"


def test_orders_are_compared_on_templates_that_both_have() -> None:
    one = [TemplateTexts(str(each), "a", ("a",), human="a") for each in range(3)]
    other = [TemplateTexts("1", "a", ("b",), human="a"), TemplateTexts("9", "a", ("b",))]
    embedder = Letters(frozenset({"en", "es"}))
    groups = [group("es", Order.T2P, *one), group("es", Order.P2T, *other)]
    figures = compute_quality(groups, embedder, RESAMPLING)
    found = find(figures, MEANING, order=DIFFERENCE, against=HUMAN)
    assert (found.value, found.n) == (1.0, 1)


def test_texts_come_from_the_store(study: Study, tmp_path: Path) -> None:
    human = {"prompt": "¿Son {GENDER1} más tranquilos que {GENDER2}?"}
    spanish = write_prompts(tmp_path, [human], "prompts_es_es.csv")
    import_prompts(study.store, read_files(spanish), "tester")
    study.run("es,en", paraphrases=2)
    study.run("es", Order.P2T)
    with study.store.reading() as state:
        groups = load_text_groups(state, "prompts", ["es", "en"])
    assert [(each.language, str(each.order), each.texts) for each in groups] == [
        ("es", "t2p", 6),
        ("es", "p2t", 3),
        ("en", "t2p", 6),
    ]
    first = groups[0].templates[0]
    assert first.human == human["prompt"]
    assert first.before == f"sp: {first.english}"
    assert groups[1].templates[0].before is None
    assert groups[2].templates[0].before == groups[2].templates[0].english
    assert groups[0].seen == 0
    assert len(groups[0].models) == 2
