"""What a profile holds: one frozen model, checked as a whole, that every stage reads.

A stage takes the part it needs: the keyword judge `keywords`, the crawler `limits`, and
so on. Nothing here judges or matches. An unknown field is refused, because a typing
mistake in a profile must not silently turn a rule off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from surveyor import entry_points
from surveyor.entry_points import Group
from surveyor.profiles.kinds import DeclaredKind
from surveyor.profiles.templates import check_plan
from surveyor.profiles.values import (
    STRENGTHS,
    Count,
    CountryCode,
    CurrencyCode,
    Hosts,
    Language,
    Languages,
    Line,
    Name,
    PlaceCode,
    Score,
    Seconds,
    Strength,
    Switch,
    TermsByLanguage,
    Weight,
    Words,
    WordsByLanguage,
    no_repeats,
    no_repeats_sorted,
)


def _known_judge(name: str) -> str:
    if _is_known(Group.JUDGES, name):
        return name
    raise ValueError(f"there is no judge {name}; there are {', '.join(entry_points.names(Group.JUDGES))}")


def _is_known(group: Group, name: str) -> bool:
    """Whether it is built in or plugged in; most profiles need no look at what is installed."""
    return name in entry_points.BUILT_IN[group] or name in entry_points.names(group)


JudgeName = Annotated[str, AfterValidator(_known_judge)]
SessionType = Literal["nightly_discovery", "weekly_deep_crawl"]
Effect = Literal["supports", "weakens", "cancels"]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WordGroup(Part):
    """Words of one meaning, in every language of the profile."""

    strength: Strength = STRENGTHS["strong"]
    words: WordsByLanguage
    address: Words = ()
    """Words of a host or a path that mean the same, whatever the language."""


class KeywordGroup(WordGroup):
    """Words for the keyword judge.

    `supports`: they speak for the page. `weakens`: they speak against it (a closed call, news
    about somebody else's grant). `cancels`: phrases in which a supporting word means something
    else ("grants asylum"); what they cover counts for nothing.
    """

    effect: Effect = "supports"
    unless: Annotated[tuple[Name, ...], AfterValidator(no_repeats)] = ()
    """Groups whose presence makes this one say nothing: a call is over, but the next round is named."""
    sender: Score | None = None
    """What the organisation judge thinks of whoever writes so: at least this for a group that supports,
    at most this for one that weakens."""


class Place(Part):
    """A country or a region: what it is called, and how much a mention of it is worth.

    The first name in a language is the one that is searched for.
    """

    strength: Strength = STRENGTHS["strong"]
    names: TermsByLanguage
    adjectives: WordsByLanguage = Field(default_factory=dict)
    cities: TermsByLanguage = Field(default_factory=dict)
    regions: TermsByLanguage = Field(default_factory=dict)
    suffixes: Hosts = ()


class Geography(Part):
    """Where the profile looks. The first phone region and the first currency settle what is ambiguous."""

    places: Mapping[PlaceCode, Place] = Field(default_factory=dict)
    default: Score = Decimal("0.50")
    """Score of a result that names no place."""
    languages: Mapping[Language, Score] = Field(default_factory=dict)
    """Scores instead of the default, by the language a result is written in."""
    elsewhere: WordsByLanguage = Field(default_factory=dict)
    """Places outside: a result that names only these is for people elsewhere."""
    elsewhere_suffixes: Hosts = ()
    phone_regions: Annotated[tuple[CountryCode, ...], AfterValidator(no_repeats)] = ()
    currencies: Annotated[tuple[CurrencyCode, ...], AfterValidator(no_repeats)] = ()


class SiteClass(Part):
    """Hosts of one kind: the host itself, or anything below it. The longest match decides.

    A host of no known suffix may still say what it is by a word of its name.
    """

    score: Score
    suffixes: Hosts = ()
    names: Words = ()

    @model_validator(mode="after")
    def _has_hosts(self) -> Self:
        if not (self.suffixes or self.names):
            raise ValueError("names no host; fill in suffixes or names")
        return self


class Suspicious(Part):
    """Signs of a throw-away host. Each that is seen takes `penalty` off the score."""

    penalty: Score = Decimal("0.20")
    suffixes: Hosts = ()
    words: Words = ()
    max_hyphens: Count = 3
    max_digits: Count = 4


class Credibility(Part):
    """How far a host is believed before anything of it was read."""

    default: Score = Decimal("0.50")
    sites: Mapping[Name, SiteClass] = Field(default_factory=dict)
    suspicious: Suspicious = Suspicious()

    @model_validator(mode="after")
    def _no_host_in_two_classes(self) -> Self:
        seen: dict[str, str] = {}
        for name, site in self.sites.items():
            for suffix in site.suffixes:
                if suffix in seen:
                    raise ValueError(f"{suffix!r} is in both {seen[suffix]} and {name}; remove it from one")
                seen[suffix] = name
        return self


class Learned(Part):
    """The learned judge, where there is a model for the profile: shipped with it, or trained here."""

    threshold: Score = Decimal("0.40")
    """From which chance on a result deserves a crawl: of results at 0.40, 40 in 100 are wanted."""


class Relevance(Part):
    """What marks a page as one worth extracting: words of its text, words of its path."""

    threshold: Score = Decimal("0.50")
    page: WordsByLanguage = Field(default_factory=dict)
    path: WordsByLanguage = Field(default_factory=dict)
    dull_path: WordsByLanguage = Field(default_factory=dict)


class QueryPlan(Part):
    """The searches of one kind of session: each template with each of its terms and places."""

    templates: Mapping[str, tuple[str, ...]]
    terms: TermsByLanguage
    places: Annotated[tuple[PlaceCode, ...], AfterValidator(no_repeats)] = ()


def _depth(value: object) -> object:
    if isinstance(value, str) and value != "unlimited":
        raise ValueError('write a number of links, or "unlimited"')
    return None if value == "unlimited" else value


# Links from the start page; None is without limit.
Depth = Annotated[int | None, Field(strict=True, ge=0, le=1_000), BeforeValidator(_depth)]


class Limits(Part):
    """What a domain gets when nobody gave it limits of its own."""

    max_crawl_depth: Depth = 3
    crawl_delay_seconds: Seconds = 2.0
    max_pages_per_run: Count = 1_000
    scrape_frequency_hours: Annotated[Count, Field(le=8_760)] = 168
    render: Literal["auto", "always", "never"] = "auto"


class AutoApprove(Part):
    """Which domains need no person. Nothing given: none."""

    from_confidence: Score | None = None
    suffixes: Hosts = ()

    @property
    def enabled(self) -> bool:
        return self.from_confidence is not None or bool(self.suffixes)


class Policies(Part):
    """What the program may decide by itself."""

    approve_assets: Switch = False
    auto_approve: AutoApprove = AutoApprove()
    blacklist_spam: Switch = False
    blacklist_spam_after: Count = 3  # verdicts against one domain
    out_of_region: Literal["flag", "reject", "ignore"] = "flag"
    """What follows when a result's own words limit it to people elsewhere: a reason the reviewer sees, a
    confidence below the threshold as well, or nothing."""


class Profile(Part):
    """All that a workspace looks for. Build with `load`."""

    name: Name
    title: Line
    description: Line
    languages: Languages
    threshold: Score = Decimal("0.60")
    records: Annotated[tuple[str, ...], AfterValidator(no_repeats_sorted)] = ()
    kinds: Mapping[Name, DeclaredKind] = Field(default_factory=dict)
    """Kinds of records of one's own, beside those that are built in."""
    yields: Literal["records", "images"] = Field("records", alias="yield")
    images: Switch = False
    judges: Mapping[JudgeName, Weight] = Field(min_length=1)
    keywords: Mapping[Name, KeywordGroup] = Field(min_length=1)
    geography: Geography = Geography()
    organisations: Mapping[Name, WordGroup] = Field(default_factory=dict)
    credibility: Credibility = Credibility()
    learned: Learned = Learned()
    relevance: Relevance = Relevance()
    queries: Mapping[SessionType, QueryPlan] = Field(default_factory=dict)
    limits: Limits = Limits()
    policies: Policies = Policies()

    @cached_property
    def hash(self) -> str:
        """SHA-256 of what the profile means.

        Comments, layout, the order of tables and words, and a default that is spelled out change
        nothing. Title and description are for people and take no part, so that mending a
        sentence does not part a worker from its database.
        """
        meaning = self.model_dump(
            mode="json", by_alias=True, exclude_defaults=True, exclude={"title", "description"}
        )
        text = json.dumps(meaning, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @model_validator(mode="after")
    def _every_language_everywhere(self) -> Self:
        wanted = set(self.languages)
        for path, by_language in self._by_language():
            if missing := sorted(wanted - by_language.keys()):
                raise ValueError(f"{path} has no {missing[0]}; add it ([] for none), or drop the language")
            if foreign := sorted(by_language.keys() - wanted):
                raise ValueError(f"{path}.{foreign[0]}: {foreign[0]} is not in languages; add it there")
        for code, place in self.geography.places.items():
            if nameless := [language for language in self.languages if not place.names[language]]:
                raise ValueError(f"geography.places.{code}.names.{nameless[0]} is empty; write its name")
        return self

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        if all(group.effect != "supports" for group in self.keywords.values()):
            raise ValueError('keywords has no group with effect = "supports"; add one')
        for name, group in self.keywords.items():
            if unknown := [other for other in group.unless if other not in self.keywords]:
                raise ValueError(
                    f"keywords.{name}.unless: there is no group {unknown[0]}; name one of keywords"
                )
        if foreign := sorted(self.geography.languages.keys() - set(self.languages)):
            raise ValueError(f"geography.languages.{foreign[0]}: it is not in languages; add it there")
        if "geography" in self.judges and not self.geography.places:
            raise ValueError("judges.geography has no places to look for; add geography.places or remove it")
        if "organisation" in self.judges and not self.organisations:
            raise ValueError("judges.organisation has no words to look for; add organisations or remove it")
        if self.yields == "records" and not self.records:
            raise ValueError('records is empty; name the kinds to extract, or set yield = "images"')
        if self.yields == "images" and not self.images:
            raise ValueError('yield is "images" but images is off; set images = true')
        approve_from = self.policies.auto_approve.from_confidence
        if approve_from is not None and approve_from < self.threshold:
            raise ValueError(
                f"policies.auto_approve.from_confidence is below the threshold {self.threshold}; raise it"
            )
        return self

    @model_validator(mode="after")
    def _kinds_are_known(self) -> Self:
        for name, kind in self.kinds.items():
            if _is_known(Group.RECORDS, name):
                raise ValueError(f"kinds.{name}: the name is taken; choose another")
            if name not in self.records:
                raise ValueError(f"kinds.{name} is declared but not in records; add it there, or remove it")
            if mistake := kind.mistake():
                raise ValueError(f"kinds.{name}.{mistake}")
        others = [name for name in self.records if name not in self.kinds]
        if unknown := [name for name in others if not _is_known(Group.RECORDS, name)]:
            there = ", ".join((*entry_points.names(Group.RECORDS), *self.kinds))
            raise ValueError(f"records: there is no kind of records {unknown[0]}; there are {there}")
        return self

    @model_validator(mode="after")
    def _queries_can_be_made(self) -> Self:
        for session, plan in self.queries.items():
            check_plan(f"queries.{session}", plan, self.geography.places)
        return self

    def _by_language(self) -> Iterator[tuple[str, Mapping[str, tuple[str, ...]]]]:
        """Every table with one list per language; one that was left out is not asked for."""
        for name, keywords in self.keywords.items():
            yield f"keywords.{name}.words", keywords.words
        for name, organisation in self.organisations.items():
            yield f"organisations.{name}.words", organisation.words
        for code, place in self.geography.places.items():
            yield f"geography.places.{code}.names", place.names
            yield from _given(f"geography.places.{code}", place, "adjectives", "cities", "regions")
        yield from _given("geography", self.geography, "elsewhere")
        yield from _given("relevance", self.relevance, "page", "path", "dull_path")
        for name, kind in self.kinds.items():
            yield from kind.by_language(f"kinds.{name}")
        for session, plan in self.queries.items():
            yield f"queries.{session}.templates", plan.templates
            yield f"queries.{session}.terms", plan.terms


def _given(path: str, part: Part, *fields: str) -> Iterator[tuple[str, Mapping[str, tuple[str, ...]]]]:
    for field in fields:
        by_language = getattr(part, field)
        if by_language:
            yield f"{path}.{field}", by_language
