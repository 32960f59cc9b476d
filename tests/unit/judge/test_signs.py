"""Signs of the kind of site, one by one, and on any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.judge.sign_words import WORDS, is_shown
from surveyor.judge.signs import SIGNS, signs_of, site_of
from surveyor.judge.vocabulary import Vocabulary
from surveyor.names import canonical_domain

_words = Vocabulary()


def signs(url: str, title: str = "A title", description: str = "") -> dict[str, float]:
    site, text = site_of(canonical_domain(url)), _words.read(title, description)
    return signs_of(url, title, description, site, text, _words)


@pytest.mark.parametrize(
    ("url", "sign"),
    [
        ("https://example.org/", "root"),
        ("https://example.org/apply", "shallow"),
        ("https://example.org/a/b/c/d", "deep"),
        ("https://example.org/2024/05/some-text", "dated_path"),
        ("https://example.org/article/83920114", "number_in_path"),
        ("https://example.org/minister-opens-the-new-grant-scheme", "headline_path"),
        ("https://example.org/files/guidelines.pdf", "file"),
        ("https://example.org/news/call", "path_story"),
        ("https://example.org/grants/", "path_offer"),
        ("https://example.org/?id=2", "query"),
        ("https://tax.gov.bg/", "government"),
        ("https://mon.gov.ro/", "government"),
        ("https://uni-sofia.bg/", "school"),
        ("https://cam.ac.uk/", "school"),
        ("https://dailyherald.com/", "host_media"),
        ("https://somebody.blogspot.com/", "host_platform"),
        ("https://grant-finder.com/", "host_finder"),
    ],
)
def test_an_address_tells(url: str, sign: str) -> None:
    assert sign in signs(url)
    assert sign not in signs("https://example.com/about" if sign == "deep" else "https://example.com/one/two")


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://openspacebg.com/", "Call for artists - Open Space Foundation"),
        ("https://tulipfoundation.net/programs", "Tulip Foundation | small grants"),
        ("https://fondatsialale.bg/", "Фондация Лале - програми"),
        ("https://stavros-niarchos.gr/x", "Ίδρυμα Σταύρος Νιάρχος"),
    ],
)
def test_a_host_that_the_title_names_is_seen_in_every_alphabet(url: str, title: str) -> None:
    assert signs(url, title).get("host_in_title", 0) > 0.3


def test_a_host_that_abbreviates_the_title_is_seen() -> None:
    assert "host_is_abbreviation" in signs("https://ncf.bg/", "National Culture Fund")
    assert "host_is_abbreviation" not in signs("https://abc.bg/", "National Culture Fund")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("We support our members", "we"),
        ("Ние подкрепяме нашите членове", "we"),
        ("Wir fördern unsere Mitglieder", "we"),
        ("Nous soutenons notre quartier", "we"),
        ("Nuestro centro abre los lunes", "we"),
        ("Στηρίζουμε τα μέλη μας", "we"),
        ("The minister said yesterday", "reports"),
        ("Министърът заяви вчера", "reports"),
        ("Der Minister sagte gestern", "reports"),
        ("Ministrul a declarat ieri", "reports"),
        ("Le ministre a déclaré", "reports"),
        ("Tips and a complete guide", "guides"),
        ("Kandidatstvane", ""),
        ("Кандидатстване до 5 май", "apply"),
        ("Bewerbungen bis Mai", "apply"),
    ],
)
def test_a_text_tells_who_speaks(text: str, sign: str) -> None:
    found = signs("https://example.org/", "x", text)
    assert not sign or sign in found


def test_small_words_of_a_title_name_no_host() -> None:
    assert "title_is_name" not in signs("https://www.skai.gr/a", "Φαγητό και αγκαλιά", "")
    assert "title_is_name" in signs("https://www.skai.gr/a", "Σκάι: φαγητό", "")


def test_no_sign_is_given_for_what_nobody_would_believe() -> None:
    assert is_shown("we", speaks_for=True) and not is_shown("we", speaks_for=False)
    assert is_shown("dated_path", speaks_for=False) and not is_shown("dated_path", speaks_for=True)
    assert not is_shown("a sign that no list knows", speaks_for=True)


def test_every_sign_can_be_told_to_a_person() -> None:
    assert not set(SIGNS) - WORDS.keys()


@given(
    path=st.text(max_size=80),
    title=st.text(max_size=200),
    description=st.text(max_size=400),
)
def test_any_text_gives_known_signs_between_nothing_and_one(path: str, title: str, description: str) -> None:
    url = f"https://example.org/{path}"
    text = _words.read(title, description)
    found = signs_of(url, title, description, site_of("example.org"), text, _words)
    assert set(found) <= set(SIGNS)
    assert all(0 < strength <= 1 for strength in found.values())
