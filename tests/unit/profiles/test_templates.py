"""Templates become queries: terms x places x languages, languages taking turns."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from surveyor.profiles.model import Profile
from surveyor.profiles.templates import Query, queries


def profile(**plan: Any) -> Profile:
    return Profile.model_validate(
        {
            "name": "trails",
            "title": "Trails",
            "description": "Sites about trails.",
            "languages": ["en", "bg"],
            "records": ["organisation"],
            "judges": {"keywords": 1},
            "keywords": {"trail": {"words": {"en": ["trail"], "bg": ["пътека"]}}},
            "geography": {
                "places": {
                    "BG": {
                        "names": {"en": ["bulgaria", "republic of bulgaria"], "bg": ["българия"]},
                        "cities": {"en": ["sofia", "varna"], "bg": ["софия"]},
                    },
                    "RO": {"names": {"en": ["romania"], "bg": ["румъния"]}},
                }
            },
            "queries": {"nightly_discovery": plan} if plan else {},
        }
    )


def texts(**plan: Any) -> list[str]:
    return [query.text for query in queries(profile(**plan), "nightly_discovery", 2026)]


def test_every_term_meets_every_place_in_its_language_and_languages_take_turns() -> None:
    plan = profile(
        places=["BG", "RO"],
        templates={"en": ["{term} {place}"], "bg": ["{term} {place}"]},
        terms={"en": ["trails", "maps"], "bg": ["пътеки"]},
    )
    assert queries(plan, "nightly_discovery", 2026) == (
        Query("trails bulgaria", "en", "BG"),
        Query("пътеки българия", "bg", "BG"),
        Query("trails romania", "en", "RO"),
        Query("пътеки румъния", "bg", "RO"),
        Query("maps bulgaria", "en", "BG"),
        Query("maps romania", "en", "RO"),
    )


def test_cities_and_the_year_are_filled_in() -> None:
    plan = {"templates": {"en": ["{city} {term} {year}"], "bg": []}, "terms": {"en": ["trails"], "bg": []}}
    assert texts(places=["BG"], **plan) == ["sofia trails 2026", "varna trails 2026"]


def test_a_template_without_a_place_is_asked_once_per_term() -> None:
    assert texts(templates={"en": ["{term} map"], "bg": []}, terms={"en": ["trail"], "bg": []}) == [
        "trail map"
    ]


def test_one_text_is_asked_once() -> None:
    plan = {
        "templates": {"en": ["{term}", "{term}"], "bg": ["{term}"]},
        "terms": {"en": ["gpx"], "bg": ["gpx"]},
    }
    assert texts(**plan) == ["gpx"]


def test_a_session_without_a_plan_has_no_queries() -> None:
    assert queries(profile(), "nightly_discovery", 2026) == ()
    assert queries(profile(), "manual_search", 2026) == ()


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (
            "{termm}",
            "'{termm}' has an unknown placeholder; there are {term}, {place}, {city}, {region}, {year}",
        ),
        ("{term.__class__}", "has an unknown placeholder"),
        ("{term!r}", "has an unknown placeholder"),
        ("{term:>999999}", "has an unknown placeholder"),
        ("{}", "has an unknown placeholder"),
        ("{term", "'{term' has a stray brace; remove it"),
        ("}", "'}' has a stray brace; remove it"),
        ("  ", "a template is empty; remove it"),
        ("{place}", "nothing to put into {place}; name the places of this plan"),
        ("{city}", "nothing to put into {city}; give its places cities"),
        ("{region}", "nothing to put into {region}; give its places regions"),
        ("{term}", "nothing to put into {term}; add terms for this language"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused(template: str, told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        profile(templates={"en": [template], "bg": []}, terms={"en": [], "bg": []})
    assert told in str(caught.value) and "queries.nightly_discovery" in str(caught.value)


def test_a_place_nobody_described_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"XX is not in geography\.places; add it there"):
        profile(places=["XX"], templates={"en": [], "bg": []}, terms={"en": [], "bg": []})


@pytest.mark.parametrize(("terms", "accepted"), [(250, True), (251, False)])
def test_more_than_five_hundred_queries_are_refused(terms: int, accepted: bool) -> None:
    plan = {
        "places": ["BG", "RO"],
        "templates": {"en": ["{term} {place}"], "bg": []},
        "terms": {"en": [f"word{n}" for n in range(terms)], "bg": []},
    }
    if accepted:
        assert len(texts(**plan)) == 500
    else:
        with pytest.raises(
            ValidationError, match="makes 502 queries, 500 at most; use fewer terms or places"
        ):
            profile(**plan)


@given(st.text(alphabet="{}termplacyi! :.", max_size=14))
def test_any_template_is_refused_or_leaves_no_placeholder_behind(template: str) -> None:
    plan = {"templates": {"en": [template], "bg": []}, "terms": {"en": ["x"], "bg": []}}
    try:
        made = texts(places=["BG"], **plan)
    except ValidationError:
        return
    assert all("{term}" not in text and "{place}" not in text for text in made) or "{{" in template
