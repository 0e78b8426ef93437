"""What is to be scored: the request, and the items of each language with their shards' keys."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.errors import Fault, InputError
from corpus.languages import Edition
from corpus.languages import languages as find_languages
from corpus.release import Release
from corpus.release_schema import ReleaseRow
from corpus.stereotypes import Inventory
from corpus.templates import take_chosen
from engines.likelihood.protocol import Identified
from scoring.older_items import OlderItems, select_older_items
from scoring.protocols import ScoringProtocol
from scoring.shards import ShardKey, shard_key
from scoring.signature import ALL_ITEMS
from scoring.variants import ScoredItem, VariantPlan, build_variants


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """Which texts of a release are scored; protocols that need the same texts share shards."""

    edition: Edition = Edition.CHOSEN
    items_of: Release | None = None
    """An older release whose items alone are scored; None for all."""
    terminated: bool = False
    """Whether every item is scored with an ending, too."""


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What is to be scored and how figures are computed from it."""

    release: Release
    languages: tuple[str, ...]
    protocols: tuple[ScoringProtocol, ...]
    inventory: Inventory
    seed: int
    draws: int
    """Bootstrap draws of every interval."""
    edition: Edition = Edition.CHOSEN
    items_of: Release | None = None
    """An older release whose items alone are scored; None for all."""
    demonstration: bool = False
    """The model or the data are made up: figures show how the product works and nothing else."""

    @property
    def texts(self) -> ItemChoice:
        """Which texts the protocols need."""
        terminated = any(protocol.terminated for protocol in self.protocols)
        return ItemChoice(self.edition, self.items_of, terminated)


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The items of some languages of a release."""

    release: Release
    languages: tuple[str, ...]
    variants: VariantPlan
    older: OlderItems | None

    @property
    def mark(self) -> str:
        """What a signature says of the choice of items."""
        return self.older.mark if self.older else ALL_ITEMS

    def items_of(self, language: str) -> tuple[ScoredItem, ...]:
        """The items of one language, in the order of the release."""
        return self.variants.items_of(language)

    def key_of(self, engine: Identified, language: str) -> ShardKey:
        """The key of the shard that an engine makes of one language."""
        return shard_key(
            engine,
            language,
            self.items_of(language),
            templates_hash=self.variants.templates_hash[language],
            data_hash=self.release.sums_sha256,
        )


def plan_items(release: Release, languages: tuple[str, ...], texts: ItemChoice) -> ItemPlan:
    """The items of these languages.

    Raises:
        ReleaseError: if the release has no such language, or no templates of it.
        InputError: if a row cannot be scored.
    """
    older = select_older_items(release, texts.items_of, languages) if texts.items_of else None
    rows: tuple[ReleaseRow, ...]
    rows = older.rows if older else tuple(row for code in languages for row in release.rows(code))
    framing = texts.items_of or release
    known = [
        take_chosen(language, framing.templates(language.code))
        for language in find_languages(languages)
    ]
    variants = build_variants(rows, known, texts.edition, terminated=texts.terminated)
    return ItemPlan(release, languages, variants, older)


def refuse_unknown_stereotypes(plan: ItemPlan, inventory: Inventory) -> None:
    """Returns nothing if the inventory has the stereotype of every item.

    Raises:
        InputError: naming each stereotype id that it lacks.
    """
    found = {item.stereotype_id for item in plan.variants.items}
    faults = [
        Fault(
            f"release {plan.release.version}",
            None,
            "stereotype_id",
            f"stereotype {unknown} is not in the inventory {inventory.name}",
            "score with the inventory that the release was made with",
        )
        for unknown in sorted(found - set(inventory.ids))
    ]
    if faults:
        raise InputError(faults)


def missing_stereotypes(plan: ItemPlan, inventory: Inventory) -> dict[str, list[int]]:
    """Language → stereotypes of the inventory that it has no item of; languages with all left out.

    Their figures, and those that need all stereotypes, are null with a reason.
    """
    missing = {
        code: sorted(set(inventory.ids) - {item.stereotype_id for item in plan.items_of(code)})
        for code in plan.languages
    }
    return {code: ids for code, ids in missing.items() if ids}
