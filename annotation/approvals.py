"""Approvals: a curator signs a language off, on the figures and the data of that moment."""

from __future__ import annotations

from dataclasses import replace

from annotation.assessment import AssessmentSettings, assess_language, describe_blocking
from annotation.gates import is_approvable
from corpus.errors import StaleError, StateError
from corpus.records import Approval, ApprovalAction, AuditEntry, Instrument, Origin
from corpus.review import LanguageEvent, next_state
from corpus.standing import language_standing
from corpus.store import Store


def approve_language(
    store: Store,
    instrument: Instrument,
    language: str,
    by: str,
    settings: AssessmentSettings,
    override: str | None = None,
    origin: Origin = Origin.HUMAN,
    seen_hash: str | None = None,
) -> Approval:
    """Approves a language on the figures computed now, in the transaction that stores them.

    Args:
        store: where the approval is stored.
        instrument: whose candidates are approved.
        language: code of the language.
        by: who approves.
        settings: thresholds, seed and draws of the figures.
        override: written reason for approving against a gate.
        origin: who or what the approval comes from.
        seen_hash: data hash of what the curator looked at; None takes the present data.

    Raises:
        StaleError: if the data are not those of `seen_hash` any more.
        StateError: if the language is not in review, or a gate blocks and no written override is
            given, or an override is given though nothing needs one.
    """
    with store.writing(origin) as writer:
        standing = language_standing(writer, instrument, language)
        if seen_hash is not None and seen_hash != standing.data_hash:
            raise StaleError(
                f"The data of language {language} changed while you looked at it; look at the "
                "figures again, then approve."
            )
        next_state(standing.review.state, LanguageEvent.APPROVE, language)
        assessment = assess_language(standing, settings)
        blocking = describe_blocking(assessment.gates, instrument)
        if not is_approvable(assessment.gates):
            if not (override or "").strip():
                raise StateError(
                    f"Language {language} cannot be approved: {blocking}. Resolve it, or approve "
                    "against the gate with a written reason (--override)."
                )
        elif override is not None:
            raise StateError(f"Every gate of {language} is passed; nothing to override.")
        approval = Approval(
            instrument=instrument,
            language=language,
            action=ApprovalAction.APPROVE,
            data_hash=standing.data_hash,
            figures=tuple(figure.as_json() for figure in assessment.figures),
            gates=tuple(gate.as_json() for gate in assessment.gates),
            by=by,
            override=override,
        )
        [stored] = writer.append([approval])
        after = {"data_hash": standing.data_hash, "override": override, "blocking": blocking}
        writer.append_audit(AuditEntry(by, "approve", f"{instrument}/{language}", after=after))
        return stored


def revoke_approval(
    store: Store,
    instrument: Instrument,
    language: str,
    by: str,
    reason: str,
    origin: Origin = Origin.HUMAN,
) -> Approval:
    """Withdraws the approval of a language.

    Raises:
        StateError: if it is not approved, or no reason is given.
    """
    if not reason.strip():
        raise StateError("Revoking an approval needs a written reason.")
    with store.writing(origin) as writer:
        standing = language_standing(writer, instrument, language)
        given = standing.review.approval
        if given is None:
            raise StateError(f"Language {language} is not approved.")
        revoked = replace(given, action=ApprovalAction.REVOKE, by=by, override=None, stamp=None)
        [stored] = writer.append([revoked])
        entry = AuditEntry(by, "revoke", f"{instrument}/{language}", after={"reason": reason})
        writer.append_audit(entry)
        return stored
