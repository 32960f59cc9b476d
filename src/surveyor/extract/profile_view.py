"""What a profile tells the readers of pages, taken out of it once: plain values, already checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self

from surveyor.profiles.kinds import DeclaredKind
from surveyor.profiles.model import Profile

WordsByLanguage = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Keywords:
    """A group of words that speaks for or against a page."""

    name: str
    effect: str
    strength: Decimal
    unless: tuple[str, ...]
    """Groups whose presence makes this one say nothing."""
    words: WordsByLanguage


@dataclass(frozen=True)
class ProfileView:
    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    """Kinds of records to look for."""
    phone_regions: tuple[str, ...]
    """Where a number without a country code may belong; the first settles what is ambiguous."""
    currencies: tuple[str, ...]
    threshold: Decimal
    """The least score of a page that is relevant."""
    page_words: WordsByLanguage = field(default_factory=dict)
    path_words: WordsByLanguage = field(default_factory=dict)
    dull_path_words: WordsByLanguage = field(default_factory=dict)
    keywords: tuple[Keywords, ...] = ()
    declared: Mapping[str, DeclaredKind] = field(default_factory=dict)
    """Kinds of records that the profile declares itself."""
    images: bool = False
    """Whether pictures are what a page is wanted for."""

    @classmethod
    def of(cls, profile: Profile) -> Self:
        places, relevance = profile.geography, profile.relevance
        return cls(
            tuple(profile.languages),
            tuple(profile.records),
            places.phone_regions,
            places.currencies,
            relevance.threshold,
            relevance.page,
            relevance.path,
            relevance.dull_path,
            tuple(
                Keywords(name, group.effect, group.strength, group.unless, group.words)
                for name, group in profile.keywords.items()
            ),
            profile.kinds,
            profile.images,
        )
