"""The demonstration's part on sectors: a masked model made on the spot, scored with its control."""

from __future__ import annotations

from app.output import say
from app.progress import watched_run
from app.sector_control import print_control, score_control_of
from app.sector_scoring import SectorModel, plan_order, print_result, score_model
from app.session import Session
from corpus.occupations import load_occupations
from corpus.sector_files import load_sector_languages
from corpus.sectors import SectorSentences
from corpus.workforce import DEFAULT_WORKFORCE
from engines.tiny_model import build_tiny_masked_model
from scoring.sector_scores import SectorResult

LANGUAGES = ("en", "pl")
"""One without and one with sentences in which another word shows the gender."""
MODEL_NAME = "tiny-random-masked-model"


def score_sectors_of_demo(session: Session) -> SectorResult:
    """Scores the model on two languages, and on the control; done before, it is only printed."""
    words = load_occupations(LANGUAGES)
    languages: list[SectorSentences] = [*load_sector_languages(LANGUAGES), *words]
    # Sorted, so that the same sentences always give the same tokenizer.
    texts = sorted({one.text for each in languages for one in each.build_sentences()})
    model = build_tiny_masked_model(session.workspace.path / MODEL_NAME, texts)
    say("A masked model with random weights, made here, is asked about women, men and sectors.")
    order = plan_order(LANGUAGES, None, None, [DEFAULT_WORKFORCE], demonstration=True)
    with watched_run(session.store, "sectors score") as progress:
        (result,) = score_model(session, SectorModel(str(model)), order, progress)
        control = score_control_of(
            session, SectorModel(str(model)), words, progress, demonstration=True
        )
    print_result(result)
    print_control(control)
    return result
