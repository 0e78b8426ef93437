"""The signature of a number: the full list of what made it, as one line.

Two numbers may be compared as they stand only if their signatures differ in nothing but what is
compared.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from corpus.stereotypes import Inventory
from scoring.half_precision import describe_r_error
from scoring.protocols import ScoringProtocol
from scoring.shards import ShardKey
from scoring.uncertainty import Resampling

HASH_DIGITS = 12
ALL_ITEMS = "all"


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that made a number."""

    release: str
    """Version of the release."""
    data_hash: str
    items: str
    """`all`, or version and hash of the older release whose items alone are scored."""
    model: str
    revision: str
    dtype: str
    tokenizer: str
    """Hash of the tokenizer."""
    bos: str
    """BOS policy."""
    likelihood: str
    """`causal`, `pseudo`, `pseudo-within-word` or `masked-difference`."""
    language: str
    protocol: str
    condition: str
    """`pair`, `noun`, `pronoun` or `pooled`."""
    templates: str
    """Hash over the language's templates."""
    inventory: str
    r_error: str
    """Error of r that half precision brings: `none` in float32, `unknown` if not measured."""
    seed: str
    """Seed and draws of the intervals, `none` without intervals."""
    version: str
    """Version of the product."""

    def __str__(self) -> str:
        """`name:value` joined by `|`; hashes in full, so that the line identifies the number."""
        return "|".join(f"{field.name}:{getattr(self, field.name)}" for field in fields(self))

    @property
    def short(self) -> str:
        """The line with long hashes cut, for showing beside a figure."""
        return "|".join(
            f"{field.name}:{_shorten(getattr(self, field.name))}" for field in fields(self)
        )


def build_signature(
    key: ShardKey,
    *,
    release: str,
    items: str = ALL_ITEMS,
    protocol: ScoringProtocol,
    condition: str,
    inventory: Inventory,
    resampling: Resampling | None = None,
    r_error: float | None = None,
) -> Signature:
    """The signature of the numbers computed from the shard with this key."""
    return Signature(
        release=release,
        data_hash=key.data_hash,
        items=items,
        model=key.model_id,
        revision=key.revision,
        dtype=key.dtype,
        tokenizer=key.tokenizer_hash,
        bos=key.bos_policy,
        likelihood=key.likelihood,
        language=key.language,
        protocol=protocol.name,
        condition=condition,
        templates=key.templates_hash,
        inventory=f"{inventory.name}-{inventory.content_hash[:HASH_DIGITS]}",
        r_error=describe_r_error(r_error),
        seed=f"{resampling.seed}x{resampling.draws}" if resampling else "none",
        version=key.product_version,
    )


def _shorten(value: str) -> str:
    """A hash cut to its first digits, anything else unchanged."""
    prefix, colon, digits = value.rpartition(":")
    is_hash = len(digits) >= 40 and all(digit in "0123456789abcdef" for digit in digits)
    return f"{prefix}{colon}{digits[:HASH_DIGITS]}" if is_hash else value
