"""Each detector by itself, the words of hosts, and how lists are matched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor import wordlists
from surveyor.discover.spam import ENOUGH, categories, mismatch, stuffing, wordlist
from surveyor.discover.spam.features import sight
from surveyor.discover.spam.hosts import CATEGORIES, read_host, split_compound
from surveyor.discover.spam.wordlists import Lexicon, read
from surveyor.words import tokens
from surveyor.words.text import to_latin


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("casinowinners", ["casino", "winners"]),
        ("bestcasinobg", ["best", "casino", "bg"]),
        ("fastloan", ["fast", "loan"]),
        ("alphabet", ["alphabet"]),
        ("elgatoenlaventana", ["elgatoenlaventana"]),
        ("bulgaria", ["bulgaria"]),
        ("xq", ["xq"]),
    ],
)
def test_compounds_are_taken_apart(letters: str, words: list[str]) -> None:
    assert split_compound(letters) == words


def test_a_host_is_read_without_www_and_suffix() -> None:
    host = read_host("www.best-loans.co.uk")
    assert host.words == ("best", "loans")
    assert "loans.host" in host.found
    assert not host.is_public
    assert read_host("fund.ministry.gov.bg").is_public
    assert read_host("things.click").is_cheap
    assert "gambling.host" in read_host("anything.bet").found


@pytest.mark.parametrize(
    "name", ["", ".", "..", "xn--", "xn--zzzzzz", "-", "a" * 300, "казино.бг", "\ud800.com"]
)
def test_any_text_is_taken_for_a_host(name: str) -> None:
    assert read_host(name).name == name


@pytest.mark.parametrize(
    ("phrase", "text", "is_found"),
    [
        ("free spin*", "Get FREE Spins!", True),
        ("free spin*", "free the spin", False),
        ("in # days", "in 9 days", True),
        ("in # days", "in nine days", False),
        ("write .. essay", "we write you a good essay", True),
        ("write .. essay", "we write you a very good long essay", False),
        ("fără rețetă", "FARA RETETA", True),
        ("χωρίς συνταγή", "ΧΩΡΙΣ ΣΥΝΤΑΓΗ", True),
        ("bet", "alphabet", False),
    ],
)
def test_entries_match_words_and_never_parts_of_words(phrase: str, text: str, is_found: bool) -> None:
    lexicon = Lexicon([("some.group", "any", phrase)])
    assert bool(lexicon.find(tokens(text))) is is_found


def test_entries_of_another_language_do_not_count() -> None:
    lexicon = Lexicon([("some.group", "fr", "pain")])
    assert lexicon.find(["pain"], "fr")
    assert not lexicon.find(["pain"], "en")
    assert lexicon.find(["pain"], None)


def test_a_phrase_counts_instead_of_its_first_word() -> None:
    lexicon = Lexicon([("g", "any", "casino*"), ("g", "any", "casino bonus")])
    assert lexicon.find(["casino", "bonus"]) == {"g": ["casino bonus"]}


@pytest.mark.parametrize(
    "name", [file.partition("/")[2] for file in wordlists.files() if file.startswith("spam/")]
)
def test_every_list_can_be_compiled(name: str) -> None:
    groups = (
        "host",
        "topic",
        "offer",
        "phrase",
        "page",
        "press",
        "cheap",
        *CATEGORIES,
        "warning",
        "speed",
        "you",
    )
    entries = list(read(name, groups))
    assert entries
    Lexicon(entries)


@pytest.mark.parametrize("category", [name for name in CATEGORIES if name != "goods"])
def test_every_category_has_offers_in_every_language_of_the_profiles(category: str) -> None:
    languages = {language for _, language, _ in read(category, ("offer",))}
    assert {"en", "bg", "de", "ro", "el", "fr", "es"} <= languages


def test_natural_repetition_is_let_through_and_stuffing_is_not() -> None:
    natural = sight(
        "a.org",
        "Good neighbours: neighbours helping neighbours",
        "Our neighbours drive a neighbour to the doctor and bring soup to the neighbours who are ill.",
    )
    stuffed = sight(
        "a.org",
        "Plumber Austin, plumbers Austin",
        "Plumber Austin, cheap plumber Austin, plumbing Austin, best plumbers.",
    )
    assert stuffing.detect(natural) is None
    accusation = stuffing.detect(stuffed)
    assert accusation is not None
    assert "plumb" in accusation.saw


def test_an_administration_may_make_lists() -> None:
    terse = sight(
        "https://ipa.eu/",
        "IPA CBC: TP, SL, JMC dec. 14",
        "JMC dec. 14/2025, LP/PP, FLC v4.1, VAT art. 27, PA2, SO 2.1, eMS.",
    )
    assert wordlist.detect(terse) is None


def test_a_trade_that_speaks_of_itself_is_related_to_its_host() -> None:
    title, description = (
        "Grants for tyre shops",
        "In this guide: grants for everyone who sells tyres and fits tyres.",
    )
    assert mismatch.detect(sight("https://www.cheap-tyres.com/blog", title, description)) is None
    assert mismatch.detect(sight("https://www.wedding-dresses.com/blog", title, description)) is not None


def test_a_host_in_latin_letters_meets_a_text_in_its_own() -> None:
    assert to_latin("стипендии") == "stipendii"
    assert to_latin("υποτροφια") == "ypotrofia"
    words = (
        "https://www.matraci-son.bg/",
        "Матраци за домове",
        "В тази статия: кои матраци са добри за училища и болници.",
    )
    assert mismatch.detect(sight(*words)) is None


def test_an_accusation_quotes_what_it_saw() -> None:
    accusation = categories.detect(
        sight("a.com", "Casino bonus", "Free spins and no deposit for new players at our casino")
    )
    assert accusation is not None
    assert accusation.saw.startswith("gambling: ")
    assert "no deposit" in accusation.saw


def test_a_top_level_domain_of_the_own_country_speaks_for_a_result() -> None:
    text = ("Казино бонус без депозит", "Вземи безплатни завъртания и играй сега в най-доброто казино.")
    at_home, abroad = (categories.detect(sight(f"https://igri{end}/", *text)) for end in (".bg", ".com"))
    assert at_home is not None
    assert abroad is not None
    assert at_home.weight < abroad.weight


@pytest.mark.parametrize(
    ("path", "is_article"),
    [
        ("/2021/05/what-it-costs", True),
        ("/noticias/casino", True),
        ("/what-a-quick-loan-really-costs", True),
        ("/quick-loans/what-it-costs", False),
        ("/news", False),
        ("/?p=4410", False),
        ("", False),
    ],
)
def test_an_article_is_told_by_its_path(path: str, is_article: bool) -> None:
    assert sight(f"https://anything.example{path}", "", "").is_article is is_article


def test_loans_without_any_doubtful_offer_do_not_reach_a_verdict() -> None:
    office = sight(
        "https://www.loans-office.com/loans",
        "Student loans explained",
        "Check the loan you can get, how fast it is approved and when you repay. Apply online today.",
    )
    office = office._replace(
        found={group: finds for group, finds in office.found.items() if group != "loans.offer"}
    )
    accusation = categories.detect(office)
    assert accusation is not None
    assert accusation.weight < ENOUGH


@given(st.text(alphabet=st.sampled_from("aZß İéе́ςΆй _-,.7\n\t\u00a0\u2003ﬁ´ｱ"), max_size=30))
def test_a_text_cut_at_its_spaces_has_the_words_of_the_whole(text: str) -> None:
    assert sight("example.org", text, "").title_words == tokens(text)
