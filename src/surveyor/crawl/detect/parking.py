"""Recognises a parking page: a thin page that offers its own domain, in many languages. Pure.

Two signs must come together: the words of an offer, and hardly any other content. A page that merely
writes about domains for sale is longer, or has more links.
"""

from __future__ import annotations

from surveyor import wordlists
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

OFFERS = wordlists.words("crawl/parked", "offer")
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
