"""The gold set is whole: every page has its answer, and every answer can be read off its page."""

import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import phonenumbers
import pytest

FOLDER: Final = Path(__file__).parents[2] / "data" / "gold"
HALVES: Final = ("judge", "tune")
ANSWERS: Final = {
    f"{half}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
    for half in HALVES
    for path in sorted((FOLDER / half).glob("*.json"))
}
KEYS: Final = ["url", "language", "profile", "relevant", "title", "main_text", "records", "contacts"]
PROGRAM: Final = "name funder amount_min amount_max currency deadline eligibility region language"
FIELDS: Final = {
    "funding_program": set(PROGRAM.split()),
    "service": {"name", "address", "phone", "hours", "eligibility", "categories"},
    "opportunity": {"name", "organisation", "deadline", "location"},
    "business": {"name", "address", "phone", "hours", "website"},
    "organisation": {"name", "address", "phone", "email", "website"},
}
CONTACTS: Final = {"person", "email", "phone", "address", "form"}
LANGUAGES: Final = {"en", "bg", "de", "fr", "ro", "el", "es"}
PROFILES: Final = {"funding", "community", "images"}
# Fields that are words of the page. They are compared without spaces and case, because markup breaks lines.
WORDS: Final = ("name", "funder", "organisation", "eligibility", "region", "location", "address", "hours")
# What stood in judge/ when it was committed, before the first extraction rule. It is not brought up to date.
JUDGE_SHA256: Final = "9e2243781770b6c4b277b8d564f8b6cf195deff1abb681f2ee8df70c3ca258c7"
PAGES_PER_HALF: Final = 34  # fewer, and one page moves a share by more than three points
PAGE_BYTES: Final = range(3_000, 25_001)  # small enough to read, large enough to hold a real site's noise
README: Final = (FOLDER / "README.md").read_text(encoding="utf-8")
COUNTED: Final[dict[str, Callable[[list[dict[str, Any]]], list[str]]]] = {
    "pages in": lambda answers: [answer["language"] for answer in answers],
    "pages of": lambda answers: [answer["profile"] for answer in answers],
    "record": lambda answers: [record["kind"] for answer in answers for record in answer["records"]],
    "contact": lambda answers: [contact["kind"] for answer in answers for contact in answer["contacts"]],
}
VOID: Final = frozenset({"br", "img", "input", "link", "meta", "wbr"})  # tags that nothing closes
each = pytest.mark.parametrize("name", ANSWERS)


def half_of(half: str) -> list[dict[str, Any]]:
    return [answer for name, answer in ANSWERS.items() if name.startswith(f"{half}/")]


def page_bytes(name: str) -> bytes:
    return (FOLDER / f"{name}.html").read_bytes()


def page(name: str) -> str:
    raw = page_bytes(name)
    declared = re.search(rb"charset\s*=\s*[\"']?([\w-]+)", raw[:2048], re.IGNORECASE)
    return raw.decode(declared[1].decode() if declared else "utf-8")


class Shown(HTMLParser):
    """What a reader sees; tags that are closed badly or never hide nothing else."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.hidden: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        unseen = "display:none" in (dict(attrs).get("style") or "").replace(" ", "")
        if self.hidden is None and tag not in VOID and (unseen or tag in {"script", "style", "noscript"}):
            self.hidden = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.hidden:
            self.hidden = None

    def handle_data(self, data: str) -> None:
        if self.hidden is None:
            self.pieces.append(data)


def squeeze(text: str) -> str:
    return re.sub(r"\s+|[\u00ad\u200b]", "", text).casefold()


def shown(name: str) -> str:
    parser = Shown()
    parser.feed(page(name))
    parser.close()
    return squeeze("".join(parser.pieces))


def parts(value: str, separator: str) -> list[str]:
    return [squeeze(part) for part in value.split(separator)]


def phones(answer: dict[str, Any]) -> list[str]:
    in_records = [record["fields"]["phone"] for record in answer["records"] if "phone" in record["fields"]]
    return in_records + [contact["value"] for contact in answer["contacts"] if contact["kind"] == "phone"]


def test_every_page_has_its_answer_and_every_answer_its_page() -> None:
    pages = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.html")}
    assert pages == set(ANSWERS)


def test_the_judging_half_is_what_it_was() -> None:
    files = sorted((FOLDER / "judge").iterdir())
    together = b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in files)
    assert hashlib.sha256(together).hexdigest() == JUDGE_SHA256


def test_the_halves_share_no_site_and_no_number() -> None:
    judge, tune = (half_of(half) for half in HALVES)
    assert {urlsplit(answer["url"]).netloc for answer in judge}.isdisjoint(
        urlsplit(answer["url"]).netloc for answer in tune
    )
    numbers = [name.partition("/")[2][:3] for name in ANSWERS]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("half", HALVES)
def test_a_half_is_large_and_mixed(half: str) -> None:
    answers = half_of(half)
    assert len(answers) >= PAGES_PER_HALF
    assert {answer["language"] for answer in answers} == LANGUAGES
    assert {answer["profile"] for answer in answers} == PROFILES
    assert {record["kind"] for answer in answers for record in answer["records"]} == set(FIELDS)
    assert {contact["kind"] for answer in answers for contact in answer["contacts"]} == CONTACTS
    assert 0.2 < sum(not answer["relevant"] for answer in answers) / len(answers) < 0.5


@pytest.mark.parametrize("counted", COUNTED)
def test_the_readme_counts_what_is_there(counted: str) -> None:
    written = re.findall(rf"^\| {counted} `([\w-]+)` \| (\d+) \| (\d+) \|$", README, re.MULTILINE)
    judge, tune = (Counter(COUNTED[counted](half_of(half))) for half in HALVES)
    assert {name: (int(one), int(two)) for name, one, two in written} == {
        name: (judge[name], tune[name]) for name in judge | tune
    }


@each
def test_an_answer_fits_the_schema(name: str) -> None:
    answer = ANSWERS[name]
    assert list(answer) == KEYS
    assert answer["language"] in LANGUAGES
    assert answer["profile"] in PROFILES
    assert isinstance(answer["relevant"], bool)
    assert answer["url"].startswith(("https://", "http://"))
    assert answer["title"] == answer["title"].strip() != ""
    for record in answer["records"]:
        assert set(record) == {"kind", "fields"}
        assert "name" in record["fields"]
        assert set(record["fields"]) <= FIELDS[record["kind"]]
        assert all(value not in ("", [], None) for value in record["fields"].values())
    for contact in answer["contacts"]:
        assert {"kind", "value"} <= set(contact) <= {"kind", "value", "name", "role"}
        assert contact["kind"] in CONTACTS
        assert all(contact.values())


@each
def test_a_page_has_a_believable_size(name: str) -> None:
    assert len(page_bytes(name)) in PAGE_BYTES


@each
def test_phones_are_valid_and_in_their_one_international_form(name: str) -> None:
    for phone in phones(ANSWERS[name]):
        number = phonenumbers.parse(phone)
        assert phonenumbers.is_valid_number(number), phone
        assert phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) == phone


@each
def test_the_digits_of_a_phone_are_on_the_page(name: str) -> None:
    digits = re.sub(r"\W+", "", shown(name) + html.unescape(page(name)))
    for phone in phones(ANSWERS[name]):
        assert str(phonenumbers.parse(phone).national_number) in digits, phone


@each
def test_dates_and_amounts_are_values(name: str) -> None:
    for record in ANSWERS[name]["records"]:
        fields = record["fields"]
        if deadline := fields.get("deadline"):
            assert date.fromisoformat(deadline).isoformat() == deadline
        low, high = fields.get("amount_min"), fields.get("amount_max")
        assert (low is None and high is None) == ("currency" not in fields)
        assert re.fullmatch("[A-Z]{3}", fields.get("currency", "EUR"))
        assert all(isinstance(amount, int) and amount > 0 for amount in (low, high) if amount is not None)
        assert low is None or high is None or low <= high


@each
def test_every_paragraph_of_the_main_text_is_on_the_page(name: str) -> None:
    text = shown(name)
    assert ANSWERS[name]["main_text"].strip()
    for paragraph in ANSWERS[name]["main_text"].split("\n"):
        assert squeeze(paragraph) in text, paragraph


@each
def test_the_words_of_a_record_are_on_the_page(name: str) -> None:
    text = shown(name) + squeeze(page(name))
    for record in ANSWERS[name]["records"]:
        for field in WORDS:
            separator = {"address": ", ", "hours": "; "}.get(field, "\n")
            for part in parts(record["fields"].get(field, ""), separator):
                assert part in text, (field, part)
        for category in record["fields"].get("categories", []):
            assert squeeze(category) in text, category


@each
def test_people_and_addresses_among_the_contacts_are_on_the_page(name: str) -> None:
    text = shown(name) + squeeze(page(name))
    for contact in ANSWERS[name]["contacts"]:
        assert squeeze(contact.get("name", "")) in text
        assert squeeze(contact.get("role", "")) in text
        if contact["kind"] == "address":
            assert all(part in text for part in parts(contact["value"], ", ")), contact["value"]


@each
def test_addresses_of_mail_and_forms_are_written_in_one_way(name: str) -> None:
    for contact in ANSWERS[name]["contacts"]:
        if contact["kind"] == "email":
            assert re.fullmatch(r"[a-z0-9._+-]+@[a-z0-9.-]+\.[a-z]{2,}", contact["value"])
        if contact["kind"] == "form":
            assert contact["value"].startswith(("https://", "http://"))
