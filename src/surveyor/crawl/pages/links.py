"""Where the hrefs of a page lead: the hot path, run for every link of every page.

Most links of a page are on other pages of the site too, and most are plain paths. So the target of an href is
remembered per site, and a plain path is used as it is; only the rest goes through the URL parser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from surveyor.crawl.pages.scope import Scope
from surveyor.names import PageUrl, resolve

# Links of one page that are looked at: resolving them takes some 30 ms. Longer lists are sitemaps.
MAX_LINKS = 10_000
# Links to other domains that one page may report.
MAX_FOREIGN = 2_000
# Links of a light page that are new, and their characters: resolving them takes 5 ms at most.
_LIGHT_LINKS, _LIGHT_CHARS = 600, 30_000
# Hrefs remembered per site, 300 KB at most: what all its pages share, and the last ones' neighbourhood.
_REMEMBERED = 1_024
# Characters; longer hrefs are rare, not worth remembering, and for `resolve` to refuse.
_LONG = 1_000

# Beginnings of hrefs that mean the same on every page. What is no address of a page stands on most of them.
_ABSOLUTE = ("https://", "http://", "mailto:", "tel:", "javascript:")

# A path that the browser's parser leaves as it is: no segment empty or of dots, nothing to encode.
_PLAIN = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*/?")
_NOT_ONE = re.compile(r"[\n\r<>\"]")
_REFRESH = re.compile(
    r"\s*+[0-9.]*+\s*+(?:[;,]\s*+)?+(?:url\s*+=\s*+)?+(?:\"([^\"]*)|'([^']*)|(\S.*))",
    re.IGNORECASE | re.DOTALL,
)
# Feeds of one page that are reported, and sitemaps.
_MOST_LISTS = 20

Verdict = tuple[str, int] | str | Literal[False]
"""Target and rank of a link in scope, the URL of a foreign one, an empty text for one that stays on the
page, False for what cannot be fetched."""


class TooHeavy(Exception):
    """There is more to be done than an event loop may wait for."""


class Base(NamedTuple):
    """What relative links start from."""

    url: str
    path: str
    folder: str
    own: bool
    """Whether it is of the site itself, so that a path means the same as on the site's other pages."""


class CollectedLinks(NamedTuple):
    links: list[tuple[str, int]]
    """Target and rank of what is in scope, in the order of the page, each once."""
    foreign: list[str]
    dropped: int
    """Links that cannot be fetched: other schemes, no valid host, files that are never pages."""
    cut: str | None


def base_of(page: PageUrl, written: str | None, scope: Scope) -> Base:
    """The base of a page's links; `written` is the href of its base element, if it has one."""
    url = page if written is None else resolve(page.text, written, scope.rules) or page
    path = url.target.partition("?")[0]
    return Base(url.text, path, path[: path.rindex("/") + 1], url.domain == scope.domain)


def collect(hrefs: Sequence[str | None], base: Base, scope: Scope, *, light: bool = False) -> CollectedLinks:
    """Where the links lead, apart from those that stay on the page. `light`: or `TooHeavy`."""
    cut = None
    if len(hrefs) > MAX_LINKS:
        hrefs, cut = hrefs[:MAX_LINKS], "too_many_links"
    # Whole lists at once where nothing is new: this is the innermost loop of a crawl.
    known: dict[str | None, Verdict] = scope.known if base.own else {}  # type: ignore[assignment]
    verdicts: list[Verdict | None] = list(map(known.get, hrefs))
    if None in verdicts:
        # Each once: a page often links to another, or to itself, several times.
        unknown = dict.fromkeys(
            href for href, known in zip(hrefs, verdicts, strict=True) if known is None and href
        )
        if light and (len(unknown) > _LIGHT_LINKS or sum(map(len, unknown)) > _LIGHT_CHARS):
            raise TooHeavy
        found = {href: _found_out(href, base, scope) for href in unknown}
        verdicts = [
            found.get(href or "", "") if known is None else known
            for href, known in zip(hrefs, verdicts, strict=True)
        ]
    links = dict.fromkeys([verdict for verdict in verdicts if isinstance(verdict, tuple)])
    foreign = dict.fromkeys([verdict for verdict in verdicts if isinstance(verdict, str) and verdict])
    return CollectedLinks(list(links), list(foreign)[:MAX_FOREIGN], verdicts.count(False), cut)


def trimmed(href: str) -> str:
    """An address as a list gives it, without the blanks around it, those included that nobody sees.

    Empty where a line ends within (that is two addresses, or half of one), and where a piece of markup is.
    """
    href = href.strip().strip("\ufeff\u200b\u200c\u200d\u2060").strip()
    return "" if _NOT_ONE.search(href) else href


def listed_target(href: str, base: PageUrl, scope: Scope) -> str | None:
    """The target of a page that a sitemap or feed at `base` names; None if it is not to be fetched."""
    origin = f"{base.scheme}://{base.host}"
    if href.startswith(origin) and len(href) < _LONG and _PLAIN.fullmatch(href, len(origin)):
        target = href[len(origin) :] or "/"
    else:
        url = resolve(base.text, href, scope.rules)
        if url is None or url.domain != scope.domain:
            return None
        target = url.target
    return target if scope.worth_fetching(target) else None


def list_targets(hrefs: list[str], base: Base, scope: Scope) -> list[str]:
    """Targets of the feeds or sitemaps in scope; one may have an ending that no page has."""
    targets: dict[str, None] = {}
    for href in hrefs[:_MOST_LISTS]:
        verdict = _found_out(href, base, scope)
        if isinstance(verdict, tuple):
            targets[verdict[0]] = None
        elif verdict is False:
            url = resolve(base.url, href, scope.rules)
            if url is not None and url.domain == scope.domain:
                targets[url.target] = None
    return list(targets)


def refresh_target(content: str, page: PageUrl, base: Base, scope: Scope) -> PageUrl | None:
    """Where a Refresh header or meta element leads; None if to nowhere or the page itself."""
    found = _REFRESH.match(content)
    if found is None:
        return None
    url = resolve(base.url, found[1] or found[2] or found[3] or "", scope.rules)
    return None if url == page else url


def _found_out(href: str | None, base: Base, scope: Scope) -> Verdict:
    """The verdict on an href that is not remembered as it is written."""
    if not href or href[0] == "#":
        return ""
    if base.own and len(href) < _LONG and _PLAIN.fullmatch(href):
        return _remembered(href, _judged(href, scope), scope)
    if "#" in href:
        href = href[: href.index("#")]
    key = _absolute(href, base)
    if not key or len(key) >= _LONG:
        return _parsed(base.url, href, scope)
    verdict = scope.known.get(key)
    if verdict is not None:
        return verdict
    verdict = _judged(key, scope) if _PLAIN.fullmatch(key) else _parsed(base.url, key, scope)
    return _remembered(key, verdict, scope)


def _remembered(key: str, verdict: Verdict, scope: Scope) -> Verdict:
    known = scope.known
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = verdict
    return verdict


def _absolute(href: str, base: Base) -> str:
    """A text that means on every page of the site what the href means on this one; empty if unsure."""
    first = href[0]
    if not base.own:
        return ""
    if first == "/":
        return "" if href.startswith(("//", "/\\")) else href
    if ":" in href:
        return href if href.startswith(_ABSOLUTE) else ""
    if first == "?":
        return base.path + href
    return base.folder + href if first.isalnum() or first in "._-~%" else ""


def _parsed(base: str, href: str, scope: Scope) -> Verdict:
    url = resolve(base, href, scope.rules)
    if url is None:
        return False
    return _judged(url.target, scope) if url.domain == scope.domain else url.text


def _judged(target: str, scope: Scope) -> Verdict:
    rank = scope.rank(target)
    return False if rank is None else (target, rank)
