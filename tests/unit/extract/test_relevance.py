"""Pages are judged by words, structure and findings, with reasons people understand."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from surveyor.extract.model import Example, Model, features, train
from surveyor.extract.pagetext import text_of
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.relevance import Words
from surveyor.extract.structure import Kind, kinds_of
from surveyor.extract.values import Field, FoundRecord, Page, Relevance, Source
from surveyor.profiles import loader
from tests.unit.extract.conftest import TODAY, Parse

TUNE = Path(__file__).parents[2] / "data/gold/tune"
VIEWS = {name: ProfileView.of(loader.load(name)) for name in ("funding", "community", "images")}
WORDS = {name: Words(view) for name, view in VIEWS.items()}
CALL = (
    "<main><h1>Call for proposals: orchard grants</h1><p>We award grants of up to 5,000 euros per project to "
    "associations. How to apply: send the form before the application deadline, 1 May 2027.</p></main>"
)
LATE = "<p>The weather was mild and the apples were late this year, everybody said so at the market.</p>"


def record(kind: str, name: str, **fields: str) -> FoundRecord:
    told = {"name": name, **fields}
    return FoundRecord(kind, {key: Field(value, Source.TEXT, value) for key, value in told.items()})


def judged(
    parsed: Parse,
    markup: str,
    *records: FoundRecord,
    url: str = "https://a.example/x",
    model: Model | None = None,
) -> Relevance:
    document = parsed(markup, url=url)
    words = Words(VIEWS["funding"], model) if model is not None else WORDS["funding"]
    return words.judge(document, text_of(document), records)


def test_labelled_pages_are_judged_right() -> None:
    """With the records a person found; the figure is printed by `pytest -s`."""
    right, wrong = 0, []
    for answer in sorted(TUNE.glob("*.json")):
        known = json.loads(answer.read_text("utf-8"))
        page = Page(known["url"], answer.with_suffix(".html").read_bytes(), "text/html", TODAY)
        document = parse(page, VIEWS[known["profile"]])
        records = [
            record(one["kind"], **{k: str(v) for k, v in one["fields"].items()}) for one in known["records"]
        ]
        found = WORDS[known["profile"]].judge(document, text_of(document), records)
        right += found.is_relevant == known["relevant"]
        wrong += [answer.stem] if found.is_relevant != known["relevant"] else []
    print(f"relevance: {right} of {right + len(wrong)} right; wrong: {', '.join(wrong)}")
    assert right / (right + len(wrong)) >= 0.9


def test_a_call_is_relevant_and_small_talk_is_not(parsed: Parse) -> None:
    assert judged(parsed, CALL).score > Decimal("0.70")
    assert judged(parsed, f"<main><h1>Apples</h1>{LATE}</main>").score < Decimal("0.30")


def test_reasons_are_words(parsed: Parse) -> None:
    found = judged(
        parsed,
        CALL,
        record("funding_program", "Orchard grants", deadline="2027-05-01"),
        url="https://a.example/grants/2027",
    )
    assert found.is_relevant
    assert {"tells of a funding program: Orchard grants", "names a deadline", "path /grants"} <= set(
        found.reasons
    )
    assert any(reason.startswith("says “") for reason in found.reasons)


def test_a_path_of_no_use_speaks_against_a_page(parsed: Parse) -> None:
    plain = judged(parsed, CALL).score
    assert judged(parsed, CALL, url="https://a.example/login").score < plain
    assert judged(parsed, CALL, url="https://a.example/foerderung/x").score > plain
    assert (
        judged(parsed, CALL, url="https://a.example/%D0%BF%D1%80%D0%BE%D0%B3%D1%80%D0%B0%D0%BC%D0%B8").score
        > plain
    )


def test_an_organisation_alone_says_nothing(parsed: Parse) -> None:
    page = f"<main><h1>Apples</h1>{LATE}</main>"
    assert judged(parsed, page, record("organisation", "Fund")).score == judged(parsed, page).score


def test_what_a_title_says_against_a_page_counts(parsed: Parse) -> None:
    against = CALL.replace(
        "Call for proposals: orchard grants", "Grant consultants: we write your grant proposal"
    )
    assert judged(parsed, against).score < judged(parsed, CALL).score


@pytest.mark.parametrize(
    ("markup", "url", "kind"),
    [
        ("<form><input type=password></form><p>Please sign in to go on.</p>", "/", Kind.LOGIN),
        ("<h1>Page not found</h1><p>Sorry.</p>", "/", Kind.MISSING),
        ("<h1>Страницата не е намерена</h1>", "/", Kind.MISSING),
        ("<h1>Diese Seite existiert nicht</h1>", "/", Kind.MISSING),
        ("<p>Hier entsteht eine neue Internetpräsenz</p>", "/", Kind.PARKED),
        ("<p>This domain is for sale.</p>", "/", Kind.PARKED),
        ('<script type=\'application/ld+json\'>{"@type": "NewsArticle"}</script>', "/", Kind.ARTICLE),
        ("<h1>A</h1><p>Published 3 May 2026 by Jo</p><p>Text of it.</p>", "/news/a", Kind.ARTICLE),
        ("<div itemscope itemtype='https://schema.org/Product'>Soap</div>", "/", Kind.PRODUCT),
        ("<p>x</p>", "/", Kind.EMPTY),
    ],
)
def test_kinds_of_pages_that_are_seldom_wanted(markup: str, url: str, kind: Kind, parsed: Parse) -> None:
    document = parsed(markup, url=f"https://a.example{url}")
    assert kind in kinds_of(document, text_of(document).text)


def test_a_page_in_a_language_the_profile_does_not_know_is_judged_by_the_rest(parsed: Parse) -> None:
    page = (
        "<main><h1>Stypendia</h1><p>Fundacja wspiera młodych rolników i ich rodziny, którzy się uczą. Kwota "
        "wynosi od dwóch do czterech tysięcy złotych na rok nauki.</p></main>"
    )
    assert judged(parsed, page, record("funding_program", "Stypendia", deadline="2027-05-01")).is_relevant


def test_a_model_of_decisions_joins_the_signs(parsed: Parse) -> None:
    examples = [Example(features("apples", "/x", "", f"apples late market {n}"), True) for n in range(12)]
    examples += [Example(features("pears", "/x", "", f"pears early harbour {n}"), False) for n in range(12)]
    page = f"<main><h1>Apples</h1>{LATE}</main>"
    found = judged(parsed, page, model=train(examples))
    assert found.score > judged(parsed, page).score
    assert any("like pages that people wanted" in reason for reason in found.reasons)


def test_pictures_count_where_they_are_wanted(parsed: Parse) -> None:
    page = parsed(
        "<main><h1>Glass plates</h1><p>A collection of plates.</p>" + "<img src=a.png>" * 5 + "</main>"
    )
    found = WORDS["images"].judge(page, text_of(page), [])
    assert "shows 5 pictures" in found.reasons
