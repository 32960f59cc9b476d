"""Programmes that give money, on whole pages in seven languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.records.facts import LONGEST_QUOTE
from surveyor.extract.records.naming import names_a_body, programme_name
from surveyor.extract.values import FIELDS, FoundRecord, Source
from tests.unit.extract.programme_pages import ANSWERS, found_on, names, read
from tools.extract_report import Report, compare

KIND = "funding_program"
# Pages on which who may apply, and so where, is read from another sentence or as the whole sentence.
LEFT = {"bg-narrative", "en-prose-letter"}


@pytest.mark.parametrize("name", names(KIND))
def test_a_page_gives_what_a_person_would_take_from_it(name: str) -> None:
    report = Report()
    compare(report, name, found_on(name, KIND), {**ANSWERS[name], "contacts": []})
    other = [line for line in report.wrong if ".eligibility: " not in line and ".region: " not in line]
    assert other == []
    assert bool(report.wrong) == (name in LEFT), report.wrong


def _programmes(html: str, **how: str) -> list[FoundRecord]:
    return [one for one in read(html, **how) if one.kind == KIND]


CALL = """<html lang=en><title>Hedge Grants | Alder Fund</title><main><h1>Hedge Grants</h1>
<p>Grants of up to €4,000 for village schools.</p><p>Schools in Serbia may apply.</p>{}</main>"""


def _deadline(said: str) -> object:
    (one,) = _programmes(CALL.format(said))
    return one.fields["deadline"].value if "deadline" in one.fields else None


def test_of_several_deadlines_the_next_one_counts() -> None:
    said = "<p>Deadlines: 1 October 2026, 1 February 2027, 1 June 2027</p>"
    assert _deadline(said) == "2027-02-01"


def test_when_all_deadlines_are_over_the_last_one_counts() -> None:
    assert _deadline("<p>Deadlines: 1 February 2026 and 1 June 2026</p>") == "2026-06-01"


def test_a_struck_out_deadline_does_not_count() -> None:
    assert _deadline("<p>Deadline: <s>1 December 2026</s> 15 January 2027</p>") == "2027-01-15"


def test_an_extended_deadline_takes_the_place_of_the_first() -> None:
    said = "<p>Deadline: 1 December 2026</p><p>The deadline was extended to 15 January 2027.</p>"
    assert _deadline(said) == "2027-01-15"


def test_a_call_that_is_always_open_has_no_deadline() -> None:
    said = "<p>Applications are welcome at any time. We answer by 31 January 2027.</p>"
    assert _deadline(said) is None


@pytest.mark.parametrize(
    "said",
    [
        "Published on 3 November 2026",
        "The jury meets on 3 March 2027",
        "Projects start on 1 May 2027",
        "Information day: 3 December 2026",
        "Organisations registered before 1 January 2025 only",
        "The call opens on 1 February 2027",
    ],
)
def test_other_dates_are_no_deadlines(said: str) -> None:
    assert _deadline(f"<p>{said}</p>") is None


@pytest.mark.parametrize(
    "said",
    [
        "The total budget is €90,000.",
        "In 2025 we gave €61,000 to twelve schools.",
        "The average grant was €2,700.",
        "Travel is paid with €0.30 per km, €120 per day.",
    ],
)
def test_other_sums_are_not_what_an_applicant_gets(said: str) -> None:
    (one,) = _programmes(CALL.format(f"<p>{said}</p><p>Deadline: 1 March 2027</p>"))
    assert "amount_min" not in one.fields
    assert one.fields["amount_max"].value == 4000


def test_what_stands_in_the_margin_is_no_programme_of_the_page() -> None:
    margin = "</main><aside><h3>Others</h3><p>Moss Prize: €9,000, deadline 1 December 2026</p></aside><main>"
    (one,) = _programmes(CALL.format(f"<p>Deadline: 1 March 2027</p>{margin}"))
    assert (one.name, one.fields["deadline"].value) == ("Hedge Grants", "2027-03-01")


@pytest.mark.parametrize(("beside", "is_giver"), [("Seed Grants", False), ("Alder Fund", True)])
def test_another_name_of_the_page_beside_its_title_is_no_giver(beside: str, is_giver: bool) -> None:
    html = CALL.format("<p>Deadline: 1 March 2027</p>").replace("| Alder Fund", f"| {beside}")
    (one,) = _programmes(html)
    assert ("funder" in one.fields and one.fields["funder"].value == beside) is is_giver


def test_a_front_page_announces_programmes_that_have_pages_of_their_own() -> None:
    teaser = '<p><a href="/hedges">Hedge Grants</a> until 1 February 2027</p>'
    assert _programmes(CALL.format(teaser), url="https://alder.example/") == []
    assert len(_programmes(CALL.format(teaser), url="https://alder.example/hedges")) == 1
    alone = '<p>Until 1 February 2027. <a href="/about">About us</a></p>'
    assert len(_programmes(CALL.format(alone), url="https://alder.example/")) == 1


def test_marks_for_programs_are_believed_first() -> None:
    marks = """<script type="application/ld+json">{"@type": "MonetaryGrant", "name": "Hedge Grants 2027",
    "amount": {"@type": "MonetaryAmount", "minValue": 500, "maxValue": 4500, "currency": "EUR"}}</script>"""
    (one,) = _programmes(CALL.format(f"<p>Deadline: 1 March 2027</p>{marks}"))
    told = {name: one.fields[name].value for name in ("name", "amount_min", "amount_max", "currency")}
    assert told == {"name": "Hedge Grants 2027", "amount_min": 500, "amount_max": 4500, "currency": "EUR"}
    assert one.fields["amount_max"].source is Source.JSON_LD
    assert one.fields["deadline"].value == "2027-03-01"


def test_fields_have_their_order_and_quote_the_block_they_came_from() -> None:
    long = "Deadline: 1 March 2027. " + "We are patient people. " * 40
    (one,) = _programmes(CALL.format(f"<p>{long}</p>"))
    assert list(one.fields) == [name for name in FIELDS[KIND] if name in one.fields]
    quote = one.fields["deadline"].quote
    assert quote.startswith("Deadline: 1 March 2027.")
    assert len(quote) <= LONGEST_QUOTE


_MARKUP = ["<h2>", "</h2>", "<p>", "<table><tr><th>", "<td>", "<tr>", "<dl><dt>", "<dd>", "<li>", "<br>"]
_SAID = [
    "Grant",
    "up to",
    "€5,000",
    "Deadline:",
    "31.02.2027",
    "1-31 March",
    "до",
    "лв.",
    "bis zum",
    "schools",
]
_PIECES = st.sampled_from([*_MARKUP, *_SAID, "Who can apply?", " – ", "„"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(_PIECES, st.text(max_size=12)), max_size=60))
def test_any_page_gives_records_or_nothing(pieces: list[str]) -> None:
    for one in _programmes("<main><h1>Grants</h1>" + " ".join(pieces)):
        assert one.name
        assert set(one.fields) <= set(FIELDS[KIND])


@pytest.mark.parametrize("kind", ["text/plain", "text/html; charset=utf-8"])
def test_an_offer_without_a_title_or_a_name_is_no_record_and_no_error(kind: str) -> None:
    said = "small grants for schools. We fund community groups up to 5000 euro. Apply by 1 March 2027."
    assert _programmes(said, content_type=kind) == []


def test_a_page_of_many_thousand_programmes_is_read_in_part() -> None:
    card = "<h2>Grant {}</h2><p>Up to €5,000. Deadline: 1 March 2027.</p>"
    cards = "".join(map(card.format, range(3_000)))
    assert len(_programmes(f"<main><h1>All of them</h1>{cards}</main>")) <= 40


def test_below_the_name_of_the_giver_the_second_line_names_the_programme() -> None:
    html = (
        "<html lang=en><title>Embassy of Nordmark in Sofia</title><main><h1>Embassy of Nordmark in Sofia</h1>"
        "<p>Small Grants Scheme: call for proposals</p><p>The embassy offers grants of up to EUR 9,000 to"
        " organisations registered in Bulgaria.</p><p>Deadline for proposals: 1 May 2027.</p></main>"
    )
    assert [one.name for one in _programmes(html)] == ["Small Grants Scheme"]


def test_rules_without_a_sum_and_a_day_are_no_programme() -> None:
    html = (
        "<html lang=en><title>Rules</title><main><h1>Rules</h1><p>A scholarship is not a loan and is not paid"
        " back. Whoever fails a year may apply again once. We draw the committee by lot.</p></main>"
    )
    assert _programmes(html) == []


def test_parts_of_a_named_programme_are_no_programmes() -> None:
    (one,) = _programmes(
        "<title>Local 40 Scholarship Program | Bricklayers Local 40</title>"
        "<main><h1>Local 40 Scholarship Program</h1><p>Ten awards each year.</p>"
        "<h2>Annual Scholarship Awards:</h2><p>The three top awards are $2,000 each.</p>"
        "<h2>Program Stipulations:</h2><p>Apply no later than June 1, 2027.</p></main>"
    )
    found = {name: one.fields[name].value for name in ("name", "amount_max", "deadline")}
    assert found == {
        "name": "Local 40 Scholarship Program",
        "amount_max": 2000,
        "deadline": "2027-06-01",
    }


def test_lines_with_a_sum_in_brackets_are_programmes_of_their_own() -> None:
    found = _programmes(
        "<title>Scholarships | Elm Lodge</title><main><h1>Current Scholarships</h1>"
        "<p>We offer two scholarships to our members.</p>"
        "<p><a href='/a'>Alder Scholarship ($500)</a></p>"
        "<p><a href='/b'>Birch Scholarship ($750)</a></p></main>"
    )
    assert [(one.name, one.fields["amount_max"].value) for one in found] == [
        ("Alder Scholarship", 500),
        ("Birch Scholarship", 750),
    ]


def test_a_list_answers_the_words_before_it_and_not_the_heading_above_all() -> None:
    (one,) = _programmes(
        CALL.format(
            "<h2>Who is eligible?</h2><p>To be eligible you must meet all the following criteria:</p>"
            "<ul><li>Resident in the borough of Elm</li><li>A practising artist in any form</li></ul>"
            "<p>Please provide the following documents together with your completed application:</p>"
            "<ul><li>An up-to-date CV</li><li>Two pictures of your work</li></ul>"
        )
    )
    assert (
        one.fields["eligibility"].value == "Resident in the borough of Elm, A practising artist in any form"
    )


def test_a_body_of_the_title_gives_before_a_line_above_the_page() -> None:
    (one,) = _programmes(
        "<title>Village Grants - Elm County Foundation</title><header><p>Find a grant</p></header>"
        "<main><h1>Village Grants</h1><p>Grants of up to €4,000. Apply by 1 March 2027.</p></main>"
    )
    assert one.fields["funder"].value == "Elm County Foundation"


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("In these years we had made 51 grants totalling almost €56,000.", None),
        ("What began as a €75 award for one pupil is now a €1,000 award for each of three.", 1000),
    ],
)
def test_what_was_given_once_or_altogether_is_no_grant(said: str, amount: int | None) -> None:
    (one,) = _programmes(
        "<title>Hedge Grants | Alder Fund</title><main><h1>Hedge Grants</h1>"
        f"<p>Schools in Serbia may apply for our grants.</p><p>{said}</p><p>Deadline: 1 March 2027</p></main>"
    )
    assert (one.fields["amount_max"].value if "amount_max" in one.fields else None) == amount


def test_a_sum_above_the_heading_of_a_card_is_of_that_card() -> None:
    cards = "".join(
        f"<a href='/{name}'><div>Up to ${amount}</div><span>{state}</span><h3>{name} Grant</h3>"
        f"<p>For schools that plant trees in {name}.</p><div>elm.example</div></a>"
        for name, amount, state in (("Hedge", "5,000", "open"), ("Orchard", "2,500", "closed"))
    )
    found = _programmes(
        f"<title>Our grants | Alder Fund</title><main><h1>Our grants</h1><h2>For schools</h2>{cards}</main>"
    )
    assert [(one.name, one.fields["amount_max"].value) for one in found] == [
        ("Hedge Grant", 5000),
        ("Orchard Grant", 2500),
    ]


def test_headings_of_the_first_rank_side_by_side_are_programmes() -> None:
    html = (
        "<html lang=en><title>Bursaries | Alder Club</title><main>"
        "<h1>Row Bursary</h1><p>Up to €400 for rowers. Deadline: 1 March 2027.</p>"
        "<h1>Sail Bursary</h1><p>Up to €600 for sailors. Deadline: 1 May 2027.</p></main>"
    )
    assert [one.name for one in _programmes(html)] == ["Row Bursary", "Sail Bursary"]


def test_a_programme_has_what_stands_below_smaller_headings_of_its_section() -> None:
    html = (
        "<html lang=en><title>Rooting 2027</title><main><h1>Rooting 2027</h1><p>We help people to attend.</p>"
        "<h3>Bursaries for Students</h3><h4>Eligibility</h4><ul><li>Students of botany may apply</li></ul>"
        "<h3>Bursaries for Early Career Researchers</h3><h4>Eligibility</h4><ul><li>Researchers with a first"
        " contract may apply</li><li>Up to £170 for your travel</li></ul></main>"
    )
    first, second = _programmes(html)
    assert first.fields["eligibility"].value == "Students of botany"
    assert (second.name, second.fields["amount_max"].value) == (
        "Bursaries for Early Career Researchers",
        170,
    )


def test_beside_a_slogan_the_head_of_the_page_names_the_programme() -> None:
    html = (
        "<html lang=en><title>Alder Scholarship | Alder House</title><main>"
        "<h1>We invest in people who care.</h1><p>Apply for up to $900 by 1 March 2027. Students of nursing"
        " may apply.</p></main>"
    )
    assert [one.name for one in _programmes(html)] == ["Alder Scholarship"]


@pytest.mark.parametrize(
    ("head", "above", "giver"),
    [
        ("Rowing Club Website - Hut Scholarship", "", "Rowing Club"),
        ("Hut Scholarship | Rowing Club", "<span>Seed Grants</span>", "Rowing Club"),
    ],
)
def test_the_name_of_an_offer_is_no_giver(head: str, above: str, giver: str) -> None:
    html = (
        f"<html lang=en><title>{head}</title><header>{above}</header><main><h1>Hut Scholarship</h1>"
        "<p>Apply for $500 by 1 March 2027. Members of the crew may apply.</p></main>"
    )
    (one,) = _programmes(html)
    assert one.fields["funder"].value == giver


def test_a_chapter_of_a_handbook_offers_nothing() -> None:
    html = (
        "<html lang=en><title>Grants</title><meta property=og:site_name content='Events Cookbook'><main>"
        "<h1>Grants</h1><p>Offer grants of up to $500 to support attendance. Applicants should be students."
        " We decide which of them are eligible. Apply early.</p></main>"
    )
    assert _programmes(html) == []


def test_what_others_give_is_no_programme_of_the_page() -> None:
    html = (
        "<html lang=en><title>Hut Scholarship | Rowing Club</title><main><h1>Hut Scholarship</h1>"
        "<p>Members of the crew may apply by 1 March 2027.</p><h2>More places to find support</h2>"
        "<h3>Spark Scholarship</h3><p>Families in Derby get up to $1,000.</p>"
        "<h3>Reed Grant</h3><p>Gives $700 to anyone who rows.</p><h2>Questions</h2><p>Ask us.</p></main>"
    )
    (one,) = _programmes(html)
    assert one.name == "Hut Scholarship"
    assert "amount_max" not in one.fields


def test_a_text_that_is_marked_as_a_heading_is_no_name() -> None:
    html = (
        "<html lang=en><title>Scholarships | The Arc</title><main><h2>Scholarship Guidelines</h2>"
        "<h3>The Round the Community scholarship is for any person with a disability that would like to join"
        " an event or a programme of the county and could not pay for it otherwise.</h3>"
        "<h3>You may apply for up to $300 by 1 March 2027.</h3></main>"
    )
    (one,) = _programmes(html)
    assert len(one.name) < 60


_LISTED = "<html lang=en><title>Scholarship Page | Elm School</title><main><h1>Scholarship Page</h1>{}</main>"


def test_a_list_of_other_givers_offers_nothing_itself() -> None:
    links = '<p>You must be a member to apply for these.</p><p><a href="https://scholarships.oak.example/">Oak</a></p>'
    assert _programmes(_LISTED.format(links)) == []
    own = "<p>We offer a scholarship of $500 each year to students of Elm School.</p>"
    assert len(_programmes(_LISTED.format(own))) == 1


def test_a_list_of_grants_that_somebody_got_is_no_programme() -> None:
    html = (
        "<html lang=en><title>Ann Elm's Grants</title><main><h2>Selected grants and contracts</h2>"
        "<p>£6K from the Oak Institute for a network, 2023.</p><p>£22K from the Alder Trust for a workshop,"
        " 2018.</p></main>"
    )
    assert _programmes(html) == []


def test_a_label_with_its_value_names_no_programme() -> None:
    html = (
        "<html lang=en><title>Grant Application | Larch Foundation</title><nav>Larch Foundation</nav><main>"
        "<h1>Grant Application</h1><p>The Larch Foundation supports programs that help the town. Learn how "
        "to apply for funding below.</p><h3>Dates</h3><p>Application Deadline: July 1st each year</p>"
        "<p>Funding Distribution: After October 1st</p></main>"
    )
    (found,) = _programmes(html)
    assert found.name == "Grant Application"


@pytest.mark.parametrize(
    ("name", "is_body"), [("Ehrenamt", False), ("Insgesamt", False), ("Sozialamt", True)]
)
def test_a_word_is_no_public_office_by_its_ending_alone(name: str, is_body: bool) -> None:
    assert names_a_body(name) is is_body


@pytest.mark.parametrize(
    ("said", "language"),
    [
        (
            "We pay €3,000 for the first prize, €2,000 for the second and €1,000 for the third.",
            "en",
        ),
        ("Das Preisgeld beträgt 3.000 € für den ersten Preis und 1.000 € für den dritten Preis.", "de"),
        ("El primer premio es de 3.000 euros y el tercer premio es de 1.000 euros.", "es"),
        (
            "Concursul are premii: premiul I 3.000 euro, premiul II 2.000 euro, premiul III 1.000 euro.",
            "ro",
        ),
        ("Първа награда: 3 000 евро. Втора награда: 2 000 евро. Трета награда: 1 000 евро.", "bg"),
    ],
)
def test_of_several_prizes_the_least_and_the_most_count(said: str, language: str) -> None:
    html = f"<title>Alder Prize | Elm</title><main><h1>Alder Prize</h1><p>{said}</p><p>We give it.</p></main>"
    (one,) = _programmes(html, language=language)
    assert [one.fields[name].value for name in ("amount_min", "amount_max")] == [1000, 3000]


def test_a_day_of_the_title_is_of_the_year_that_the_text_says() -> None:
    html = CALL.replace("Hedge Grants</h1>", "Hedge Grants: closes on 31 March</h1>")
    (one,) = _programmes(html.format("<p>The deadline for applications is 31 March 2024.</p>"))
    assert one.fields["deadline"].value == "2024-03-31"


def test_the_day_on_which_proposals_are_looked_at_is_no_deadline() -> None:
    html = (
        "<title>Грант за училища | Фонд Елша</title><main><h1>Грант за училища</h1>"
        "<p>Грантове до 2 000 евро за училища.</p><p><b>Срок за кандидатстване:</b> 6 януари 2014 г.</p>"
        "<p><b>Срок за разглеждане на предложенията:</b> 15 януари 2014 г.</p></main>"
    )
    (one,) = _programmes(html, language="bg")
    assert one.fields["deadline"].value == "2014-01-06"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Hedge Grants – closes on 31 March", "Hedge Grants"),
        ("Heckenstipendium – Bewerbungsschluss 31. März", "Heckenstipendium"),
        ("Bourse des haies – clôture le 31 mars", "Bourse des haies"),
        ("Beca de los setos - hasta el 31 de marzo", "Beca de los setos"),
        ("Apply for a grant", "Apply for a grant"),
        ("Apply for a Hedge Grant", "Hedge Grant"),
    ],
)
def test_a_name_ends_before_its_day_and_keeps_the_verb_without_which_it_names_nothing(
    title: str, name: str
) -> None:
    assert programme_name(title) == name


def test_a_question_among_the_headings_is_no_name() -> None:
    said = "<h2>How large is a grant?</h2><p>Grants of up to €4,000 for village schools by 1 March 2027.</p>"
    html = (
        f"<title>What we do | Alder Fund</title><main><h1>What we do</h1>{said}<p>We help schools.</p></main>"
    )
    assert [one.name for one in _programmes(html)] != ["How large is a grant?"]


def test_the_sum_that_can_be_applied_for_is_found_and_the_balance_of_a_fund_is_not() -> None:
    said = "<p>At the end of the year the balance of our scholarship fund was over €82,000.</p>"
    html = CALL.replace("Grants of up to €4,000 for", "We help").format(said)
    assert all("amount_max" not in one.fields for one in _programmes(html))
    most = "<p>The maximum amount that can normally be applied for is €1,000, as the council sees fit.</p>"
    (one,) = _programmes(CALL.replace("Grants of up to €4,000 for", "We help").format(most))
    assert one.fields["amount_max"].value == 1000


def test_whoever_calls_themselves_by_their_name_may_write_news_of_their_own_programme() -> None:
    html = (
        "<title>Poetry bursary 2027 | Alderhall</title><header><a href='/'>Alderhall</a></header><main>"
        "<h1>Poetry bursary 2027</h1><p>Alderhall encourages poets with a bursary of €3,000 each year. "
        "{}Applications by 31 January 2027.</p></main>"
    )
    url = "https://www.alderhall.example/news/poetry-bursary"
    assert [one.name for one in _programmes(html.format(""), url=url)] == ["Poetry bursary 2027"]
    assert _programmes(html.format("The director said that poets told her so. "), url=url) == []
