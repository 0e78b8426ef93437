"""Extraction: the sentence, the whole sentence and nothing but the sentence, or a failure.

The cases are written by hand in the forms in which engines answer; the sentences are our own.
"""

import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corpus.languages import load_languages
from corpus.narrators import load_narrators
from pipeline.extraction import extract_sentence
from pipeline.quotes import CLOSERS, QUOTE_MARKS

FOUND = [
    # Straight, curly, low-high, guillemets, single.
    ("sk", 'Muž povedal: "Som unavený."', "Som unavený.", "quoted"),
    ("sk", "Žena povedala: „Som unavená.“", "Som unavená.", "quoted"),
    ("sk", "Žena povedala: „Som unavená.”", "Som unavená.", "quoted"),
    ("es", "El hombre dijo: “Estoy cansado.”", "Estoy cansado.", "quoted"),
    ("es", "La mujer dijo: «Estoy cansada».", "Estoy cansada", "quoted"),
    ("fr", "L'homme a dit : « J'étais fatigué. »", "J'étais fatigué.", "quoted"),
    ("fr", "L'homme a dit :\u00a0«\u00a0J'étais fatigué.\u00a0»", "J'étais fatigué.", "quoted"),
    ("de", "Der Mann sagte: »Ich bin müde.«", "Ich bin müde.", "quoted"),
    ("pl", "Mężczyzna powiedział: ”Jestem zmęczony.”", "Jestem zmęczony.", "quoted"),
    ("hr", "Čovjek je rekao: 'Umoran sam.'", "Umoran sam.", "quoted"),
    ("mt", "Ir-raġel qal, ‘Jien għajjien.’", "Jien għajjien.", "quoted"),
    ("de", "Die Frau sagte: ‚Ich bin müde.‘", "Ich bin müde.", "quoted"),
    ("de", "Die Frau sagte: ›Ich bin müde.‹", "Ich bin müde.", "quoted"),
    # Marks of two kinds, and a lone low mark closed by a straight one.
    ("sk", 'Muž povedal: „Som unavený."', "Som unavený.", "quoted"),
    ("sk", 'Muž povedal: "Som unavený.“', "Som unavený.", "quoted"),
    # Apostrophes inside words and at their end.
    ("it", "L'uomo ha detto: 'Sono stanco'", "Sono stanco", "quoted"),
    ("it", "L'uomo ha detto: \"L'anno dopo un po' meno.\"", "L'anno dopo un po' meno.", "quoted"),
    ("it", "L'uomo ha detto: 'Ne voglio un po' di più.'", "Ne voglio un po' di più.", "quoted"),
    ("uk", "Чоловік сказав: 'Я не п'ю і втомлений'", "Я не п'ю і втомлений", "quoted"),
    ("uk", "Чоловік сказав: ‘Я не п’ю і втомлений.’", "Я не п’ю і втомлений.", "quoted"),
    ("ca", "L'home va dir: \"M'he llevat d'hora\".", "M'he llevat d'hora", "quoted"),
    ("mt", "Il-mara qalet: 'M'għandix ħin ta' xejn.'", "M'għandix ħin ta' xejn.", "quoted"),
    # Nested quotes, of another and of the same kind, at the end too.
    ("sk", 'Muž povedal: "Povedal som „nie“ a odišiel."', "Povedal som „nie“ a odišiel.", "quoted"),
    ("sk", 'Muž povedal: "Povedal som "nie" a odišiel."', 'Povedal som "nie" a odišiel.', "quoted"),
    ("sk", 'Muž povedal: "Povedal som: "nie.""', 'Povedal som: "nie."', "quoted"),
    ("sk", "Muž povedal: 'Povedal som 'nie' a odišiel.'", "Povedal som 'nie' a odišiel.", "quoted"),
    ("sk", 'Muž povedal: ""Nie," kričal som."', '"Nie," kričal som.', "quoted"),
    ("ru", "Мужчина сказал: «Я прочитал «Бесов»».", "Я прочитал «Бесов»", "quoted"),
    # Several sentences, a question, dashes and a colon inside.
    ("sk", 'Muž povedal: "Prišiel som. Videl som!"', "Prišiel som. Videl som!", "quoted"),
    ("es", 'El hombre dijo: "¿Estoy cansado?"', "¿Estoy cansado?", "quoted"),
    ("sk", 'Muž povedal, "Mám sen: byť voľný."', "Mám sen: byť voľný.", "quoted"),
    ("sk", 'Muž povedal: "Vstal som o 7:30 – sám."', "Vstal som o 7:30 – sám.", "quoted"),
    # No colon or comma, but the narrator's noun.
    ("sk", 'Muž povedal "Som unavený."', "Som unavený.", "quoted"),
    # The narrator dropped, the quotes kept.
    ("sk", "„Som unavená.“", "Som unavená.", "quoted"),
    # One mark missing.
    ("sk", 'Muž povedal: "Som unavený.', "Som unavený.", "unclosed"),
    ("sk", "Muž povedal: 'Som unavený.", "Som unavený.", "unclosed"),
    ("sk", 'Muž povedal: "Povedal som „nie“.', "Povedal som „nie“.", "unclosed"),
    ("sk", 'Žena povedala: Som unavená."', "Som unavená.", "unopened"),
    ("sk", "Žena povedala: Som unavená.“", "Som unavená.", "unopened"),
    ("sk", "Žena povedala: Som unavená.'", "Som unavená.", "unopened"),
    # No marks: everything after the narrator's colon, quotes of the sentence itself included.
    ("sk", "Žena povedala: Vstala som, keď svitalo.", "Vstala som, keď svitalo.", "colon"),
    ("sk", "Žena povedala: Ľúbim „teplo“.", "Ľúbim „teplo“.", "colon"),
    ("it", "L'uomo ha detto: Ne voglio un po'", "Ne voglio un po'", "colon"),
    # The narrator after the quote.
    ("sk", '"Som unavený," povedal muž.', "Som unavený", "narrator_after"),
    ("it", "'Un po' di più', ha detto l'uomo.", "Un po' di più", "narrator_after"),
    ("fr", "« Je suis fatiguée », a dit la femme.", "Je suis fatiguée", "narrator_after"),
    # A language without known nouns, and a decomposed text.
    (None, 'Il a dit, "Bonjour."', "Bonjour.", "quoted"),
    (None, "Il a dit : bonjour, monde.", "bonjour, monde.", "colon"),
    ("sk", unicodedata.normalize("NFD", 'Žena povedala: "Som šťastná."'), "Som šťastná.", "quoted"),
]  # fmt: skip

FAILED = [
    ("sk", "", "empty"),
    ("sk", " \n", "empty"),
    ("sk", 'Muž povedal: ""', "empty"),
    ("sk", "Muž povedal: ", "empty"),
    ("sk", "…", "empty"),
    # Nothing tells the narrator from the sentence.
    ("sk", "Muž povedal, som unavený.", "no_quotes"),
    ("sk", "Som unavený.", "no_quotes"),
    ("sk", "Mám jeden sen: byť voľný.", "no_narrator"),
    ("sk", "Muž povedal, mám sen: byť voľný.", "no_narrator"),
    ("sk", 'Som "unavený" človek.', "no_narrator"),
    ("sk", 'Keď prišiel, povedal som mu, "choď preč".', "no_narrator"),
    # Only a part of the sentence is quoted.
    ("sk", 'Muž povedal: "Nie," kričal som.', "text_after_quote"),
    ("sk", "Muž povedal: 'Nie,' kričal som.", "text_after_quote"),
    ("sk", '"Nie," kričal som.', "no_narrator"),
    # A quote in two parts has the narrator between them.
    ("sk", '"Som unavený," povedal muž, "a hladný."', "split_quote"),
    ("sk", "'Som unavený,' povedal muž, 'a hladný.'", "split_quote"),
    # A closing mark is missing and the narrator may follow.
    ("sk", '"Som unavený, povedal muž.', "no_narrator"),
]


@pytest.mark.parametrize(("language", "wrapped", "sentence", "how"), FOUND)
def test_found(language: str | None, wrapped: str, sentence: str, how: str) -> None:
    extraction = extract_sentence(wrapped, language)
    assert (extraction.text, extraction.how) == (sentence, how)


@pytest.mark.parametrize("mark", sorted(QUOTE_MARKS))
def test_any_mark_may_stand_where_a_quotation_opens(mark: str) -> None:
    for text in (f"Muž povedal: {mark}Ahoj.{mark}", f"{mark} „Ahoj.“ {mark}"):
        assert extract_sentence(text, "sk") is not None
    assert set("".join(CLOSERS.values())) <= QUOTE_MARKS


@pytest.mark.parametrize(("language", "wrapped", "how"), FAILED)
def test_failed(language: str | None, wrapped: str, how: str) -> None:
    extraction = extract_sentence(wrapped, language)
    assert (extraction.text, extraction.how) == (None, how)


STYLES = ['""', "“”", "„“", "„”", "””", "«»", "»«", "‚‘", "‘’", "''", "’’", "‹›", "「」"]
TARGETS = sorted(set(load_languages()) - {"en"})
LETTERS = st.characters(categories=("Lu", "Ll", "Lo", "Nd"), exclude_characters="ʼ")
PLAIN_WORDS = st.text(LETTERS, min_size=1, max_size=8).map(
    lambda word: unicodedata.normalize("NFC", word)
)
WORDS = st.one_of(
    PLAIN_WORDS,
    st.builds("{}'{}".format, PLAIN_WORDS, PLAIN_WORDS),
    st.builds("{}’{}".format, PLAIN_WORDS, PLAIN_WORDS),
    st.builds("{}-{}".format, PLAIN_WORDS, PLAIN_WORDS),
    st.builds("{},".format, PLAIN_WORDS),
    st.builds("{}:".format, PLAIN_WORDS),
    st.builds("{}.".format, PLAIN_WORDS),
    st.builds("({})".format, PLAIN_WORDS),
)
SENTENCES = st.builds(
    lambda words, last, end: " ".join([*words, last]) + end,
    st.lists(WORDS, max_size=8),
    PLAIN_WORDS,
    st.sampled_from(["", ".", "!", "?", "…", "?!"]),
)


INNER = st.builds(
    "{} {}{}{} {}".format,
    PLAIN_WORDS,
    st.just("\0"),
    SENTENCES,
    st.just("\1"),
    PLAIN_WORDS,
)
"""A sentence with a quotation inside, whose marks are filled in."""


@st.composite
def frames(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A language and one of its wrappers: what stands before and after, and the outer marks."""
    code = draw(st.sampled_from(TARGETS))
    narrators = load_narrators()[code]
    pairs = load_languages()[code].quotation_pairs
    opening, closing = draw(st.sampled_from(sorted({*pairs, *map(tuple, STYLES)})))
    inner = draw(st.sampled_from(["", "", " ", "\u00a0"]))
    marks = opening + closing
    opening, closing = opening + inner, inner + closing
    place = draw(
        st.sampled_from(["before", "after", "around"] if narrators.around else ["before", "after"])
    )
    if place == "before":
        separator = draw(st.sampled_from([": ", ":", " : ", ", ", " – ", " "]))
        phrase = draw(st.sampled_from(narrators.before))
        end = draw(st.sampled_from(["", ".", " "]))
        return code, f"{phrase}{separator}{opening}", f"{closing}{end}", marks
    if place == "after":
        phrase = draw(st.sampled_from(narrators.after))
        separator = draw(st.sampled_from([", ", " – ", ", — ", " "]))
        return code, opening, f"{closing}{separator}{phrase}.", marks
    before, after = draw(st.sampled_from(narrators.around))
    return code, f"{before}, {opening}", f"{closing} {after}.", marks


@settings(max_examples=300)
@given(frames(), SENTENCES)
def test_any_sentence_comes_back_from_any_wrapper(
    frame: tuple[str, str, str, str], sentence: str
) -> None:
    code, before, after, _ = frame
    assert extract_sentence(f"{before}{sentence}{after}", code).text == sentence


@settings(max_examples=200)
@given(frames(), INNER, st.sampled_from(["„“", "„”", "«»", "“”", '""', "‹›"]))
def test_a_sentence_with_a_quotation_comes_back(
    frame: tuple[str, str, str, str], sentence: str, style: str
) -> None:
    code, before, after, marks = frame
    assume(set(marks).isdisjoint(style))
    sentence = sentence.replace("\0", style[0]).replace("\1", style[1])
    assert extract_sentence(f"{before}{sentence}{after}", code).text == sentence


@given(st.text(max_size=60), st.sampled_from([*TARGETS, "xx", None]))
def test_no_text_breaks_it_and_what_it_finds_is_there(text: str, language: str | None) -> None:
    extraction = extract_sentence(text, language)
    if extraction.text is not None:
        assert extraction.text in unicodedata.normalize("NFC", text)
        assert extraction.text == extraction.text.strip() != ""


@pytest.mark.parametrize(
    "text",
    [
        '"' * 3000 + "Muž povedal" + '"' * 3000,
        "'" * 3000 + "a" + "'" * 3000,
        "Muž povedal: " + "«a" * 3000 + '"b" ' * 3000,
        '"(".' * 3000 + "a" + '.)"' * 3000,
        "– " + "a, " * 3000 + "povedal muž",
        "&quot;" * 3000 + "a" + "&quot;" * 3000,
    ],
)
def test_engines_that_repeat_themselves_break_nothing(text: str) -> None:
    extraction = extract_sentence(text, "sk")
    assert (extraction.text is None) == (extraction.how in FAILURES)


FAILURES = {how for _, _, how in FAILED} | {"narrator_inside", "several_lines"}
