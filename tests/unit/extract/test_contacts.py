"""Who can be reached how: channels with their owners, forms, and whole pages with their answers.

The pages lie in tests/data/contacts; each answer was written before a rule saw the page.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract import contacts, organisations
from surveyor.extract.analysis import Analysis
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import ContactKind, FoundContact, Page, Source
from surveyor.profiles import loader
from tests.unit.extract.conftest import TODAY, URL
from tools.extract_report import Report, compare

PAGES = Path(__file__).parents[2] / "data" / "contacts"
# What is still wrong, and why it is left so.
LEFT = {
    "41-en-hcard": "the only number of a page is taken for the organisation's, be it a person's",
    "46-en-aggregator": "a number without country code on a page that names no country",
    "49-en-prize-multi": "the address of an office stands right below the organisation's",
}


# Where somebody lives who writes in a language that the profile has not.
LIVES = {"bg": "BG", "de": "DE", "fr": "FR", "ro": "RO", "el": "GR", "es": "ES"}


def view_of(profile: str, language: str) -> ProfileView:
    view = ProfileView.of(loader.load(profile))
    if language in view.languages:
        return view
    regions = (LIVES[language], *view.phone_regions)
    return replace(view, languages=(*view.languages, language), phone_regions=regions)


def read(html: str, url: str = URL, profile: str = "funding") -> list[FoundContact]:
    view = ProfileView.of(loader.load(profile))
    document = parse(Page(url, html.encode(), "text/html; charset=utf-8", TODAY), view)
    return contacts.find(Analysis(document, view))


def told(found: list[FoundContact], kind: ContactKind) -> list[tuple[str, str | None, str | None]]:
    return [(one.value, one.name, one.role) for one in found if one.kind is kind]


@pytest.mark.parametrize("name", [path.stem for path in sorted(PAGES.glob("*.json"))])
def test_a_page_gives_what_a_curator_would_take(name: str) -> None:
    known = json.loads((PAGES / f"{name}.json").read_text("utf-8"))
    view = view_of(known["profile"], known["language"])
    document = parse(Page(known["url"], (PAGES / f"{name}.html").read_bytes(), "text/html", TODAY), view)
    analysis = Analysis(document, view)
    around = organisations.find(analysis)
    found_bodies = [one for one in (*around.places, around.organisation) if one and one.kind in view.kinds]
    report = Report()
    found = {
        "records": [
            {"kind": one.kind, "fields": {name: field.value for name, field in one.fields.items()}}
            for one in found_bodies
        ],
        "contacts": [
            {"kind": one.kind.value, "value": one.value, "name": one.name, "role": one.role}
            for one in contacts.find(analysis)
        ],
    }
    compare(report, name, found, known)
    assert len(report.wrong) == (1 if name in LEFT else 0), report.wrong


def test_a_channel_belongs_to_who_was_named_before_it() -> None:
    found = read(
        "<main><h1>Grants</h1><p>Ana Reed, director, 030 1234567, ana.reed@a.example<br>"
        "Bo Lind, treasurer, 030 1234568</p><p>Office: 030 1234560, info@a.example</p></main>"
        "<html lang=de-DE>"
    )
    assert told(found, ContactKind.PERSON) == [
        ("Ana Reed", "Ana Reed", "director"),
        ("Bo Lind", "Bo Lind", "treasurer"),
    ]
    assert told(found, ContactKind.PHONE) == [
        ("+49301234567", "Ana Reed", "director"),
        ("+49301234568", "Bo Lind", "treasurer"),
        ("+49301234560", None, None),
    ]
    assert told(found, ContactKind.EMAIL) == [
        ("ana.reed@a.example", "Ana Reed", "director"),
        ("info@a.example", None, None),
    ]


def test_a_channel_that_stands_alone_too_is_nobodys() -> None:
    found = read(
        "<html lang=de-DE><main><h1>Grants</h1><p>Ana Reed, director, 030 1234567</p></main>"
        "<footer>Willow Trust, Am Markt 3, 10115 Berlin, 030 1234567</footer>"
    )
    assert told(found, ContactKind.PHONE) == [("+49301234567", None, None)]


def test_what_stands_in_comments_and_notices_is_not_offered() -> None:
    found = read(
        "<main><h1>News</h1><p>Nothing to see here, only words.</p></main>"
        '<div id="comments"><p>Jo: write me jo@a.example</p></div>'
        '<div class="cookie-banner"><p>privacy@b.example</p></div>'
    )
    assert found == []


def test_marks_are_believed_and_name_their_source() -> None:
    script = json.dumps(
        {"@type": "NGO", "name": "Reed", "telephone": "+44 20 7946 0958", "email": "a@reed.example"}
    )
    found = read(f'<script type="application/ld+json">{script}</script><h1>Reed</h1>')
    assert {(one.value, one.source) for one in found} == {
        ("+442079460958", Source.JSON_LD),
        ("a@reed.example", Source.JSON_LD),
    }


def test_quotes_are_short_and_of_the_page() -> None:
    (found,) = read(f"<main><p>{'word ' * 200} write to ana@a.example</p></main>")
    assert len(found.quote) == 300


FORMS = {
    "message": '<form><input name="name"><textarea name="m"></textarea></form>',
    "booking": '<form><input placeholder="Name"><input placeholder="Phone"><select></select></form>',
    "labels": "<form><label>Your name<input name=a></label><label>E-mail<input name=b></label></form>",
}
NO_FORMS = {
    "search": '<form role="search"><input name="name"><input name="email"></form>',
    "login": '<form><input type="email"><input type="password"><input name="name"></form>',
    "newsletter": '<form class="newsletter"><input type="email"><input name="name"></form>',
    "one field": '<form><input type="email"></form>',
    "wrapper": '<form id="aspnetForm"><input type="hidden" name="email"><p>text</p></form>',
    "comments": '<form action="/wp-comments-post.php"><textarea></textarea><input name="email"></form>',
    "cart": '<form action="/cart"><input name="name"><input name="email"></form>',
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_form_to_write_with_is_a_contact(form: str) -> None:
    assert told(read(f"<main><h1>Hello</h1>{form}</main>"), ContactKind.FORM) == [(URL, None, None)]


@pytest.mark.parametrize("form", NO_FORMS.values(), ids=NO_FORMS.keys())
def test_other_forms_are_none(form: str) -> None:
    assert told(read(f"<main><h1>Hello</h1>{form}</main>"), ContactKind.FORM) == []


@pytest.mark.parametrize(
    "text",
    [
        "Contact form",
        "Zum Kontaktformular",
        "Formulaire de contact",
        "Форма за контакт",
        "Formular de contact",
        "Φόρμα επικοινωνίας",
        "Formulario de contacto",
        "Apply online",
        "Jetzt bewerben",
        "Je candidate",
    ],
)
def test_a_link_to_a_form_is_a_contact(text: str) -> None:
    html = f'<main><h1>Grants</h1><p>You may write to us: <a href="/f">{text}</a></p></main>'
    assert told(read(html), ContactKind.FORM) == [("https://www.fund.example/f", None, None)]


def test_a_form_to_print_is_none() -> None:
    html = '<main><h1>Grants</h1><p>See <a href="/f.pdf">Contact form</a></p></main>'
    assert told(read(html), ContactKind.FORM) == []


def test_the_page_of_contacts_counts_where_nothing_else_does() -> None:
    footer = '<footer><a href="/contact-us">Contact us</a></footer>'
    page = "<main><h1>Soap</h1><p>A small soap of lavender.</p>{}</main>" + footer
    assert told(read(page.format("")), ContactKind.FORM) == [
        ("https://www.fund.example/contact-us", None, None)
    ]
    assert told(read(page.format("<p>a@b.example</p>")), ContactKind.FORM) == []


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="<>/pdivtrhaef=\"'@.:+0123456789 \nFrauAa,ул", max_size=400))
def test_no_page_is_too_odd(html: str) -> None:
    for profile in ("funding", "community"):
        read(html, profile=profile)
