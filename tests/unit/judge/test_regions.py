"""What a result's own words limit it to, against the places of the profile, and what follows from it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from surveyor.judge.learned.model import shipped
from surveyor.judge.panel import Panel
from surveyor.judge.reading import Reader
from surveyor.judge.signs import LIMITED
from surveyor.judge.values import SearchHit
from surveyor.profiles import loader
from surveyor.profiles.model import Profile


def hit(description: str, url: str = "https://artsfund.org/apply") -> SearchHit:
    return SearchHit(url, "Project grants", description)


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Open to residents of Ohio", "residents of ohio"),
        ("U.S. citizens may apply", "u s citizens"),
        ("For US citizens only", "us citizens"),
        ("Vereine mit Sitz in Deutschland", "sitz in deutschland"),
        ("Canadian writers may apply", "canadian writers"),
        ("Réservé aux doctorants libanais", "réservé aux doctorants libanais"),
        ("New Zealand residency is needed", "new zealand residency"),
        ("За граждани на Канада", "граждани на канада"),
        ("Για κατοίκους της Γερμανίας", "κατοικουσ τησ γερμανιασ"),
    ],
)
def test_a_text_is_limited_by_a_place_beside_a_word_for_people(description: str, words: str) -> None:
    reader = Reader(loader.load("funding"), with_signs=True)
    reading = reader.read(hit(description))
    assert LIMITED in reading.signs
    assert reader.limit_in(reading) == words


@pytest.mark.parametrize(
    ("description", "url"),
    [
        ("Residents of Ohio and of Bulgaria", "https://artsfund.org/apply"),
        ("Open to residents of Ohio", "https://artsfund.bg/apply"),
        ("Our partners live in Ohio. Residents may apply", "https://artsfund.org/apply"),
        ("Граждани на България", "https://artsfund.org/apply"),
        ("Contact us: students may apply", "https://artsfund.org/apply"),
    ],
)
def test_who_names_home_or_no_place_is_not_limited(description: str, url: str) -> None:
    reader = Reader(loader.load("funding"), with_signs=True)
    assert LIMITED not in reader.read(hit(description, url)).signs


def with_policy(policy: str) -> Profile:
    loaded = loader.load("funding")
    return loaded.model_copy(
        update={"policies": loaded.policies.model_copy(update={"out_of_region": policy})}
    )


def test_out_of_region_is_a_reason_without_weight_unless_the_profile_rejects_it() -> None:
    limited = hit("We give grants to artists, residents of Ohio. Apply to our foundation by 1 May.")
    flagged = Panel(with_policy("flag"), model=shipped("funding")).judge(limited)
    rejected = Panel(with_policy("reject"), model=shipped("funding")).judge(limited)
    ignored = Panel(with_policy("ignore"), model=shipped("funding")).judge(limited)
    said = flagged.scores[-1]
    assert said.judge == "RegionJudge" and said.weight == Decimal("0.00")
    assert "out of region" in flagged.reasoning and "residents of ohio" in flagged.reasoning
    assert flagged.confidence == ignored.confidence
    assert "RegionJudge" not in {each.judge for each in ignored.scores}
    assert not rejected.should_crawl and "rejects" in rejected.reasoning
    assert rejected.confidence <= Panel(with_policy("reject"), model=shipped("funding")).threshold


def test_the_same_words_are_home_for_another_profile() -> None:
    """Community looks in the United States; its places decide, not its words."""
    reader = Reader(loader.load("community"), with_signs=True)
    signs = reader.read(hit("Open to residents of Ohio")).signs
    assert "names_home" in signs and LIMITED not in signs
