"""Candidates are weighed by their signs: which sentence says who may come, whether a page offers at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract import scoring
from surveyor.extract.analysis import Analysis
from surveyor.extract.fields import who
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.records import gate
from surveyor.extract.values import Page
from surveyor.profiles import loader
from tests.unit.extract.programme_pages import TODAY
from tools.logistic import Row, learn

LIKELY = 0.35


def analysis(html: str, url: str = "https://www.giver.example/page", profile: str = "funding") -> Analysis:
    view = ProfileView.of(loader.load(profile))
    return Analysis(parse(Page(url, html.encode(), "text/html; charset=utf-8", TODAY), view), view)


def page(*paragraphs: str, title: str = "Orchard Grants") -> str:
    body = "".join(f"<p>{one}</p>" for one in paragraphs)
    return f"<html lang=en><title>{title}</title><h1>{title}</h1>{body}</html>"


SAYS_WHO = "Residents of Rice County who are at least 18 years old may apply."
OTHERS = (
    "The fund was founded in 1987 by two brothers.",
    "Please send the completed form and two letters by post.",
    "The board decides in May and notifies everybody by mail.",
)


@pytest.mark.parametrize("place", range(4))
def test_the_sentence_that_says_who_may_apply_is_chosen_wherever_it_stands(place: int) -> None:
    texts = [*OTHERS[:place], SAYS_WHO, *OTHERS[place:]]
    found = who.best(analysis(page(*texts)).facts, "funding_program", "en", LIKELY)
    assert found is not None
    assert found.text == SAYS_WHO


def test_where_no_sentence_says_who_may_apply_the_answer_stays_empty() -> None:
    assert who.best(analysis(page(*OTHERS)).facts, "funding_program", "en", LIKELY) is None


def test_an_answer_is_not_cut_to_a_piece_that_says_nothing() -> None:
    found = who.best(
        analysis(page("Only adults who live in Rice County may apply.")).facts, "service", "en", 0
    )
    assert found is not None
    assert not who.answer(replace_text(found, "Grants go to three new projects of members."), "en").endswith(
        "who"
    )
    assert who.answer(replace_text(found, "Open to those who."), "en") == "Open to those who"


def replace_text(one: who.Candidate, text: str) -> who.Candidate:
    return one._replace(text=text)


def test_a_givers_page_is_a_likelier_offer_than_a_report_of_the_same_words() -> None:
    said = "Grants of up to $5,000 for community groups. Applications are due by May 1."
    own = analysis(page(said, "We invite nonprofits to apply.", title="Community Grants"))
    told = analysis(
        page(
            said,
            "“Apply soon,” said Ann Lee, who explained the rules.",
            title="Club tells of grants for groups",
        ),
        url="https://daily.example/news/2026/01/club-tells-of-grants-for-community-groups-in-the-county",
    )
    assert gate.chance(own, "funding_program") > 0.5 > gate.chance(told, "funding_program")


def test_a_guide_speaks_of_many_and_a_pantry_of_itself() -> None:
    words = "Food is given to families in need."
    guide = analysis(
        page(words, "Many pantries are usually run by churches.", title="Food Pantry Guide"),
        "https://meals.example.com/food-pantry",
        "community",
    )
    own = analysis(
        page(words, "We welcome you at our Elm pantry, please call us.", title="Food Pantry"),
        "https://elmpantry.example.org/food-pantry",
        "community",
    )
    assert {"guide title", "general share 3", "host of trade"} <= set(guide.voice)
    assert {"we share 3", "host is named", "short title"} <= set(own.voice)
    assert gate.chance(own, "service") > gate.chance(guide, "service")


def test_a_row_that_weighs_more_is_learned_more() -> None:
    rows = [Row(("sign",), True, weight) for weight in (0.3, 0.3, 5.0)] + [Row((), False)] * 3
    light = [Row(("sign",), True, 0.3)] * 3 + [Row((), False)] * 3
    assert learn(rows)["sign"] > learn(light)["sign"]


@given(st.lists(st.text(max_size=12)))
def test_signs_that_were_never_learned_count_nothing(signs: list[str]) -> None:
    known = scoring.weights("who")
    strange = [f"?{sign}" for sign in signs]
    assert scoring.total(strange, known) == known["bias"]


@given(st.floats(allow_nan=False))
def test_a_chance_lies_between_never_and_always(value: float) -> None:
    assert 0 <= scoring.chance(value) <= 1


def test_learning_finds_the_sign_that_tells_and_leaves_the_one_that_does_not() -> None:
    rows = [Row(("tells", "noise") if number % 2 else ("tells",), True) for number in range(40)]
    rows += [Row(("noise",) if number % 2 else (), False) for number in range(40)]
    known = learn(rows)
    assert known["tells"] > 3 > abs(known["noise"]) * 10
    assert learn(rows) == known


def test_what_is_known_stays_where_new_pages_say_nothing_else() -> None:
    known = {"bias": -1.0, "old": 2.0, "both": 1.0}
    rows = [Row(("both", "new"), True)] * 5 + [Row(("both",), False)] * 5
    made = learn(rows, known)
    assert made["old"] == known["old"]
    assert made["new"] > 0
    assert abs(made["both"] - known["both"]) < abs(learn(rows)["both"] - known["both"])
