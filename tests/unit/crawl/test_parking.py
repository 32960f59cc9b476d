"""Parking pages are told from pages that speak of domains, in many languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.detect.parking import MARKETS, OFFERS, may_be_parked, offer_of
from surveyor.crawl.pages.html import PageFacts, read_page
from surveyor.crawl.pages.scope import Scope
from surveyor.names import DomainName, parse_url

DOMAIN = DomainName("rila-youth.example")
URL = parse_url(f"https://{DOMAIN}/")


def _page(title: str, body: str) -> PageFacts:
    html = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
    return read_page(html, URL, Scope(DOMAIN), agent_token="t", want_text=True)


def _links(count: int) -> str:
    return "".join(f'<a href="/p/{number}">Part {number}</a> ' for number in range(count))


PARKED = {
    "en": ("rila-youth.example", "<h1>rila-youth.example is for sale</h1><p>Make an offer.</p>"),
    "en-broker": ("rila-youth.example - This website is for sale!", f"<p>Related searches</p>{_links(20)}"),
    "en-expired": ("Notice", "<p>This domain has expired. Is this your domain? Renew it now.</p>"),
    "en-registrar": ("rila-youth.example", "<p>This Web page is parked free, courtesy of a registrar.</p>"),
    "de": ("rila-youth.example", "<p>Diese Domain steht zum Verkauf!</p>"),
    "fr": ("rila-youth.example", "<p>Ce nom de domaine est à vendre.</p>"),
    "es": ("Dominio en venta", "<p>Este dominio está a la venta</p>"),
    "it": ("rila-youth.example", "<p>Questo dominio è in vendita</p>"),
    "pl": ("Oferta", "<p>Ta domena jest na sprzedaż</p>"),
    "ro": ("Ofertă", "<p>Acest domeniu este de vânzare</p>"),
    "bg": ("Продава се", "<p>Домейнът се продава</p>"),
    "el": ("Προσφορά", "<p>Το domain πωλείται</p>"),
    "ru": ("Домен", "<p>Домен продаётся</p>"),
    "zh": ("rila-youth.example", "<p>域名出售</p>"),
    "wordless": ("rila-youth.example", '<a href="https://www.sedo.com/search/details/?domain=x">·</a>'),
}


@pytest.mark.parametrize("case", sorted(PARKED))
def test_a_page_that_offers_its_own_domain_is_parked(case: str) -> None:
    page = _page(*PARKED[case])
    offer = offer_of(page, DOMAIN)
    assert offer in (*OFFERS, *MARKETS)


HONEST = {
    "home": ("Rila Youth", f"<p>We give grants to young people.</p>{_links(12)}"),
    "bare": ("Rila Youth", "<p>Our pages are under construction.</p>"),
    "shop": ("Houses", f"<p>This house is for sale. Buy this chair.</p>{_links(3)}"),
    "article": ("How we lost our name", f"<p>{'A long story. ' * 300} Then the domain was for sale.</p>"),
    "advice": ("Names", f"<p>{'What to know. ' * 90} If a domain is for sale, ask.</p>{_links(15)}"),
    "portal": ("Names", f"<p>Buy this domain or that.</p>{_links(60)}"),
    "partner": ("Rila", '<a href="https://www.sedo.com/x">sold here</a><a href="https://un.org/">UN</a>'),
    "other": ("News", f"<p>{'Our news. ' * 120}</p><p>other.example is for sale</p>{_links(9)}"),
}


@pytest.mark.parametrize("case", sorted(HONEST))
def test_an_honest_page_is_not(case: str) -> None:
    assert offer_of(_page(*HONEST[case]), DOMAIN) is None


def test_a_page_like_most_is_not_even_read_for_it() -> None:
    assert not may_be_parked(_page("Rila", "<p>word</p>" * 900))
    assert not may_be_parked(_page("Rila", _links(31)))
    assert may_be_parked(_page("Rila", _links(30)))


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_is_too_odd_to_be_read(title: str, text: str) -> None:
    assert offer_of(_page(title, f"<p>{text}</p>"), DOMAIN) in (None, *OFFERS, *MARKETS)
