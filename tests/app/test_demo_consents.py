"""The demonstration's raters agree to publication, so that its release holds ratings."""

from __future__ import annotations

from pathlib import Path

from app.demo.script import ETHICS, LANGUAGES
from app.demo.steps import DemoAccount, create_batches, generate_sample
from app.session import open_session
from corpus.hashing import sha256_text
from corpus.records import Origin
from corpus.workspace import init_workspace


def test_demo_raters_agree_once_and_say_that_they_are_made_up(tmp_path: Path) -> None:
    workspace = init_workspace(tmp_path / "demo").path
    accounts = {
        rater: DemoAccount(rater, f"{rater}@demo.example", "a-password")
        for language in LANGUAGES
        for rater in language.raters
    }
    with open_session(workspace, "demo-curator") as session:
        generate_sample(session)
        batches = create_batches(session, accounts)
        with session.store.reading() as state:
            position = state.position
        assert create_batches(session, accounts) == batches
        with session.store.reading() as state:
            assert state.position == position
            consents, ethics = state.consents(), state.ethics()
    assert ethics is not None
    assert "demonstration" in ethics.body
    assert set(consents) == set(accounts)
    for each in consents.values():
        assert (each.publish, each.text_sha256) == (True, sha256_text(ETHICS.consent_text))
        assert each.stamp is not None
        assert each.stamp.origin is Origin.DEMO
