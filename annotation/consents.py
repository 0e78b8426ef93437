"""What raters agreed to, what they said of themselves, and the study's ethics approval.

The text that raters consent to belongs to the study and is stored with its ethics approval; each
consent holds the hash of the text that was shown. Consent is never assumed: without a recorded yes
a rater's ratings count in every figure and are not published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from annotation.raters import find_rater
from corpus.errors import Fault, InputError, StateError
from corpus.hashing import nfc, sha256_text, unstorable
from corpus.people import Consent, Ethics
from corpus.records import AuditEntry, Origin
from corpus.store import Store

FACT_LENGTH = 100
"""Characters of a key or value of what a rater says of herself: categories, not stories."""


def record_ethics(store: Store, ethics: Ethics, actor: str, origin: Origin = Origin.HUMAN) -> bool:
    """Stores the study's ethics approval and consent text; False if they are stored already.

    Raises:
        InputError: if committee, number or text is empty.
    """
    values = {"body": ethics.body, "number": ethics.number, "consent text": ethics.consent_text}
    empty = [name for name, value in values.items() if not value.strip()]
    if empty:
        remedy = "Write `exempt` where a committee decided that none is needed"
        raise InputError([Fault("ethics", None, name, "it is empty", remedy) for name in empty])
    given = Ethics(
        nfc(ethics.body.strip()), nfc(ethics.number.strip()), nfc(ethics.consent_text.strip())
    )
    with store.writing(origin) as writer:
        known = writer.ethics()
        if known is not None and replace(known, stamp=None) == given:
            return False
        writer.append([given])
        writer.append_audit(
            AuditEntry(
                actor,
                "raters ethics",
                "study",
                after={
                    "body": given.body,
                    "number": given.number,
                    "consent_text_sha256": sha256_text(given.consent_text),
                },
            )
        )
    return True


def record_consent(
    store: Store, rater_id: str, publish: bool, actor: str, origin: Origin = Origin.HUMAN
) -> bool:
    """Stores that a rater agreed, or did not agree, to publishing; False if that is stored already.

    A refusal can be recorded of a rater who was erased: her ratings are still hers to withhold.

    Raises:
        StateError: if there is no such rater or no consent text.
    """
    with store.writing(origin) as writer:
        if publish or all(person.id != rater_id for person in writer.people()):
            find_rater(writer, rater_id)
        ethics = writer.ethics()
        if ethics is None:
            raise StateError(
                "The study has no consent text yet; record what raters are shown with `stereoscope "
                "raters ethics --body NAME --number NUMBER --consent-file FILE`."
            )
        given = Consent(rater_id, publish, sha256_text(ethics.consent_text), actor)
        known = writer.consents().get(rater_id)
        if known is not None and (known.publish, known.text_sha256) == (
            given.publish,
            given.text_sha256,
        ):
            return False
        writer.append([given])
        writer.append_audit(
            AuditEntry(
                actor,
                "raters consent",
                rater_id,
                before={"publish": known.publish if known else None},
                after={"publish": publish},
            )
        )
    return True


def describe_rater(store: Store, rater_id: str, facts: Mapping[str, str], actor: str) -> None:
    """Stores what a rater chose to say of herself; an empty value takes a fact back.

    The audit trail names the keys only, so that erasing her erases the values.

    Raises:
        StateError: if there is no such rater or she was erased.
        InputError: with every key or value that is empty, too long or not text.
    """
    faults = [
        fault for key, value in facts.items() if (fault := _find_fault(key, value)) is not None
    ]
    if faults:
        raise InputError(faults)
    with store.writing(Origin.HUMAN) as writer:
        person = find_rater(writer, rater_id)
        given = {nfc(key.strip().lower()): nfc(value.strip()) for key, value in facts.items()}
        after = {key: value for key, value in {**person.demographics, **given}.items() if value}
        if after == dict(person.demographics):
            return
        writer.append([replace(person, demographics=after, stamp=None)])
        writer.append_audit(
            AuditEntry(actor, "raters describe", rater_id, after={"keys": sorted(given)})
        )


def _find_fault(key: str, value: str) -> Fault | None:
    remedy = "Write KEY=VALUE with a category, for instance `age band=30-39`"
    if not key.strip():
        return Fault("facts", None, key, "the key is empty", remedy)
    for text in (key, value):
        if len(text) > FACT_LENGTH:
            return Fault("facts", None, key, f"over {FACT_LENGTH} characters", remedy)
        if unstorable(text) or not text.isprintable():
            return Fault("facts", None, key, "not printable text", remedy)
    return None
