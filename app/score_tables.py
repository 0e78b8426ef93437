"""What `score` prints of the models it scored."""

from __future__ import annotations

from app.output import describe_figure, print_table, say
from engines.likelihood.loaded_engine import UNKNOWN_SHARE
from scoring.protocols import POOLED
from scoring.results import ScoreResult
from scoring.scores import ModelScores

DEMONSTRATION = "A demonstration, not a finding: the model or the data are made up."


def print_scores(result: ScoreResult) -> None:
    """g_s by language, protocol and condition; the rest is in the result's folder."""
    rows = []
    for figure in result.figures:
        scope = dict(figure.scope)
        if figure.name == "g_s":
            rows.append(
                (
                    scope["language"],
                    scope["protocol"],
                    scope["condition"],
                    describe_figure(figure),
                    figure.n,
                )
            )
    manifest = result.manifest
    title = f"g_s of {manifest['model']} on release {manifest['release']}"
    print_table(title, ("language", "protocol", "condition", "g_s [interval]", "n"), rows)
    for code, eyes in manifest["human_eyes"].items():
        say(f"{code}: {eyes}.")
    for code, number in manifest["items_missing"].items():
        say(f"{code}: {number} items of the older release were changed or removed since.")
    for code, ids in manifest["stereotypes_missing"].items():
        say(f"{code}: no sentence of stereotype {', '.join(map(str, ids))}.")
    for code, record in manifest["computed"].items():
        if share := record.get(UNKNOWN_SHARE):
            say(
                f"{code}: {100 * share:.3g} % of the tokens stand for letters or words that the "
                "model's tokenizer lacks: figures say little of such sentences."
            )
    if manifest["unvalidated"]:
        say(f"NOT VALIDATED: nobody approved {', '.join(manifest['unvalidated'])}.")
    if manifest["demonstration"]:
        say(DEMONSTRATION)
    say(f"1 is the line of no stereotype; `{POOLED}` takes each sentence once. {result.folder}")


def say_gaps(scores: ModelScores) -> None:
    """Every language of a model that has no figures, and why."""
    name = scores.model.identity.model_id
    for code, reason in scores.gaps.items():
        say(f"GAP {name}, {code}: {reason}")
    if scores.result is None:
        say(f"GAP {name}: no language could be scored; nothing was stored of it.")
