"""The parity probe: which way of computing gives what the plain model gives, text by text.

A few texts of what is to be scored go through the plain model one at a time. The fastest way whose
log-probabilities are the same is taken; a model that cannot be given a tree, or does to its logits
what its settings do not say, falls back by itself.

In half precision the same text gives other numbers in another batch, so "the same" means there: as
close to the plain model as the plain model is to itself in float32.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.likelihood.paths import ScoringPath, Values

TOLERANCE_NATS = 1e-4
"""Largest deviation of a token's log-probability in float32."""
HALF_SPARE_NATS = 1e-3
LOOKAHEAD_NATS = 1e-2
"""Deviation of a text's mean from which on a model sees later tokens; far beyond rounding."""
LOOKAHEAD_TEXTS = 4
LOOKAHEAD_HALF = 4
"""What half precision costs, times this, is rounding, too."""
PROBED_PAIRS = 2
HALF_PROBED_PAIRS = 8
LONGEST_CELLS = 1 << 23
"""Tokens × vocabulary of the longest text that is probed for its length (32 MiB)."""

logger = logging.getLogger(__name__)

TokenLists = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Parity:
    """The way that was chosen and how far it is from the plain model."""

    path: ScoringPath
    error_nats: float
    """Largest deviation: of a token in float32, of a text's mean in half precision."""


@dataclass(frozen=True, slots=True)
class HalfPrecision:
    """What half precision costs, on the probed pairs of texts."""

    error_nats: float
    """Largest deviation of a text's mean log-probability from float32, plain model."""
    r_error: float
    """Largest deviation of r_masc from float32, in [0, 1]."""

    def as_record(self) -> dict[str, float]:
        """The same as a run's record names it."""
        return {"half_precision_error_nats": self.error_nats, "r_error": self.r_error}

    def worse(self, other: HalfPrecision) -> HalfPrecision:
        """The larger one of each deviation."""
        return HalfPrecision(
            max(self.error_nats, other.error_nats), max(self.r_error, other.r_error)
        )


UNMEASURED_HALF = HalfPrecision(0.05, math.inf)
"""What half precision is taken to cost where float32 cannot be asked; never stored."""


def choose_probe(
    token_lists: TokenLists, pairs: int, most_tokens: float = math.inf
) -> list[Sequence[int]]:
    """Pairs of neighbours from the beginning, the middle and the end, and the longest one.

    What a model does only to long texts, to a window or to positions, shows in the longest one.

    Args:
        token_lists: A text's two variants stand side by side.
        pairs: Number of pairs, or of single texts where there is no pair of scorable ones.
        most_tokens: Of the longest pair: the plain model holds logits of a whole text at once,
            which at a large vocabulary is most of the memory that scoring takes.
    """
    sides = zip(token_lists[::2], token_lists[1::2], strict=False)
    whole = [pair for pair in sides if min(map(len, pair)) >= 2]
    if not whole:
        return [tokens for tokens in token_lists if len(tokens) >= 2][:pairs]
    last = len(whole) - 1
    places = [round(k * last / max(1, pairs - 1)) for k in range(pairs)]
    sizes = [max(map(len, pair)) for pair in whole]
    fitting = [k for k in range(len(whole)) if sizes[k] <= most_tokens]
    longest = max(fitting, key=sizes.__getitem__, default=places[-1])
    if longest not in places:
        places[-1] = longest
    return [tokens for place in sorted(set(places)) for tokens in whole[place]]


def looks_ahead(
    plain: Sequence[Values],
    probe: TokenLists,
    score: Callable[[TokenLists], Sequence[Values]],
    half: HalfPrecision | None = None,
) -> bool | None:
    """Whether the plain model's log-probabilities change with tokens that come later.

    Encoders that transformers also loads as causal models do so, and permutation models. None if
    every text is too short to tell.

    Args:
        plain: What the plain model gives.
        probe: Token lists of the probed texts.
        score: The plain model.
        half: For a model in half precision, what that costs.
    """
    able = [k for k, tokens in enumerate(probe) if len(tokens) >= 3]
    if not able:
        return None
    # The shortest: what long texts do to positions is none of this.
    chosen = sorted(able, key=lambda k: len(probe[k]))[:LOOKAHEAD_TEXTS]
    cut = score([probe[k][:-1] for k in chosen])
    limit = LOOKAHEAD_NATS + (LOOKAHEAD_HALF * half.error_nats if half else 0.0)
    # What is not a number is told of where the text is named.
    return compare_means(cut, [plain[k][:-1] for k in chosen]) > limit


def choose_path(
    paths: Sequence[ScoringPath],
    plain: Sequence[Values],
    probe: TokenLists,
    half: HalfPrecision | None = None,
) -> Parity:
    """The first path that is as good as the plain model; the last one needs no proof.

    Args:
        paths: The fastest first; the last one is the plain model itself.
        plain: What the plain model gives.
        probe: Token lists of the probed texts.
        half: For a model in half precision, what that costs.
    """
    limit = TOLERANCE_NATS if half is None else 2 * half.error_nats + HALF_SPARE_NATS
    compare = compare_tokens if half is None else compare_means
    for path in paths[:-1]:
        try:
            error = compare(path.score(probe), plain)
        except Exception as failure:
            # Models of others fail in their own ways; what they cannot take they are not given.
            logger.info("Not computed as %s: %s", path.name, failure)
            continue
        # A deviation that is not a number is not within the limit either.
        if error <= limit:
            return Parity(path, error)
        logger.info("Not computed as %s: log P deviates by %.3g", path.name, error)
    return Parity(paths[-1], 0.0)


def measure_half_precision(
    half: Sequence[Values], full: Callable[[], Sequence[Values]]
) -> HalfPrecision:
    """How far half precision is from float32 on pairs of texts that stand side by side."""
    exact = full()
    means = [_mean(values) for values in half]
    exact_means = [_mean(values) for values in exact]
    rates = [
        abs(_share(means[k] - means[k + 1]) - _share(exact_means[k] - exact_means[k + 1]))
        for k in range(0, len(means) - 1, 2)
    ]
    return HalfPrecision(compare_means(half, exact), max(rates, default=0.0))


def compare_tokens(one: Sequence[Values], other: Sequence[Values]) -> float:
    """Largest deviation of a token; NaN if any value is none."""
    gaps = [abs(a - b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)]
    return math.nan if any(map(math.isnan, gaps)) else max(gaps, default=0.0)


def compare_means(one: Sequence[Values], other: Sequence[Values]) -> float:
    """Largest deviation of a text's mean; NaN if any value is none."""
    gaps = [abs(_mean(x) - _mean(y)) for x, y in zip(one, other, strict=True)]
    return math.nan if any(map(math.isnan, gaps)) else max(gaps, default=0.0)


def _mean(values: Values) -> float:
    return math.fsum(values) / len(values)


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
