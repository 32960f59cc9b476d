"""Recognises a parking page: a thin page that offers its own domain, in many languages. Pure.

Two signs must come together, what is said and how little there is besides. A page that merely
speaks of domains for sale is long, or leads somewhere.
"""

from __future__ import annotations

from surveyor.crawl.pages.html import PageFacts
from surveyor.names import DomainName, parent_domain, resolve
from surveyor.words import fold, tokens

# Characters of text and links within the site, up to which a page may be one. Parking pages are short;
# what is long about them is their list of advertised searches.
THIN_CHARS, THIN_LINKS = 3_000, 30
# Without the words in its title a page must be thinner still: so short, or leading to so little.
_SHORT_CHARS, _FEW_LINKS = 1_000, 5
# Characters of a page that are looked through for words.
_READ = 4_000

# What such a page says, as tokens without diacritics; its own name is written `domain` before.
_OFFERS = """
domain is for sale | domain name is for sale | domain may be for sale | domain for sale | website is for sale
buy this domain | buy the domain | purchase this domain | get this domain | interested in this domain
domain is parked | domain parked | parked domain | parked free courtesy | parked courtesy of
domain has expired | domain name has expired | domain is available for purchase | domain is available for sale
inquire about this domain | make an offer on this domain | make an offer for this domain
domain steht zum verkauf | website steht zum verkauf | domain zu verkaufen | domain ist zu verkaufen
domain kaufen | domain ist geparkt | domain ist abgelaufen | domain zu verkauf
domaine est a vendre | domaine a vendre | domain est a vendre | site est a vendre | acheter ce domaine
acheter ce nom de domaine | domaine a expire | domaine est parque
dominio esta en venta | dominio esta a la venta | dominio en venta | domain esta en venta
domain esta a la venta | comprar este dominio | compra este dominio | dominio ha caducado
dominio ha expirado | dominio estacionado
dominio e in vendita | dominio in vendita | domain e in vendita | acquista questo dominio | dominio scaduto
dominio esta a venda | dominio a venda | domain esta a venda
domein is te koop | domeinnaam is te koop | domein te koop | domain is te koop | koop dit domein
domena jest na sprzedaz | domena na sprzedaz | domain jest na sprzedaz | kup te domene | domena wygasla
domeniu este de vanzare | domeniu de vanzare | domain este de vanzare | cumpara acest domeniu
domena je na prodej | domena na prodej | domena je na predaj | domain je na prodej | domena je naprodaj
domanen ar till salu | domain ar till salu | domaenet er til salg | domenet er til salgs
domain elado | ez a domain elado | alan adi satilik | alan adi satiliktir | domain satiliktir
домейнът се продава | домейн се продава | домейн за продажба | domain се продава | купете този домейн
домен продается | домен выставлен на продажу | домен припаркован | купить этот домен | domain продается
домен продаеться | домен на продаж
domain πωλειται | ονομα χωρου πωλειται | το domain διατιθεται προς πωληση
域名出售 | 域名可出售 | 域名正在出售 | 购买此域名 | 域名轉讓 | ドメインは販売中 | ドメインを購入 | 도메인 판매
"""
OFFERS = tuple(phrase.strip() for line in _OFFERS.strip().splitlines() for phrase in line.split("|"))
# Registrable domains of those who park and sell domains; a page that leads nowhere else is theirs.
_SELLERS = """
above.com afternic.com atom.com bodis.com brandbucket.com buydomains.com dan.com domainmarket.com efty.com
hugedomains.com namebright.com parkingcrew.net parklogic.com sedo.com sedoparking.com squadhelp.com
undeveloped.com voodoo.com
"""
MARKETS = frozenset(_SELLERS.split())


def may_be_parked(page: PageFacts) -> bool:
    """Whether a page is thin enough to be read for it."""
    return page.text_chars <= THIN_CHARS and len(page.links) <= THIN_LINKS


def offer_of(page: PageFacts, domain: DomainName) -> str | None:
    """What a page with its text says to offer its domain; None if it is a page like any other."""
    if not may_be_parked(page):
        return None
    is_thin = page.text_chars <= _SHORT_CHARS or len(page.links) <= _FEW_LINKS
    own_name = " ".join(tokens(str(domain)))
    for text in (page.title, page.text[:_READ]) if is_thin else (page.title,):
        said = " ".join(fold(word) for word in tokens(text)).replace(own_name, "domain")
        if found := next((phrase for phrase in OFFERS if phrase in said), None):
            return found
    return _market(page) if page.foreign and len(page.links) <= _FEW_LINKS else None


def _market(page: PageFacts) -> str | None:
    """All that the page links to is one who sells domains."""
    hosts = {_parent(url) or "" for url in page.foreign}
    return min(hosts) if hosts <= MARKETS else None


def _parent(url: str) -> str | None:
    found = resolve(url, url)
    return None if found is None else parent_domain(found.domain)
