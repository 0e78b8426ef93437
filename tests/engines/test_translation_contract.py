"""Every engine keeps the same promises, whatever its transport or file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_servers import ChatScript, chat_server
from google_servers import CLIENTS, Script
from tiny_translators import build_whole_texts
from translation_contract import TRANSLATIONS, TranslationContract

from engines.chat import ChatEngine, ChatSettings
from engines.google import GoogleEngine, GoogleSettings
from engines.recorded import RecordedEngine, load_recorded
from engines.seq2seq import Seq2SeqEngine, Seq2SeqSettings, open_seq2seq_engine
from engines.translation_files import TranslationRow, build_translation_file


@pytest.fixture(scope="module", params=["csv", "tmx"])
def recorded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RecordedEngine:
    folder = tmp_path_factory.mktemp("recorded")
    paths: list[Path] = []
    for language in ("sk", "tr"):
        paths.append(folder / f"demo_{language}.{request.param}")
        rows = [
            TranslationRow(str(paths[-1]), row, code, source, text)
            for row, ((source, code), text) in enumerate(TRANSLATIONS.items())
            if code == language
        ]
        paths[-1].write_bytes(build_translation_file(rows, paths[-1]))
    return load_recorded(paths)


@pytest.fixture(scope="module", params=sorted(CLIENTS))
def google(request: pytest.FixtureRequest) -> Iterator[GoogleEngine]:
    script = Script(translations=TRANSLATIONS)
    with CLIENTS[request.param](script) as client:
        small = GoogleSettings(project="p", strings_per_request=2)
        yield GoogleEngine(small, client, script.wait)


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatEngine]:
    script = ChatScript(translations=TRANSLATIONS)
    with chat_server(script) as url:
        settings = ChatSettings(url, "made-model", texts_per_request=2)
        yield ChatEngine(settings, None, script.waits_s.append)


@pytest.fixture(scope="module")
def transformers(tmp_path_factory: pytest.TempPathFactory) -> Seq2SeqEngine:
    folder = build_whole_texts(tmp_path_factory.mktemp("seq2seq") / "made", TRANSLATIONS)
    settings = Seq2SeqSettings(str(folder), device="cpu", beams=1, texts_per_batch=3, new_tokens=8)
    return open_seq2seq_engine(settings)


class TestRecorded(TranslationContract):
    @pytest.fixture
    def engine(self, recorded: RecordedEngine) -> RecordedEngine:
        return recorded


class TestGoogle(TranslationContract):
    @pytest.fixture
    def engine(self, google: GoogleEngine) -> GoogleEngine:
        return google


class TestChat(TranslationContract):
    @pytest.fixture
    def engine(self, chat: ChatEngine) -> ChatEngine:
        return chat


class TestTransformers(TranslationContract):
    @pytest.fixture
    def engine(self, transformers: Seq2SeqEngine) -> Seq2SeqEngine:
        return transformers
