"""What a page is and where it leads, read in one parse: this runs for every page that is fetched.

`read_page` never raises: markup is a stranger's, and what cannot be read is a page without links
that says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode
from xxhash import xxh3_64_intdigest

from surveyor.crawl.images.refs import ImageRef, images_of
from surveyor.crawl.pages.links import TooHeavy, base_of, collect, list_targets, refresh_target
from surveyor.crawl.pages.scope import Scope
from surveyor.names import PageUrl, resolve
from surveyor.net import markup
from surveyor.net.charset import query_in
from surveyor.net.robots_meta import NOTHING_ASKED, PageRobots, from_meta

_LONGEST_TITLE = 500  # characters
# Titles and notices for those without scripts that are looked at: a page has one or two, and each may
# hold all that follow.
_MOST_LOOKED_AT = 20
# Characters of readable text up to which a page with scripts may be an empty shell.
_HARDLY_ANY_TEXT = 200
# Characters that a page was filled with by the server, if it has more; spaces do not count.
_NO_TEXT = _HARDLY_ANY_TEXT // 4
# The parser's numbers for elements: comparing them is much quicker than comparing names.
_TAG_IDS: Final = {
    str(node.tag): node.tag_id
    for html in (
        "<title></title><base><meta><link><a></a><area><iframe></iframe><script></script><style></style>"
        "<noscript></noscript>",
        "<frameset><frame>",
    )
    for node in LexborHTMLParser(html).css("*")
}
_LINK: Final = _TAG_IDS["a"]
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})
# Types of links to pages. Publishing systems name each page as JSON and for embedding too.
_PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
_LEADS_TO_PAGES = frozenset({"next", "prev", "previous", "first", "last", "alternate", "up", "contents"})
_LEADS_TO_FILES = frozenset({"stylesheet", "icon", "shortcut icon", "preload", "preconnect"})
# Where the common frameworks put what their scripts draw.
_SHELLS: Final = "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#q-app,app-root,[ng-app],[data-reactroot]"
_WANTS_SCRIPTS = re.compile(r"javascript|java script|enable js", re.IGNORECASE)


class Elements:
    """What the elements of a page say: its links, title and base, what it asks of robots, what is hidden.

    One walk over the tree in the order of the page, when it is made. Everything is kept as written; what it
    means is found out elsewhere. `token` is our product token, which meta elements may speak to.
    """

    __slots__ = (
        "_frames",
        "_hidden",
        "_looked_at",
        "_notice",
        "_scripts",
        "_token",
        "_tree",
        "asked",
        "base",
        "canonical",
        "feeds",
        "hrefs",
        "refresh",
        "sitemaps",
        "title",
    )

    def __init__(self, tree: LexborHTMLParser, token: str) -> None:
        self._tree = tree
        self._token = token
        self._frames = False
        self._scripts = False
        self._notice = False
        self._hidden: list[LexborNode] = []
        self._looked_at = 0
        self.title = ""
        self.base: str | None = None
        self.canonical: str | None = None
        self.refresh: str | None = None
        self.feeds: list[str] = []
        self.sitemaps: list[str] = []
        self.hrefs: list[str | None] = []
        self.asked = 0
        """The flags of PageRobots."""
        root = tree.root
        if root is not None:
            self._walk(root)

    def _walk(self, root: LexborNode) -> None:
        hrefs, heard = self.hrefs, _HEARD
        for node in root.traverse():
            tag = node.tag_id
            if tag == _LINK:
                try:
                    hrefs.append(node.attrs["href"])  # quicker than `get`
                except KeyError:
                    continue
            elif tag in heard:
                heard[tag](self, node)

    def _meta(self, node: LexborNode) -> None:
        values = node.attrs
        name = values.get("name")
        if name:
            name = name.lower()
            if name == "robots" or name == self._token:
                self.asked |= from_meta(name, values.get("content") or "", self._token).value
        elif (values.get("http-equiv") or "").strip().lower() == "refresh":
            self.refresh = self.refresh or values.get("content")

    def _link(self, node: LexborNode) -> None:
        values = node.attrs
        words = (values.get("rel") or "").lower()
        href = values.get("href")
        if not href or words in _LEADS_TO_FILES:
            return
        kinds, leads_to = words.split(), (values.get("type") or "").strip().lower()
        if "canonical" in kinds:
            self.canonical = self.canonical or href
        elif "alternate" in kinds and leads_to in _FEED_TYPES:
            self.feeds.append(href)
        elif "sitemap" in kinds:
            self.sitemaps.append(href)
        elif leads_to in _PAGE_TYPES and not _LEADS_TO_PAGES.isdisjoint(kinds) and "stylesheet" not in kinds:
            self.hrefs.append(href)

    def _base(self, node: LexborNode) -> None:
        if self.base is None:
            self.base = node.attrs.get("href")

    def _area(self, node: LexborNode) -> None:
        self.hrefs.append(node.attrs.get("href"))

    def _frame(self, node: LexborNode) -> None:
        self._frames = self._frames or _is_seen(node)
        self.hrefs.append(node.attrs.get("src"))

    def _script(self, node: LexborNode) -> None:
        self._scripts = True
        self._hidden.append(node)

    def _noscript(self, node: LexborNode) -> None:
        self._hidden.append(node)
        if not self._notice and self._may_look():
            self._notice = _WANTS_SCRIPTS.search(node.text()) is not None

    def _title(self, node: LexborNode) -> None:
        """The first that is no picture's."""
        if not self.title and self._may_look() and (node.parent is None or node.parent.tag != "svg"):
            text = node.text()[: 4 * _LONGEST_TITLE].replace("\0", "")
            self.title = " ".join(text.split())[:_LONGEST_TITLE]

    def _may_look(self) -> bool:
        self._looked_at += 1
        return self._looked_at <= _MOST_LOOKED_AT

    def meant_in(self, encoding: str) -> None:
        """Write addresses as a page of this encoding means them."""
        self.hrefs = [
            query_in(encoding, href) if href and not href.isascii() else href for href in self.hrefs
        ]
        self.canonical = self.canonical and query_in(encoding, self.canonical)
        self.refresh = self.refresh and query_in(encoding, self.refresh)

    def readable(self) -> str:
        """The text of the body, one line for each piece. Takes out of the tree what is not to be read."""
        body = self._tree.body
        if body is None:
            return ""
        for node in reversed(self._hidden):  # the inner ones first: with a node go all that it holds
            node.decompose()
        return body.text(separator="\n", skip_empty=True)

    def is_shell(self, text: str, has_links: bool) -> bool:
        """Whether the page has hardly any text because scripts are to fill it."""
        if len(text) >= _HARDLY_ANY_TEXT or not self._scripts or self._frames or self.refresh is not None:
            return False
        if not has_links and _signs(text) < _NO_TEXT:
            return True
        body = self._tree.body
        if self._notice and body is not None and _own_signs(body) < 2 * _NO_TEXT:
            return True
        shell = self._tree.css_first(_SHELLS)
        return shell is not None and _own_signs(shell) < _NO_TEXT


def _own_signs(node: LexborNode) -> int:
    """Characters in a piece of a page outside of its links: a menu is there before scripts fill the rest."""
    return _signs(node.text()) - sum(_signs(link.text()) for link in node.css("a"))


def _signs(text: str) -> int:
    return len("".join(text.split()))


def _is_seen(frame: LexborNode) -> bool:
    """Whether a frame may show people something: those of tag managers and logins do not."""
    values, within = frame.attrs, frame.parent
    if "hidden" in values or "0" in (values.get("width"), values.get("height")):
        return False
    if "display:none" in (values.get("style") or "").replace(" ", "").lower():
        return False
    return within is None or within.tag != "noscript"


_HEARD: Final[dict[int, Callable[[Elements, LexborNode], None]]] = {
    _TAG_IDS[tag]: hear
    for tag, hear in {
        "area": Elements._area,
        "base": Elements._base,
        "frame": Elements._frame,
        "iframe": Elements._frame,
        "link": Elements._link,
        "meta": Elements._meta,
        "noscript": Elements._noscript,
        "script": Elements._script,
        "style": lambda page, node: page._hidden.append(node),
        "title": Elements._title,
    }.items()
}


PARSE_FAILED = "parse_failed"

# Characters of its text that are given on: what compares pages does so on the event loop.
_MOST_TEXT = 100_000
# Elements of a light page that may name an image: each takes some 10 µs.
_LIGHT_IMAGES = 400
_NOFOLLOW = PageRobots.NOFOLLOW.value


class PageFacts(NamedTuple):
    title: str
    canonical: PageUrl | None
    """Where the page says that it belongs; not checked, and maybe of another domain."""
    robots: PageRobots
    """What the page and, if they were given, its headers ask for."""
    links: list[tuple[str, int]]
    """Target and rank of what is in scope, in the order of the page, each once; none under `nofollow`."""
    foreign: list[str]
    """URLs of other domains, each once; none under `nofollow`."""
    images: list[ImageRef]
    feeds: list[str]
    """Targets of the feeds that the page names, in scope."""
    sitemaps: list[str]
    """The same of sitemaps."""
    refresh: PageUrl | None
    """Where a meta refresh leads, if not to the page itself."""
    text: str
    """What can be read, one line for each piece; only if asked for."""
    text_hash: int
    """Of the text: pages that read the same have the same. 0 if there is none."""
    text_chars: int
    needs_javascript: bool
    """Empty without scripts."""
    dropped: int
    """Links that lead to nothing we fetch: other schemes, no valid host, files that are never pages."""
    cut: str | None
    """What there was too much of, or that nothing could be read."""


def read_page(
    body: str | bytes,
    url: PageUrl,
    scope: Scope,
    *,
    agent_token: str,
    asked: PageRobots = NOTHING_ASKED,
    want_images: bool = False,
    want_text: bool = False,
    light: bool = False,
    encoding: str = "utf-8",
) -> PageFacts:
    """The facts of the page at `url`: of its decoded text, or of bytes that are UTF-8, which is quicker.

    `asked` is what the headers asked for, and adds to what the page asks. `light` is for an event loop:
    a page that could take it longer than a few milliseconds is not read, but `TooHeavy`. `encoding` is the
    one that the page came in, before it was decoded.
    """
    raw = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    try:
        parsed, cut = (markup.light(raw), None) if light else markup.contained(raw)
        if parsed is None:
            raise TooHeavy
        tree = LexborHTMLParser(parsed)
        return _facts(tree, url, scope, agent_token, asked, want_images, want_text, cut, light, encoding)
    except TooHeavy:
        raise
    except Exception:  # whatever a parser in C may still have to say about a stranger's bytes
        return unreadable(asked)


def unreadable(asked: PageRobots) -> PageFacts:
    """A page without links that says so."""
    return PageFacts("", None, asked, [], [], [], [], [], None, "", 0, 0, False, 0, PARSE_FAILED)


def _facts(
    tree: LexborHTMLParser,
    url: PageUrl,
    scope: Scope,
    token: str,
    asked: PageRobots,
    want_images: bool,
    want_text: bool,
    cut: str | None,
    light: bool,
    encoding: str,
) -> PageFacts:
    said = Elements(tree, token)
    if encoding != "utf-8":
        said.meant_in(encoding)
    base = base_of(url, said.base, scope)
    robots = PageRobots(asked.value | said.asked) if said.asked else asked
    if light and want_images and len(tree.css("img,source,meta")) > _LIGHT_IMAGES:
        raise TooHeavy
    found = collect(() if robots.value & _NOFOLLOW else said.hrefs, base, scope, light=light)
    images = (
        images_of(tree, base.url, scope.rules) if want_images else []
    )  # before `readable` prunes the tree
    text = said.readable()
    return PageFacts(
        said.title,
        _canonical(said.canonical, url, base.url, scope) if said.canonical else None,
        robots,
        found.links,
        found.foreign,
        images,
        list_targets(said.feeds, base, scope) if said.feeds else [],
        list_targets(said.sitemaps, base, scope) if said.sitemaps else [],
        refresh_target(said.refresh, url, base, scope) if said.refresh else None,
        text[:_MOST_TEXT] if want_text else "",
        xxh3_64_intdigest(text.encode()) if text else 0,
        len(text),
        said.is_shell(text, bool(found.links)),
        found.dropped,
        cut or found.cut,
    )


def _canonical(written: str, url: PageUrl, base: str, scope: Scope) -> PageUrl | None:
    """Most pages name themselves, which need not be parsed again."""
    return url if written == url.text else resolve(base, written, scope.rules)
