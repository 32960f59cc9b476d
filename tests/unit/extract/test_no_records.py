"""Pages that talk of money, places or people and offer nothing; pages that offer several things at once."""

from __future__ import annotations

import pytest

from surveyor.extract.organisations import naming
from tests.unit.extract.organisations_help import fields, organisations
from tests.unit.extract.programme_pages import read

CALL = (
    "<title>{title} | Elm Institute</title><main><h1>{title}</h1><p>Up to EUR 5,000 for each award. "
    "Organisations may apply until 1 March 2027.</p><h2>How to apply</h2><p>{text}</p></main>"
)


@pytest.mark.parametrize(
    "title",
    [
        "Call for papers: funding and the state",
        "Tender: supply of laboratory equipment",
        "Invitation to bid for the grant office",
        "Internship in the grants team",
        "Donate now",
        "Grants awarded 2019",
        "Our grantees",
    ],
)
def test_a_page_that_calls_for_something_else_offers_no_programme(title: str) -> None:
    assert [one.kind for one in read(CALL.format(title=title, text="Send it to us."))] == []


def test_the_same_page_as_a_call_for_applications_is_one() -> None:
    found = read(CALL.format(title="Small grants for schools", text="Send it to us."))
    assert [one.name for one in found if one.kind == "funding_program"] == ["Small grants for schools"]


def test_money_for_a_share_is_no_grant() -> None:
    text = "We invest in founders: our portfolio, pre-seed tickets and equity. Send your pitch deck."
    assert read(CALL.format(title="Seed funding for teams", text=text)) == []


def test_tenders_among_the_headings_of_a_page_are_no_programmes() -> None:
    notices = "".join(
        f"<h2>{name}</h2><p>Budget up to EUR 20,000. Deadline for applications: 1 March 2027.</p>"
        for name in (
            "Procurement of grant software",
            "Consultant for the youth fund",
            "Supply of award medals",
        )
    )
    html = f"<title>Notices | Elm</title><main><h1>Notices</h1>{notices}</main>"
    assert [one for one in read(html) if one.kind == "funding_program"] == []


@pytest.mark.parametrize(
    "name",
    [
        "LLC",
        "House",
        "The Shelter",
        "Volunteer",
        "Terms Of Service",
        "Media Kit",
        "Customer service",
        "The Trust",
        "Elm and willows for",
    ],
)
def test_a_common_noun_is_no_name_of_an_organisation(name: str) -> None:
    assert not naming.is_name(name)


@pytest.mark.parametrize(
    "name", ["Willow Trust", "256 Foundation", "Фондация Извор", "Elm House", "Generation Y"]
)
def test_a_name_has_a_word_of_its_own(name: str) -> None:
    assert naming.is_name(name)


def test_who_publishes_an_article_is_not_what_it_is_about() -> None:
    html = (
        '<title>A long walk</title><meta property="og:type" content="article">'
        '<script type="application/ld+json">'
        '{"@type": "Organization", "name": "Daily Elm", "url": "https://www.willow.example/"}</script>'
        "<main><h1>A long walk</h1><p>We walked for a day and saw the sea, and came home late.</p></main>"
    )
    assert organisations(html) == []


def test_services_under_headings_of_their_own_are_several_and_keep_their_facts_apart() -> None:
    html = (
        "<title>Food help | Willow</title><main><h1>Food help</h1>"
        "<h2>Food Pantry</h2><p>We serve Rice County residents. Call (303) 555-0171.</p>"
        "<h2>Community Meal</h2><p>12 Elm St, Denver, CO 80203</p><p>Open to anyone aged 60 and older.</p>"
        "<h2>About us</h2><p>Write to 9 Oak St, Denver, CO 80202.</p></main>"
    )
    assert [fields(one) for one in organisations(html) if one.kind == "service"] == [
        {"name": "Food Pantry", "phone": "+13035550171", "eligibility": "Rice County residents"},
        {
            "name": "Community Meal",
            "address": "12 Elm St, Denver, CO 80203",
            "eligibility": "anyone aged 60 and older",
        },
    ]


FORM = "<form><label>Address</label><input><label>Age</label><input><button>Send</button></form>"


def test_a_page_that_looks_for_volunteers_needs_no_day_and_fields_of_its_form_are_no_place() -> None:
    html = (
        "<title>Volunteer | Willow Center</title><header><a href='/'>Willow Center</a></header>"
        "<main><h1>Boots on the ground</h1><p>Sign up below and we will find the right team for you.</p>"
        f"{FORM}</main><footer>© 2026 Willow Center</footer>"
    )
    found = [fields(one) for one in read(html, profile="community") if one.kind == "opportunity"]
    assert found == [{"name": "Volunteer", "organisation": "Willow Center"}]


def test_the_clearest_sentence_says_for_whom_a_service_is() -> None:
    html = (
        "<title>Food Pantry | Willow</title><main><h1>Food Pantry</h1><p>Call (303) 555-0171.</p>"
        "<p>Please bring an ID for everyone in your household.</p>"
        "<p>We are open to the public on Saturdays from 9:00 to 11:00.</p>"
        "<p>We serve Rice County residents.</p></main>"
    )
    assert [fields(one).get("eligibility") for one in organisations(html) if one.kind == "service"] == [
        "Rice County residents"
    ]


def test_a_site_is_called_as_its_text_spells_its_host() -> None:
    html = (
        "<title>GRANTS</title><main><h1>Grants</h1><p>The 256 Foundation gives grants of up to $5,000.</p>"
        "<p>Apply by 1 March 2027. Anyone may apply.</p></main>"
    )
    found = read(html, url="https://256foundation.example/grants")
    assert [one.fields["funder"].value for one in found if one.kind == "funding_program"] == [
        "256 Foundation"
    ]


@pytest.mark.parametrize("title", ["How to Apply", "Application Procedure", "Project Information"])
def test_a_giver_is_not_called_like_a_page_of_its_site(title: str) -> None:
    html = (
        f"<title>{title}</title><main><h1>{title}</h1><p>We give grants of up to $5,000 to nonprofits.</p>"
        "<p>Apply by 1 March 2027. The Mathers Foundation decides in May.</p></main>"
    )
    found = read(html, url="https://mathersfoundation.example/apply")
    assert [fields(one)["funder"] for one in found if one.kind == "funding_program"] == ["Mathers Foundation"]
    unknown = read(html.replace("The Mathers Foundation", "The Foundation"), url="https://mf.example/apply")
    assert ["funder" in one.fields for one in unknown if one.kind == "funding_program"] == [False]


def test_questions_about_grants_are_no_programme() -> None:
    html = (
        "<title>Frequently Asked Questions</title><main><h1>Frequently Asked Questions</h1>"
        "<p>Can we apply for a grant? Yes, nonprofits may apply for grants of up to $5,000 until"
        " 1 March 2027.</p></main>"
    )
    assert [one.name for one in read(html) if one.kind == "funding_program"] == []


REPORT = (
    "<title>{title}</title><main><h1>{title}</h1><p>The Elm Rotary Club offers scholarships of $1,000 to"
    " seniors of Oak County.</p><p>Applications are due by 1 March 2027.</p><p>{text}</p></main>"
)


def _programmes(html: str, url: str = "https://daily.example/scholarships") -> list[str]:
    return [one.name for one in read(html, url=url) if one.kind == "funding_program"]


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://daily.example/2026/01/rotary-scholarships", "Students of both schools may apply."),
        ("https://daily.example/news/rotary-scholarships", "Students of both schools may apply."),
        ("https://daily.example/a1", "The deadline is near, said Ann Lee, who explains the rules."),
    ],
)
def test_whoever_reports_what_others_offer_never_says_we(url: str, text: str) -> None:
    assert _programmes(REPORT.format(title="Rotary scholarships", text=text), url) == []


def test_what_a_person_is_quoted_with_is_not_the_voice_of_the_page() -> None:
    quoted = "“We are proud of our scholarships and we want you to apply to us”, the club wrote."
    page = REPORT.format(title="Rotary scholarships", text=quoted)
    assert _programmes(page, "https://daily.example/news/rotary") == []


def test_a_giver_may_write_news_of_its_own_programme() -> None:
    page = REPORT.format(title="Rotary scholarships", text="We read every letter and our club answers it.")
    assert _programmes(page, "https://elmrotary.example/news/scholarships") == ["Rotary scholarships"]


def test_a_page_that_explains_a_thing_in_general_offers_none() -> None:
    assert _programmes(REPORT.format(title="What are scholarships", text="Students may apply.")) == []


def test_a_number_of_the_romans_is_nobody_who_tells_of_themselves() -> None:
    text = "Tier I is small. Tier I is quick. Tier I needs no match. Apply for Tier I in spring."
    assert _programmes(REPORT.format(title="Tier I Scholarships", text=text)) == ["Tier I Scholarships"]


CARDS = "<title>Grants | Elm Foundation</title><main><h1>Our grants</h1><p>We give every year.</p>{}</main>"


def test_cards_side_by_side_that_name_programmes_are_programmes() -> None:
    names = ("Heroes Grants", "Orchard Grants", "River Fund")
    cards = "".join(f"<h3>{name}</h3><p>For work that matters to our county.</p>" for name in names)
    assert _programmes(CARDS.format(cards)) == list(names)


def test_the_parts_of_a_programme_are_no_programmes() -> None:
    parts = ("Grant Amounts", "Scholarship Committee", "Grant Search", "Award Criteria")
    cards = "".join(f"<h3>{name}</h3><p>For work that matters to our county.</p>" for name in parts)
    assert not set(_programmes(CARDS.format(cards))) & set(parts)


def test_items_that_begin_with_the_name_of_a_programme_are_programmes() -> None:
    items = "<li>Oak Scholarship: For students of botany.</li><li>Ash Award: For students of law.</li>"
    page = CARDS.format(f"<ul>{items}</ul>")
    found = {one.name: one.fields["eligibility"].value for one in read(page) if "eligibility" in one.fields}
    assert found == {"Oak Scholarship": "students of botany", "Ash Award": "students of law"}


def test_what_title_and_footer_agree_on_is_believed_before_a_line_beside_the_address() -> None:
    page = (
        "<html lang=en><title>Helping - Larue House</title><header><a href='/'>Larue House</a></header>"
        "<main><h1>Helping</h1><p>We need you.</p></main><footer><p>Association of lifelong learning</p>"
        "<p>12 Mill Street, Northfield, MN 55057</p><p>© 2026 Larue House</p></footer>"
    )
    assert [one.name for one in organisations(page) if one.kind == "organisation"] == ["Larue House"]


NEWS = (
    "<title>Grants for local artists | The Elm Letter</title><main><h1>Grants for local artists</h1>"
    "<p>The Alder Council gives grants of up to $4,000. {}</p>"
    "<p>Artists may apply until 1 March 2027.</p></main>"
)


def test_a_numbered_article_of_a_newspaper_offers_nothing() -> None:
    url = "https://www.elm.example/culture/article_9a246d0b-7c56-5f37.html"
    assert read(NEWS.format("Call 555-0100 for a form."), url=url) == []


@pytest.mark.parametrize("title", ["Grant Alerts", "The Elm grant database", "Scholarship search"])
def test_who_finds_what_others_give_offers_nothing(title: str) -> None:
    assert read(CALL.format(title=title, text="Send it to us.")) == []


def test_words_of_those_who_were_helped_do_not_make_a_report_of_a_service() -> None:
    page = (
        "<title>Legal aid | Elm</title><main><h1>Legal aid</h1><p>Free advice for people who cannot afford a"
        " lawyer.</p><p>“They listened to me for a whole afternoon,” says Maria.</p>"
        "<p>Monday 9–12, 12 Mill Street, Northfield, MN 55057</p></main>"
    )
    assert [one.kind for one in organisations(page)].count("service") == 1


@pytest.mark.parametrize("kind", ["website", "article"])
def test_whom_a_newspaper_reports_on_lends_it_no_address(kind: str) -> None:
    html = (
        f"<title>Food bank moves | Valley News</title><meta property='og:type' content='{kind}'>"
        "<header>Valley News</header><main><h1>Food bank moves</h1><p>The food bank has moved, it said.</p>"
        "<p>It is at 12 Main Street, Springfield, IL 62701. Call (217) 555-0134.</p></main>"
        "<footer>© 2026 Valley News. Contact (217) 555-0199</footer>"
    )
    found = [fields(one) for one in organisations(html, kinds=("organisation",))]
    assert found == ([] if kind == "article" else [{"name": "Valley News", "phone": "+12175550199"}])


DONORS = (
    "<title>Named {awards} | Birch College Fund</title><main><h1>Named {awards}</h1><p>{text}</p>"
    "<h2>Annual {awards}</h2><p>{least}</p></main>"
)


@pytest.mark.parametrize(
    ("awards", "text", "least", "language"),
    [
        (
            "Scholarships",
            "A donor names the scholarship and may endow it with one gift or in a will. An endowment stays.",
            "The least a donor gives for an annual scholarship is $2,500.",
            "en",
        ),
        (
            "Bourses",
            "Le donateur donne son nom à la bourse. Elle naît d'un don, d'un legs ou d'un testament.",
            "Le donateur verse au moins 2 500 euros par an pour une bourse.",
            "fr",
        ),
    ],
)
def test_a_page_that_speaks_to_those_who_would_pay_for_scholarships_offers_none(
    awards: str, text: str, least: str, language: str
) -> None:
    html = DONORS.format(awards=awards, text=text, least=least)
    assert [one.name for one in read(html, language=language) if one.kind == "funding_program"] == []


def test_who_thanks_donors_and_says_how_to_apply_offers_what_they_paid_for() -> None:
    html = DONORS.format(
        awards="Scholarships",
        text="Gifts of our donors endow them. A sponsor pays for books. Students may apply by 1 March 2027.",
        least="An annual scholarship is worth $2,500.",
    )
    assert [one.name for one in read(html) if one.kind == "funding_program"] != []


@pytest.mark.parametrize(
    ("site", "title", "text", "language"),
    [
        (
            "Elmfield Today",
            "Scholarship deadline is near",
            "Two scholarships of $3,500 go to seniors here. The deadline for applications is April 5.",
            "en",
        ),
        (
            "Periódico El Olmo",
            "Subvenciones para asociaciones vecinales",
            "Las asociaciones podrán solicitar hasta 3.000 euros. El plazo termina el 5 de mayo de 2027.",
            "es",
        ),
        (
            "Вестник Бряст",
            "Стипендии за талантливи деца",
            "Право на стипендия от 500 лв. имат деца до 18 години. Краен срок: 5 май 2027 г.",
            "bg",
        ),
    ],
)
def test_a_newspaper_that_never_says_we_reports_what_others_offer(
    site: str, title: str, text: str, language: str
) -> None:
    html = (
        f"<title>{title} | {site}</title><header><a href='/'>{site}</a></header>"
        f"<main><h1>{title}</h1><p>{text}</p></main>"
    )
    assert [one for one in read(html, language=language) if one.kind == "funding_program"] == []
    own = html.replace(site, "Elm Fund")
    assert [one for one in read(own, language=language) if one.kind == "funding_program"] != []
