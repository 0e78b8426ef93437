from __future__ import annotations

from pathlib import Path

import pytest

from corpus.errors import SettingsError, WorkspaceError
from corpus.workspace import find_workspace, init_workspace


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STEREOSCOPE_WORKSPACE", "STEREOSCOPE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")


def test_a_new_workspace_has_settings_and_a_database_and_repeating_changes_nothing(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "deep" / 'a "study" of ž'
    made = init_workspace(folder)
    assert made.settings.name == 'a "study" of ž'
    assert (folder / "stereoscope.sqlite").is_file()
    file = folder / "stereoscope.toml"
    file.write_text(file.read_text() + "seed = 3\n")
    again = init_workspace(folder, name="another name")
    assert (again.settings.name, again.settings.seed) == ('a "study" of ž', 3)
    assert (made.releases, made.results) == (folder / "releases", folder / "results")
    store = again.open_store()
    with store.reading() as state:
        assert state.position == 0
    store.close()


def test_the_workspace_given_wins_over_the_environment_and_that_over_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, named, nearest = (
        init_workspace(tmp_path / name).path for name in ("given", "named", "nearest")
    )
    (nearest / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(nearest / "a" / "b")
    assert find_workspace().path == nearest
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(named))
    assert find_workspace().path == named
    assert find_workspace(given).path == given
    assert find_workspace(given, {"seed": 9}).settings.seed == 9


def test_without_a_workspace_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"No workspace: .* `stereoscope init FOLDER`"):
        find_workspace()
    with pytest.raises(WorkspaceError, match=r"elsewhere is no workspace: .* `stereoscope init "):
        find_workspace(tmp_path / "elsewhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be made a workspace"):
        init_workspace(tmp_path / "file")


def test_a_database_that_is_not_ours_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = init_workspace(tmp_path / "study").path
    for url, message in (
        ("mysql://me:s3cret@db/x", "must be SQLite or PostgreSQL, not mysql"),
        ("not a url s3cret", "cannot be read"),
    ):
        monkeypatch.setenv("STEREOSCOPE_DATABASE_URL", url)
        with pytest.raises(SettingsError, match=message) as refused:
            find_workspace(folder).open_store()
        assert "s3cret" not in str(refused.value)
    monkeypatch.setenv("STEREOSCOPE_DATABASE_URL", "postgresql://me:s3cret@127.0.0.1:9/x")
    with pytest.raises(WorkspaceError, match="cannot be opened") as refused_too:
        find_workspace(folder).open_store()
    assert "s3cret" not in str(refused_too.value)


def test_a_workspace_whose_database_is_gone_says_how_to_make_one(tmp_path: Path) -> None:
    workspace = init_workspace(tmp_path / "study")
    for file in workspace.path.glob("stereoscope.sqlite*"):
        file.unlink()
    with pytest.raises(WorkspaceError, match="empty; run `stereoscope init`"):
        workspace.open_store()
