"""What every translation engine promises: subclass, and give an `engine` fixture.

The engine must know `TRANSLATIONS`; how it comes to know them is the subclass's matter.
"""

from __future__ import annotations

import unicodedata

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.translation import TranslationEngine, TranslationRequest, TranslationResponse

# Written for this test: what an engine might be tempted to change, and a decomposed š and ý.
TRANSLATIONS = {
    ("I am happy.", "sk"): "Som šťastný.",
    ('The man said, "I am happy."', "sk"): "Muž povedal: „Som s\u030ct\u030castny\u0301.“",
    ('The woman said, "I am happy."', "sk"): "Žena povedala: „Som šťastná.“",
    ('I\'m <b>bold</b> & "quoted".', "sk"): "Som <b>tučný</b> & „v úvodzovkách“ &#39;.",
    ("  I keep my spaces. ", "sk"): "  Nechávam\u00a0si medzery. ",
    ("I am happy.", "tr"): "Mutluyum.",
    ("I sing.", "tr"): "=ŞARKI(söylerim)",
}
REQUESTS = [TranslationRequest(text, language) for text, language in TRANSLATIONS]


def flatten(answers: list[list[TranslationResponse]]) -> list[TranslationResponse]:
    return [response for answer in answers for response in answer]


class TranslationContract:
    """The promises, as tests."""

    def test_has_the_three_names_of_a_key(self, engine: TranslationEngine) -> None:
        assert all((engine.name, engine.model, engine.version))

    def test_gives_the_texts_in_nfc_and_otherwise_unchanged(
        self, engine: TranslationEngine
    ) -> None:
        found = {
            (response.request.text, response.request.language): response.text
            for response in flatten(list(engine.translate(REQUESTS)))
        }
        assert found == {
            key: unicodedata.normalize("NFC", text) for key, text in TRANSLATIONS.items()
        }

    # The engine keeps nothing between two calls, so one serves all examples.
    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(asked=st.lists(st.sampled_from(REQUESTS), max_size=12))
    def test_answers_each_request_once_in_order(
        self, engine: TranslationEngine, asked: list[TranslationRequest]
    ) -> None:
        answers = list(engine.translate(asked))
        assert [response.request for response in flatten(answers)] == asked
        assert all(answers)

    def test_gives_nothing_for_nothing(self, engine: TranslationEngine) -> None:
        assert list(engine.translate([])) == []

    def test_bills_what_it_estimated(self, engine: TranslationEngine) -> None:
        estimate = engine.estimate_cost(REQUESTS)
        answers = list(engine.translate(REQUESTS))
        assert sum(r.characters_billed for r in flatten(answers)) == estimate.characters
        assert estimate.requests in (0, len(answers))
        assert estimate.basis

    def test_hands_over_one_answer_before_it_needs_the_next(
        self, engine: TranslationEngine
    ) -> None:
        answers = engine.translate(REQUESTS)
        assert next(answers)[0].request == REQUESTS[0]
