"""What the elements of a page say: its links, title and base, what it asks of robots, what is not to be read.

One walk over the tree in the order of the page. Everything is kept as written; what it means is
found out elsewhere, and only for what is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.net.robots_meta import from_meta

_LONGEST_TITLE = 500  # characters
# Titles and notices for those without scripts that are looked at: a page has one or two, and each may
# hold all that follow.
_MOST_LOOKED_AT = 20
# Characters of readable text up to which a page with scripts may be an empty shell.
_HARDLY_ANY_TEXT = 200
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
_LEADS_TO_PAGES = frozenset({"next", "prev", "previous", "first", "last", "alternate", "up", "contents"})
_LEADS_TO_FILES = frozenset({"stylesheet", "icon", "shortcut icon", "preload", "preconnect"})
# Where the common frameworks put what their scripts draw.
_SHELLS: Final = "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#q-app,app-root,[ng-app],[data-reactroot]"
_WANTS_SCRIPTS = re.compile(r"javascript|java script|enable js", re.IGNORECASE)


class Elements:
    """Gathered when it is made. `token` is our product token, which meta elements may speak to."""

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
        kinds = words.split()
        if "canonical" in kinds:
            self.canonical = self.canonical or href
        elif "alternate" in kinds and (values.get("type") or "").strip().lower() in _FEED_TYPES:
            self.feeds.append(href)
        elif not _LEADS_TO_PAGES.isdisjoint(kinds) and "stylesheet" not in kinds:
            self.hrefs.append(href)

    def _base(self, node: LexborNode) -> None:
        if self.base is None:
            self.base = node.attrs.get("href")

    def _area(self, node: LexborNode) -> None:
        self.hrefs.append(node.attrs.get("href"))

    def _frame(self, node: LexborNode) -> None:
        self._frames = True
        self.hrefs.append(node.attrs.get("src"))

    def _hide(self, node: LexborNode) -> None:
        self._hidden.append(node)

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
        if self._notice or (not has_links and len("".join(text.split())) < _HARDLY_ANY_TEXT // 4):
            return True
        return self._tree.css_first(_SHELLS) is not None


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
        "style": Elements._hide,
        "title": Elements._title,
    }.items()
}
