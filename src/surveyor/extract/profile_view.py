"""What a profile tells the readers of pages, taken out of it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from surveyor.extract import kinds
from surveyor.profiles import Profile
from surveyor.profiles.kinds import BUILT_IN, DeclaredKind
from surveyor.profiles.model import KeywordGroup, Relevance


@dataclass(frozen=True)
class ProfileView:
    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    """Kinds of records to look for."""
    phone_regions: tuple[str, ...]
    """Where a number without a country code may belong; the first settles what is ambiguous."""
    currencies: tuple[str, ...]
    relevance: Relevance
    keywords: Mapping[str, KeywordGroup] = field(default_factory=dict)
    declared: Mapping[str, DeclaredKind] = field(default_factory=dict)
    """Kinds of records that the profile declares itself."""
    images: bool = False
    """Whether pictures are what a page is wanted for."""

    @property
    def plugged(self) -> tuple[str, ...]:
        """Kinds that a package brings."""
        return tuple(kind for kind in self.kinds if kind not in BUILT_IN and kind not in self.declared)

    def __post_init__(self) -> None:
        kinds.declare(self.declared)

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
            profile.kinds,
            profile.images,
        )
