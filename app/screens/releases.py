"""Releases: what was built, what each holds, and whether its files are still what they were."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.elements import build_table, choose, show_empty, show_table
from app.study import Study, open_study
from app.views import words
from app.views.releases import ReleaseView, check_release, load_releases
from app.views.repairs import MEANING, build_repaired_row
from corpus.repaired import LEAST_JUDGED, LEAST_RIGHT

NO_RELEASE = (
    "No release yet. Approve a language on page Overview, then run "
    "`stereoscope release build 0.1.0`."
)


def show() -> None:
    """The page."""
    study = open_study()
    views = load_releases(study.snapshot.releases, study.workspace.releases)
    if not views:
        show_empty(NO_RELEASE)
        _show_repaired(study)
        return
    show_table(pd.DataFrame([_cells(view) for view in views]), "All releases, the newest first")
    versions = {view.record.version: view for view in views}
    _show_release(versions[choose("Release", "release", list(versions))])
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
    with st.expander(f"{len(view.files)} files"):
        st.text(str(view.folder))
        show_table(
            pd.DataFrame(view.files, columns=["file", "bytes"]), "Files of the release with sizes"
        )


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
