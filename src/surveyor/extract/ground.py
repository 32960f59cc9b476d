"""What a profile tells the readers of pages, taken out of it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from surveyor.profiles import Profile
from surveyor.profiles.model import KeywordGroup, Relevance


@dataclass(frozen=True)
class Ground:
    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    """Kinds of records to look for."""
    phone_regions: tuple[str, ...]
    """Where a number without a country code may belong; the first settles what is ambiguous."""
    currencies: tuple[str, ...]
    relevance: Relevance
    keywords: Mapping[str, KeywordGroup] = field(default_factory=dict)
    images: bool = False
    """Whether pictures are what a page is wanted for."""

    @classmethod
    def of(cls, profile: Profile) -> Self:
        places = profile.geography
        return cls(
            tuple(profile.languages),
            tuple(profile.records),
            places.phone_regions,
            places.currencies,
            profile.relevance,
            profile.keywords,
            profile.images,
        )
