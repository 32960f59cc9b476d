"""Search queries out of a profile's templates: keywords x geography x language.

`{term} {place}` becomes one query for each term and each place of its language. Languages
take turns, so that a session which runs out of quota has asked in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from math import prod
from string import Formatter
from typing import TYPE_CHECKING, NamedTuple

from surveyor.profiles.values import shown

if TYPE_CHECKING:
    from surveyor.profiles.model import Place, Profile, QueryPlan

PLACEHOLDERS = ("term", "place", "city", "region", "year")
MAX_QUERIES = 500  # per session: providers bill by the query, and a slipped list multiplies


class Query(NamedTuple):
    text: str
    language: str
    country: str | None = None  # of the place that it names, or that all of its plan is about


def queries(profile: Profile, session: str, year: int) -> tuple[Query, ...]:
    """The profile's queries for one kind of session; none when it has no plan for it."""
    plan = next((plan for name, plan in profile.queries.items() if name == session), None)
    if plan is None:
        return ()
    columns = [_in_language(profile, plan, language, year) for language in profile.languages]
    by_text: dict[str, Query] = {}
    for turn in zip_longest(*columns):
        for query in filter(None, turn):
            by_text.setdefault(query.text, query)
    return tuple(by_text.values())


def check_plan(path: str, plan: QueryPlan, places: Mapping[str, Place]) -> None:
    """Refuses, with a ValueError that says what to do, a plan that cannot be carried out."""
    for code in plan.places:
        if code not in places:
            raise ValueError(f"{path}.places: {code} is not in geography.places; add it there")
    total = 0
    for language, templates in plan.templates.items():
        fillings = _fillings(plan, places, language, year=2000)
        for template in templates:
            used = _placeholders(f"{path}.templates.{language}", template)
            for name in used:
                if not fillings[name]:
                    raise ValueError(
                        f"{path}.templates.{language}: nothing to put into {{{name}}}; {_CURE[name]}"
                    )
            total += prod(len(fillings[name]) for name in used)
    if total > MAX_QUERIES:
        raise ValueError(f"{path} makes {total} queries, {MAX_QUERIES} at most; use fewer terms or places")


_CURE = {
    "term": "add terms for this language",
    "place": "name the places of this plan",
    "city": "give its places cities",
    "region": "give its places regions",
}


def _placeholders(path: str, template: str) -> tuple[str, ...]:
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        raise ValueError(f"{path}: {shown(template)} has a stray brace; remove it") from None
    names = dict.fromkeys(name for _, name, _, _ in parts if name is not None)
    if any(spec or conversion for _, _, spec, conversion in parts) or not names.keys() <= set(PLACEHOLDERS):
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValueError(f"{path}: {shown(template)} has an unknown placeholder; there are {known}")
    if not template.strip():
        raise ValueError(f"{path}: a template is empty; remove it")
    return tuple(names)


def _fillings(
    plan: QueryPlan, places: Mapping[str, Place], language: str, year: int
) -> dict[str, Sequence[str]]:
    chosen = [places[code] for code in plan.places]
    return {
        "term": plan.terms.get(language, ()),
        "place": [place.names[language][0] for place in chosen],
        "city": [city for place in chosen for city in place.cities.get(language, ())],
        "region": [region for place in chosen for region in place.regions.get(language, ())],
        "year": [str(year)],
    }


def _in_language(profile: Profile, plan: QueryPlan, language: str, year: int) -> Iterator[Query]:
    fillings = _fillings(plan, profile.geography.places, language, year)
    homes = _countries(plan, profile.geography.places, language)
    sole = plan.places[0] if len(plan.places) == 1 and _is_country(plan.places[0]) else None
    for template in plan.templates[language]:
        names = _placeholders("", template)
        for values in product(*(fillings[name] for name in names)):
            text = template.format(**dict(zip(names, values, strict=True)))
            yield Query(text, language, next((homes[value] for value in values if value in homes), sole))


def _countries(plan: QueryPlan, places: Mapping[str, Place], language: str) -> dict[str, str]:
    """The country of each place, city and region that a query of this plan may name."""
    found: dict[str, str] = {}
    for code in filter(_is_country, plan.places):
        place = places[code]
        named = (place.names[language][:1], place.cities.get(language, ()), place.regions.get(language, ()))
        found |= {name: code for names in named for name in names}
    return found


def _is_country(code: str) -> bool:
    """Codes of places are a profile's own; those of two letters are countries, but for the Union."""
    return len(code) == 2 and code.isalpha() and code != "EU"
