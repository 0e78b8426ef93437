"""Settings: command line over environment over `stereoscope.toml` over defaults, in one object.

Built once at the entry point and handed down. Secrets come from the environment only; one in the
file is refused, and nothing that shows settings ever shows a secret.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as UnreadableValueError

from corpus.errors import SettingsError
from corpus.members import Members
from corpus.publication import Publication

FILE_NAME = "stereoscope.toml"
PREFIX = "STEREOSCOPE_"
SECRETS = frozenset(
    {
        "label_studio_token",
        "chat_api_key",
        "paraphrase_api_key",
        "webhook_secret",
        "oidc_client_secret",
        "oidc_cookie_secret",
    }
)
"""Settings taken from the environment only."""


class Settings(BaseSettings):
    """All settings of the product; the file's keys are the fields' names."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="forbid", frozen=True, use_attribute_docstrings=True
    )

    name: str = "study"
    """Name of the study, shown in the app and in releases."""
    database_url: str = ""
    """`postgresql://…`, or empty for SQLite in the workspace folder."""
    seed: int = Field(default=20251, ge=0, le=2**31 - 1)
    """Seed of everything that is drawn: samples, orders, intervals."""

    inventory: str = "gest"
    """Stereotypes of the sources: `gest`, or a TOML file, its path taken from the workspace."""

    engine: str = "recorded"
    """Translation engine: `recorded`, `google`, `transformers` or `chat`."""
    translation_model: str = ""
    """Model of the engine: name or path for `transformers`, name for `chat` and `google`."""
    spend_limit_characters: int | None = Field(default=None, ge=0)
    """Most characters billed for all translations of the workspace; without it, no limit."""
    spend_limit_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """The same in US dollars, at the price below; needs an engine that has a price."""
    wrapper: str = "paper"
    """Form of the gender-forcing frame: `paper`, `code` or `gest`."""
    strategy: str = "extended"
    """Pairing strategy: `extended`, `strict` (the paper's) or `reference` (the code's)."""
    repair: bool = False
    """Whether a missing variant is built from the other one (`extended` only). Repaired rows stay
    out of releases until people have judged enough of them."""
    google_project: str = ""
    """Google Cloud project that pays."""
    google_location: str = "global"
    """Google Cloud location; a glossary needs a region such as `us-central1`."""
    google_glossary: str = ""
    """Name of a glossary in that project and location; empty for none."""
    google_usd_per_million_characters: float = Field(default=20.0, ge=0)
    """Price that cost estimates are made with."""
    google_code_points_per_request: int = Field(default=30_000, ge=1, le=30_000)
    """Most characters sent to Google at once; its quota page names 5,000, which takes more
    requests and costs the same."""
    transformers_beams: int = Field(default=4, ge=1, le=64)
    """Beams of the engine `transformers`; 1 is greedy."""
    transformers_batch_size: int = Field(default=16, ge=1, le=4096)
    """Texts that the engine `transformers` translates at once; does not change them."""
    transformers_new_tokens: int = Field(default=256, ge=1, le=4096)
    """Longest translation; one that has not ended by then is not kept."""
    chat_url: str = ""
    """Address of a chat server's API up to its version, e.g. `http://127.0.0.1:8000/v1`."""
    chat_api_key: SecretStr = SecretStr("")
    """From STEREOSCOPE_CHAT_API_KEY only; empty for a server that needs none."""
    chat_temperature: float = Field(default=0.0, ge=0, le=2)
    """Temperature of the chat model."""
    chat_texts_per_request: int = Field(default=20, ge=1, le=200)
    """Texts that the chat model is asked for together."""
    chat_json_schema: bool = True
    """Whether the chat server is given a JSON schema; false where it knows none."""
    paraphrase_url: str = ""
    """Address of the chat server that paraphrases prompts; empty for `chat_url`."""
    paraphrase_model: str = ""
    """Model that paraphrases prompts; empty for `translation_model` where that is a chat model."""
    paraphrase_api_key: SecretStr = SecretStr("")
    """From STEREOSCOPE_PARAPHRASE_API_KEY only; empty for the key of `chat_url`, if it is the same
    server."""
    augmentation_temperature: float = Field(default=1.0, ge=0, le=2)
    """Temperature of chat models that translate and paraphrase prompts; the study's is 1."""
    embedding_model: str = ""
    """Name or folder of a sentence-transformers model that says how close prompts are in meaning;
    empty for none."""
    embedding_languages: str = ""
    """Codes of the languages it knows, with commas; empty for those that its card declares."""

    estimator: str = "none"
    """Quality estimator: `none`, `comet` or `imported` (scores of `quality import`)."""
    comet_model: str = "Unbabel/wmt20-comet-qe-da"
    """Name or path of a reference-free COMET model, or `name@revision` of imported scores. The
    default is Apache-licensed; the study's `Unbabel/wmt22-cometkiwi-da` is gated and not for
    commercial use."""
    comet_python: str = ""
    """Interpreter with COMET installed; empty for `.venv-comet` next to the product, or its own."""
    comet_batch_size: int = Field(default=8, ge=1, le=4096)
    """Translations that COMET scores at once; does not change scores beyond rounding."""
    comet_gpus: int = Field(default=0, ge=0, le=1)
    """1 for the GPU, which the COMET environment's PyTorch must know."""
    quality_threshold: float | None = Field(default=None, allow_inf_nan=False)
    """Lowest score that passes (equal passes); without it, the model's calibrated threshold."""

    label_studio_url: str = ""
    """Address of the Label Studio server."""
    label_studio_token: SecretStr = SecretStr("")
    """From STEREOSCOPE_LABEL_STUDIO_TOKEN only."""
    label_studio_public_url: str = ""
    """Address at which raters reach Label Studio; empty if it is `label_studio_url`."""
    rater_domain: str = "raters.invalid"
    """Domain of the pseudonymous addresses that raters sign in with; no mail is ever sent there."""
    webhook_secret: SecretStr = SecretStr("")
    """From STEREOSCOPE_WEBHOOK_SECRET only; empty makes one up each time `batch listen` starts."""

    batch_size: int = Field(default=100, ge=1, le=100_000)
    """Items of a batch."""
    cost_currency: str = ""
    """Currency of the rates below, e.g. `GBP`; nothing is converted."""
    cost_per_item: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """What a rater is paid for each item she answers; a rate that is not set costs nothing."""
    cost_per_word: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """The same for each word of the English sentence."""
    cost_per_hour: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """The same for each hour of work."""
    cost_fee: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Fee for each batch, whatever its size."""
    cost_fee_share: float | None = Field(default=None, ge=0, le=10, allow_inf_nan=False)
    """What comes on top of all that, as a share of it: 0.2 for a fifth."""
    seconds_per_item: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """How long an item takes, for forecasts; without it, the median of the study's own answers."""
    gate_items: int = Field(default=100, ge=1)
    """An approval needs ratings of this many items, or of all there are."""
    gate_raters: int = Field(default=2, ge=1)
    """An approval needs this many raters of nine items in ten, or as many as were planned if those
    are fewer; where one rater was planned, this and agreement are not asked for."""
    gate_mean_quality: float = Field(default=70.0, ge=0, le=100)
    """An approval needs this mean DA score."""
    gate_label_accuracy: float = Field(default=0.90, ge=0, le=1)
    """An approval needs this share of labels equal to the system's."""
    gate_pearson: float = Field(default=0.0, ge=-1, le=1)
    """An approval needs Pearson's correlation of each two raters' DA scores to lie above this with
    the lower limit of its 95 % interval."""
    gate_kappa: float = Field(default=0.6, ge=-1, le=1)
    """An approval needs this kappa of each two raters' labels."""
    gate_ac1: float = Field(default=0.8, ge=-1, le=1)
    """What it needs instead, as AC1, of two raters who give nearly all texts one label."""
    gate_label_share: float = Field(default=0.9, ge=0, le=1)
    """Nearly all: a label's share of two raters' labels above this."""
    gate_open_disagreements: int = Field(default=0, ge=0)
    """An approval allows this many disagreements that no curator has decided."""
    gate_invalid_ratings: int = Field(default=0, ge=0)
    """An approval allows this many invalid ratings that no curator has explained."""
    gate_unsettled_templates: int = Field(default=0, ge=0)
    """An approval allows this many templates whose final wording nobody has chosen."""
    score_spread: float = Field(default=33.0, ge=0, le=100)
    """DA scores of one item further apart than this disagree."""
    score_low: float = Field(default=66.0, ge=0, le=100)
    """A DA score below this is low."""
    outlier_shift: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """A rater whose mean DA is further from the others' is marked, in their standard deviations."""
    camp_gap: float = Field(default=0.2, gt=0, le=2, allow_inf_nan=False)
    """Raters are shown as two camps if they correlate by this much more within than across."""

    draws: int = Field(default=2000, ge=100, le=100_000)
    """Bootstrap draws of an interval."""
    oidc_metadata_url: str = ""
    """Address of an OpenID Connect provider's `…/.well-known/openid-configuration`; empty for an
    app without log-in, on this machine only."""
    oidc_client_id: str = ""
    """What the provider calls this app."""
    oidc_client_secret: SecretStr = SecretStr("")
    """From STEREOSCOPE_OIDC_CLIENT_SECRET only."""
    oidc_redirect_url: str = ""
    """Address of the app with `/oauth2callback` at its end, as registered with the provider; empty
    for `http://localhost:PORT/oauth2callback`."""
    oidc_cookie_secret: SecretStr = SecretStr("")
    """From STEREOSCOPE_OIDC_COOKIE_SECRET only, at least 32 characters: signs log-ins; empty makes
    one up at each start, which ends all log-ins."""
    people: Members = ()
    """Who may log in: tables `[[people]]` at the end of the file, each with a verified `address`,
    the `name` she acts under (no address) and her `role`: `reader`, `curator` or `administrator`.
    """
    anybody_reads: bool = False
    """Whether a verified address that is none of these may read; false gives it no access."""

    publication: Publication = Publication()
    """What a release says of itself that the store cannot know: a table `[publication]` at the end
    of the file with `description`, `intended_use`, `licence`, `source_licence`, `engine_terms`,
    `quality_model_licence`, `pay`, `url`, and tables `[[publication.authors]]` with `name`, `orcid`
    and `affiliation`. What is missing is printed as `not recorded`."""

    device: str = "auto"
    """Where models run: `auto`, `cpu`, `cuda` or `mps`."""
    dtype: str = "float32"
    """Number format of models: `float32`, `bfloat16` or `float16`."""

    slurm_partition: str = ""
    """Partition of the jobs of `score --runner slurm`; empty for the cluster's default."""
    slurm_account: str = ""
    """Account that they are charged to; empty for the default."""
    slurm_gpus_per_task: int = Field(default=0, ge=0, le=64)
    """Cards of each of them."""
    slurm_cpus_per_task: int | None = Field(default=None, ge=1, le=1024)
    """Processor cores of each; without it, the cluster's default."""
    slurm_memory_gb: int | None = Field(default=None, ge=1, le=65_536)
    """Memory of each in GB; without it, the cluster's default."""
    slurm_minutes: int = Field(default=240, ge=1, le=525_600)
    """Time limit of each: one model on one language."""
    slurm_jobs_at_once: int = Field(default=64, ge=1, le=100_000)
    """Most of them that run at the same time."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Command line (init), then environment, then the workspace's file."""
        file = settings_cls.model_config.get("toml_file")
        if file is None:
            return (init_settings, env_settings)
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls))


def load_settings(
    workspace: Path | None = None, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a workspace folder (None: no file), overridden from the command line.

    Raises:
        SettingsError: with every fault of file, environment and command line.
    """
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    if workspace is None:
        return _validated(Settings, given)
    file = workspace / FILE_NAME
    _check_file(file)
    return _validated(_settings_of(file), given)


# A page loads its settings several times, and building the class takes longer than reading.
@lru_cache(maxsize=8)
def _settings_of(file: Path) -> type[Settings]:
    class WorkspaceSettings(Settings):
        """Settings with this workspace's file behind them, read each time anew."""

        model_config = SettingsConfigDict(toml_file=file)

    return WorkspaceSettings


def _check_file(file: Path) -> None:
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not valid TOML: {error}.") from error
    secrets = sorted(SECRETS & set(values))
    if urlsplit(str(values.get("database_url", ""))).password:
        secrets.append("database_url")
    if secrets:
        variables = ", ".join(PREFIX + name.upper() for name in secrets)
        raise SettingsError(
            f"{file} holds a secret ({', '.join(secrets)}): secrets are read from the environment "
            f"only. Delete the line, renew the secret and set {variables}."
        )


def _validated(kind: type[Settings], given: Mapping[str, Any]) -> Settings:
    try:
        return kind(**given)
    except UnreadableValueError as error:
        raise SettingsError(f"A setting from the environment cannot be read: {error}.") from None
    except ValidationError as error:
        faults = "\n".join(
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
            for fault in error.errors(include_input=False)
        )
        raise SettingsError(
            f"Settings that do not work (command line, {PREFIX}…, {FILE_NAME}):\n{faults}"
        ) from None


def shown_settings(settings: Settings) -> dict[str, Any]:
    """The settings as they may be shown: no secrets, no user and password in URLs, no addresses."""
    shown: dict[str, Any] = {}
    for name in Settings.model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = "(set)" if value.get_secret_value() else "(not set)"
        elif name == "people":
            value = [f"{each.name} ({each.role})" for each in settings.people]
        elif name == "publication":
            value = settings.publication.model_dump()
        elif name.endswith("_url") and value:
            value = _without_credentials(value)
        shown[name] = value
    return shown


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    return parts._replace(netloc="***@" + parts.netloc.rpartition("@")[2]).geturl()
