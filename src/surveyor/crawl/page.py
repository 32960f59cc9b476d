"""What a page says: where it leads, what it asks of robots, and how much of it there is to read.

One parse and three looks at the tree, because this runs for every page that is fetched. `read_page`
never raises: markup is a stranger's, and what cannot be read is a page without links that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode
from xxhash import xxh3_64_intdigest

from surveyor.crawl.imagerefs import ImageRef, images_of
from surveyor.crawl.links import Base, base_of, collect, refresh_target
from surveyor.crawl.markup import contained
from surveyor.crawl.scope import Scope
from surveyor.names import PageUrl, resolve
from surveyor.net.robots_meta import NOTHING_ASKED, PageRobots, from_meta

PARSE_FAILED = "parse_failed"

_LONGEST_TITLE = 500  # characters
_MOST_FEEDS = 20
# Characters of readable text up to which a page with scripts may be an empty shell.
_HARDLY_ANY_TEXT = 200
# Everything but links that is looked at, in one search.
_FACTS: Final = "base,meta,link,area,iframe,script,style,noscript"
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})
_LINKS_TO_PAGES = frozenset({"next", "prev", "previous", "first", "last", "alternate", "up", "contents"})
# Where the common frameworks put what their scripts draw.
_SHELLS: Final = "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#q-app,app-root,[ng-app],[data-reactroot]"
_WANTS_SCRIPTS = re.compile(r"javascript|java script|enable js", re.IGNORECASE)


class PageFacts(NamedTuple):
    title: str
    canonical: PageUrl | None
    robots: PageRobots
    """What the page and, if they were given, its headers ask for."""
    links: list[tuple[str, int]]
    """Target and rank of what is in scope, in the order of the page, each once; none under `nofollow`."""
    foreign: list[str]
    """URLs of other domains, each once; none under `nofollow`."""
    images: list[ImageRef]
    feeds: list[str]
    """Targets of the feeds that the page names, in scope."""
    refresh: PageUrl | None
    text: str
    """What can be read, one line for each piece; only if asked for."""
    text_hash: int
    """Of the text; pages that read the same have the same. 0 if there is none."""
    text_chars: int
    needs_javascript: bool
    dropped: int
    """Links that lead to nothing we fetch: other schemes, no valid host, files that are never pages."""
    cut: str | None
    """What was left out because there was too much of it, or that nothing could be read."""

    @property
    def nofollow(self) -> bool:
        return PageRobots.NOFOLLOW in self.robots

    @property
    def noindex(self) -> bool:
        return PageRobots.NOINDEX in self.robots

    @property
    def noimages(self) -> bool:
        return bool(self.robots & (PageRobots.NOIMAGEAI | PageRobots.NOAI))


def read_page(
    body: str | bytes,
    url: PageUrl,
    scope: Scope,
    *,
    agent_token: str,
    asked: PageRobots = NOTHING_ASKED,
    want_images: bool = False,
    want_text: bool = False,
) -> PageFacts:
    """The facts of a page at `url`: its decoded text, or bytes that are UTF-8.

    `asked` is what the headers asked for, and adds to what the page asks.
    """
    raw = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    try:
        raw, cut = contained(raw)
        return _facts(LexborHTMLParser(raw), url, scope, agent_token, asked, want_images, want_text, cut)
    except Exception:  # whatever a parser in C may still find to say about a stranger's bytes
        return PageFacts("", None, asked, [], [], [], [], None, "", 0, 0, False, 0, PARSE_FAILED)


def _facts(
    tree: LexborHTMLParser,
    url: PageUrl,
    scope: Scope,
    token: str,
    asked: PageRobots,
    want_images: bool,
    want_text: bool,
    cut: str | None,
) -> PageFacts:
    said = _Said(token)
    for node in tree.css(_FACTS):
        said.hear(node)
    base = base_of(url, said.base, scope)
    robots = PageRobots(asked | said.asked) if said.asked else asked
    if PageRobots.NOFOLLOW in robots:
        hrefs: Iterable[str | None] = ()
    else:
        hrefs = [*said.hrefs, *[node.attrs.get("href") for node in tree.tags("a")]]
        if tree.body is None:
            hrefs += [node.attrs.get("src") for node in tree.tags("frame")]
    found = collect(hrefs, base, scope)
    text = _readable(tree, said.hidden)
    return PageFacts(
        title=_title(tree),
        canonical=resolve(base.url, said.canonical, scope.rules) if said.canonical else None,
        robots=robots,
        links=found.links,
        foreign=found.foreign,
        images=images_of(tree, base.url, scope.rules) if want_images else [],
        feeds=_feeds(said.feeds, base, scope),
        refresh=refresh_target(said.refresh, url, base, scope) if said.refresh else None,
        text=text if want_text else "",
        text_hash=xxh3_64_intdigest(text.encode()) if text else 0,
        text_chars=len(text),
        needs_javascript=len(text) < _HARDLY_ANY_TEXT and _is_shell(tree, said, text, found.links),
        dropped=found.dropped,
        cut=cut or found.cut,
    )


class _Said:
    """What the elements other than links say, gathered in the order of the page."""

    __slots__ = ("asked", "base", "canonical", "feeds", "hidden", "hrefs", "refresh", "scripts", "token")

    def __init__(self, token: str) -> None:
        self.token = token
        self.base: str | None = None
        self.canonical: str | None = None
        self.refresh: str | None = None
        self.asked = 0
        self.feeds: list[str] = []
        self.hrefs: list[str | None] = []
        self.hidden: list[LexborNode] = []
        self.scripts = False

    def hear(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "meta":
            self._meta(node)
        elif tag == "link":
            self._link(node)
        elif tag in ("script", "style", "noscript"):
            self.scripts = self.scripts or tag == "script"
            self.hidden.append(node)
        elif tag == "base":
            if self.base is None:
                self.base = node.attrs.get("href")
        else:
            self.hrefs.append(node.attrs.get("href" if tag == "area" else "src"))

    def _meta(self, node: LexborNode) -> None:
        values = node.attributes
        content = values.get("content")
        if not content:
            return
        name = values.get("name")
        if name:
            self.asked |= from_meta(name, content, self.token)
        elif (values.get("http-equiv") or "").strip().lower() == "refresh" and self.refresh is None:
            self.refresh = content

    def _link(self, node: LexborNode) -> None:
        values = node.attributes
        href = values.get("href")
        if not href:
            return
        words = (values.get("rel") or "").lower().split()
        if "canonical" in words:
            self.canonical = self.canonical or href
        elif "alternate" in words and (values.get("type") or "").strip().lower() in _FEED_TYPES:
            self.feeds.append(href)
        elif not _LINKS_TO_PAGES.isdisjoint(words) and "stylesheet" not in words:
            self.hrefs.append(href)


def _readable(tree: LexborHTMLParser, hidden: list[LexborNode]) -> str:
    """The text of the body without scripts, styles and what is written for browsers without scripts."""
    if tree.body is None:
        return ""
    text = tree.body.text(separator="\n", skip_empty=True)
    for node in hidden:
        inner = node.text(separator="\n", skip_empty=True)
        if inner:
            text = text.replace(inner, "", 1)
    return text


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    if node is None:
        return ""
    text = node.text()[: 4 * _LONGEST_TITLE].replace("\0", "")
    return " ".join(text.split())[:_LONGEST_TITLE]


def _feeds(hrefs: list[str], base: Base, scope: Scope) -> list[str]:
    urls = [resolve(base.url, href, scope.rules) for href in hrefs[:_MOST_FEEDS]]
    return list(dict.fromkeys(url.target for url in urls if url is not None and scope.admits(url)))


def _is_shell(tree: LexborHTMLParser, said: _Said, text: str, links: list[tuple[str, int]]) -> bool:
    """Whether a page with hardly any text is one that scripts are to fill."""
    if not said.scripts or said.refresh is not None or said.hrefs:
        return False
    words = "".join(text.split())
    if len(words) < _HARDLY_ANY_TEXT // 4 and not links:
        return True
    if tree.css_first(_SHELLS) is not None:
        return True
    return any(_WANTS_SCRIPTS.search(node.text()) for node in said.hidden if node.tag == "noscript")
