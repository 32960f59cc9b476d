"""Where the hrefs of a page lead: the hot path, run for every link of every page.

Most links of a page are on its neighbours too, and most are plain paths. So what an href means is
kept per site, and a plain path is taken as it stands; only the rest goes through the URL parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from surveyor.crawl.scope import Scope, rank
from surveyor.names import PageUrl, resolve

# Links of one page that are looked at: resolving them takes some 30 ms. Longer lists are sitemaps.
MAX_LINKS = 10_000
# Links to other domains that one page may report.
MAX_FOREIGN = 2_000
# Hrefs remembered per site, about 120 KB: what all its pages share, and the last ones' neighbourhood.
_REMEMBERED = 512
# Characters; longer hrefs are rare, not worth remembering, and for `resolve` to refuse.
_LONG = 1_000

# A path that the browser's parser leaves as it is: no segment empty or of dots, nothing to encode.
_PLAIN = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*/?")
_REFRESH = re.compile(
    r"\s*[0-9.]*\s*(?:[;,]\s*)?(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(\S.*))", re.IGNORECASE | re.DOTALL
)
_UNKNOWN: Final = ("", -1)

Verdict = tuple[str, int] | str | None
"""Target and rank of a link in scope, the URL of a foreign one, None for what cannot be fetched."""


class Base(NamedTuple):
    """What relative links start from."""

    url: str
    path: str
    folder: str
    own: bool
    """Whether it is of the site itself, so that a path means the same as on the site's other pages."""


class Found(NamedTuple):
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


def collect(hrefs: Iterable[str | None], base: Base, scope: Scope) -> Found:
    """Where the links lead, apart from those that stay within the page."""
    links: dict[str, tuple[str, int]] = {}
    foreign: dict[str, None] = {}
    dropped = 0
    known = scope.known
    url, path, folder, own = base
    unique = list(dict.fromkeys(hrefs))
    for href in unique[:MAX_LINKS]:
        if not href or href[0] == "#":
            continue
        if "#" in href:
            href = href[: href.index("#")]
        # The key is the href as an absolute one. It is built here and not in a function of its own:
        # the call would cost more than the rest of the loop.
        first = href[0]
        if not own:
            key = ""
        elif first == "/":
            key = href if href[1:2] not in ("/", "\\") else ""
        elif ":" in href:
            key = href if href.startswith(("https://", "http://")) else ""
        elif first == "?":
            key = path + href
        else:
            key = folder + href if first.isalnum() or first in "._-~%" else ""
        verdict = known.get(key, _UNKNOWN) if key else _parsed(url, href, scope)
        if verdict is _UNKNOWN:
            verdict = _found_out(url, key, scope)
        if verdict is None:
            dropped += 1
        elif isinstance(verdict, str):
            if len(foreign) < MAX_FOREIGN:
                foreign[verdict] = None
        elif verdict[0] not in links:
            links[verdict[0]] = verdict
    cut = "too_many_links" if len(unique) > MAX_LINKS else None
    return Found(list(links.values()), list(foreign), dropped, cut)


def refresh_target(content: str, page: PageUrl, base: Base, scope: Scope) -> PageUrl | None:
    """Where a Refresh header or meta element leads; None if to nowhere or the page itself."""
    found = _REFRESH.match(content)
    if found is None:
        return None
    url = resolve(base.url, found[1] or found[2] or found[3] or "", scope.rules)
    return None if url == page else url


def _found_out(base: str, key: str, scope: Scope) -> Verdict:
    """The verdict on an absolute href that is not remembered, which it is from now on."""
    if len(key) > _LONG:
        return _parsed(base, key, scope)
    verdict = _judged(key, scope) if _PLAIN.fullmatch(key) else _parsed(base, key, scope)
    if len(scope.known) >= _REMEMBERED:
        scope.known.clear()
    scope.known[key] = verdict
    return verdict


def _parsed(base: str, href: str, scope: Scope) -> Verdict:
    url = resolve(base, href, scope.rules)
    if url is None:
        return None
    return _judged(url.target, scope) if url.domain == scope.domain else url.text


def _judged(target: str, scope: Scope) -> Verdict:
    return (target, rank(target)) if scope.worth_fetching(target) else None
