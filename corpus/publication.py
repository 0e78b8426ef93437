"""What authors say of their releases: everything that the store cannot know.

Whatever is not given is printed as `not recorded`; nothing is made up in its place.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

ORCID = r"^(\d{4}-\d{4}-\d{4}-\d{3}[\dX])?$"
Said = Annotated[str, Field(max_length=5000)]


class Author(BaseModel):
    """Somebody to be cited."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """As it is printed: given names, then the family name."""
    orcid: Annotated[str, Field(pattern=ORCID)] = ""
    affiliation: Annotated[str, Field(max_length=300)] = ""


class Publication(BaseModel):
    """The `[publication]` table of a workspace."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    authors: tuple[Author, ...] = ()
    description: Said = ""
    """What the data are, in a few sentences."""
    intended_use: Said = ""
    """What they may be used for, and what not."""
    licence: Said = ""
    """Licence of the release, as an SPDX name."""
    source_licence: Said = ""
    """Licence of the source sentences."""
    engine_terms: Said = ""
    """Terms under which the engine's translations may be published."""
    quality_model_licence: Said = ""
    """Licence of the quality estimation model."""
    pay: Said = ""
    """What raters were paid."""
    url: Said = ""
    """Where the data are found."""
