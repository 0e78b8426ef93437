"""Releases: what was built, what each holds, and whether its files are still what they were."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from app.elements import build_table, choose, show_empty, show_figure_table, show_table
from app.study import Study, open_study
from app.views import words
from app.views.figure_table import build_figure_table
from app.views.release_contents import (
    ChecksumRow,
    FileStamps,
    StereotypeRow,
    build_archive,
    build_checksum_rows,
    build_diff_rows,
    build_diff_summaries,
    build_stereotype_rows,
    read_agreement,
    stamp_files,
)
from app.views.releases import ReleaseView, check_release, load_releases, name_release
from app.views.repairs import MEANING, build_repaired_row
from corpus.errors import ReleaseError, StereoscopeError
from corpus.release import Release, open_release, parse_version
from corpus.release_schema import Validation
from corpus.repaired import LEAST_JUDGED, LEAST_RIGHT
from exports.diff import LanguageDiff, diff_releases, read_content
from exports.versions import find_step

NOTHING = "nothing"
RELEASES_KEPT, LANGUAGES_KEPT = 8, 64
NO_RELEASE = (
    "No release yet. Approve a language on page Approval, then run "
    "`stereoscope release build 0.1.0`."
)


# A release never changes: its files are read again only once one of them was written. The button
# that verifies them reads them always.
@st.cache_resource(show_spinner=False, max_entries=RELEASES_KEPT)
def _open_release(folder: str, files: FileStamps) -> Release:
    return open_release(Path(folder))


@st.cache_resource(show_spinner=False, max_entries=RELEASES_KEPT)
def _checksum_rows(folder: str, files: FileStamps) -> list[ChecksumRow]:
    return build_checksum_rows(Path(folder))


@st.cache_resource(show_spinner=False, max_entries=LANGUAGES_KEPT)
def _stereotype_rows(folder: str, files: FileStamps, code: str) -> list[StereotypeRow]:
    return build_stereotype_rows(_open_release(folder, files), code)


@st.cache_resource(show_spinner=False, max_entries=RELEASES_KEPT)
def _diff(
    before: str, after: str, before_files: FileStamps, after_files: FileStamps
) -> tuple[LanguageDiff, ...]:
    old, new = _open_release(before, before_files), _open_release(after, after_files)
    return diff_releases(read_content(old), read_content(new))


def show() -> None:
    """The page."""
    study = open_study()
    views = load_releases(study.snapshot.releases, study.workspace.releases)
    if not views:
        show_empty(NO_RELEASE)
        _show_repaired(study)
        return
    show_table(pd.DataFrame([_cells(view) for view in views]), "All releases, the newest first")
    versions = {name_release(view.record): view for view in views}
    view = versions[choose("Release", "release", list(versions))]
    _show_release(view)
    if not view.problem:
        _show_language(view)
        _show_differences(view, [each for each in views if _is_comparable(each, view)])
    _show_repaired(study)


def _cells(view: ReleaseView) -> dict[str, object]:
    record = view.record
    return {
        "version": record.version,
        "instrument": str(record.instrument),
        "built (UTC)": f"{record.stamp.at:%Y-%m-%d %H:%M:%S}" if record.stamp else "",
        "languages": ", ".join(record.languages),
        "rows": sum(each.rows for each in view.languages) if not view.problem else None,
        "frozen at": record.frozen_position,
        "sha256 of SHA256SUMS": record.sums_sha256,
        "demo": "demo" if view.demo else "",
    }


def _show_release(view: ReleaseView) -> None:
    if view.demo:
        st.warning("DEMO: this release holds demonstration data.", icon=":material/science:")
    if view.problem:
        st.error("The folder of this release cannot be read.", icon=":material/error:")
        st.text(view.problem)
        return
    if view.unvalidated:
        named = ", ".join(map(words.describe_language, view.unvalidated))
        st.warning("NOT VALIDATED: nobody approved some languages.", icon=":material/warning:")
        st.text(named)
    st.subheader("Contents")
    names = ", ".join(words.describe_language(code) for code in view.record.languages)
    show_table(
        build_table(view.languages).rename(
            columns={
                "seen": "seen by a human",
                "error": "label error (95 %)",
                "repaired": "of both repaired",
            }
        ),
        f"Counts of release {view.record.version}: {names}",
    )
    if st.button("Verify the files", help="Checks every file against its checksum."):
        _show_verification(view)
    st.download_button(
        "Download the release (one zip file)",
        # Packed when it is asked for.
        lambda: build_archive(view.folder),
        file_name=f"release-{view.record.version}.zip",
        mime="application/zip",
        on_click="ignore",
    )
    with st.expander(f"{len(view.files)} files, with their checksums"):
        st.text(str(view.folder))
        show_table(
            build_table(_checksum_rows(str(view.folder), stamp_files(view.folder))),
            "Files of the release with sizes and sha256",
        )


def _show_language(view: ReleaseView) -> None:
    st.subheader("One language")
    code = choose("Language", "language", list(view.record.languages), words.describe_language)
    try:
        validation, figures = read_agreement(view.folder, code)
        rows = _stereotype_rows(str(view.folder), stamp_files(view.folder), code)
    except (StereoscopeError, OSError, ValueError, KeyError) as error:
        st.error("This release is not as it was built; verify its files.", icon=":material/error:")
        st.text(str(error))
        return
    st.markdown("##### Agreement at approval")
    if figures:
        show_figure_table(
            build_figure_table(figures, leave_out=("language",)),
            f"Figures that {code} was approved on",
            f"agreement-{view.record.version}-{code}.csv",
        )
    elif validation is Validation.SOURCE:
        st.text("The sources as they were written: nothing is translated, nothing needs approval.")
    else:
        st.text("No approval stands behind these rows.")
    if rows:
        st.markdown("##### Coverage by stereotype")
        show_table(build_table(rows), f"Rows of {code} by stereotype and label")


def _is_comparable(other: ReleaseView, view: ReleaseView) -> bool:
    same = other.record.instrument == view.record.instrument
    return same and other is not view and not other.problem


def _show_differences(view: ReleaseView, others: list[ReleaseView]) -> None:
    st.subheader("Differences")
    if not others:
        show_empty("There is no other release of this instrument to compare with.")
        return
    named = {each.record.version: each for each in others}
    chosen = choose("Compare with", "compare", [NOTHING, *named])
    if chosen == NOTHING:
        return
    old, new = sorted((named[chosen], view), key=lambda each: parse_version(each.record.version))
    try:
        stamps = (stamp_files(each.folder) for each in (old, new))
        diffs = _diff(str(old.folder), str(new.folder), *stamps)
    except ReleaseError as error:
        st.error("These releases cannot be compared.", icon=":material/error:")
        st.text(str(error))
        return
    title = f"from {old.record.version} to {new.record.version}"
    show_table(build_table(build_diff_summaries(diffs)), f"Differences {title} by language")
    step, reasons = find_step(diffs)
    st.text(f"A {step.name} step {title}." + "".join(f"\n- {each}" for each in reasons))
    rows = build_diff_rows(diffs)
    if rows:
        show_table(build_table(rows), f"Every value that differs {title}")


def _show_repaired(study: Study) -> None:
    """Whether the next release may hold the repaired candidates of each language with any."""
    rows = [build_repaired_row(study.standing(code)) for code in study.languages]
    if not any(rows):
        return
    st.subheader("Repaired candidates now")
    st.text(
        f"{MEANING[0].upper()}{MEANING[1:]}. They enter a release once people have judged at least "
        f"{LEAST_JUDGED} built texts of the language and the lower bound of the share found right "
        f"(Wilson, 95 %) is at least {100 * LEAST_RIGHT:.0f} %. Demo raters are no people."
    )
    table = build_table([row for row in rows if row])
    wide = {"in the next release": st.column_config.TextColumn(width="large")}
    show_table(table, "Repaired candidates by language: released or why not, and counts", **wide)


def _show_verification(view: ReleaseView) -> None:
    problems = check_release(view)
    if not problems:
        st.success("✓ Every file is as it was built.")
        return
    st.error("✗ This release is not as it was built.", icon=":material/error:")
    st.text("\n".join(problems))


show()
