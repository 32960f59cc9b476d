"""What a page is and where it leads, read in one parse: this runs for every page that is fetched.

`read_page` never raises: markup is a stranger's, and what cannot be read is a page without links
that says so.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser
from xxhash import xxh3_64_intdigest

from surveyor.crawl.images.refs import ImageRef, images_of
from surveyor.crawl.pages.elements import Elements
from surveyor.crawl.pages.links import TooHeavy, base_of, collect, feed_targets, refresh_target
from surveyor.crawl.pages.scope import Scope
from surveyor.names import PageUrl, resolve
from surveyor.net import markup
from surveyor.net.robots_meta import NOTHING_ASKED, PageRobots

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
    light: bool = False,
) -> PageFacts:
    """The facts of the page at `url`: of its decoded text, or of bytes that are UTF-8, which is quicker.

    `asked` is what the headers asked for, and adds to what the page asks. `light` is for an event loop:
    a page that could take it longer than a few milliseconds is not read, but `TooHeavy`.
    """
    raw = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    try:
        parsed, cut = (markup.light(raw), None) if light else markup.contained(raw)
        if parsed is None:
            raise TooHeavy
        tree = LexborHTMLParser(parsed)
        return _facts(tree, url, scope, agent_token, asked, want_images, want_text, cut, light)
    except TooHeavy:
        raise
    except Exception:  # whatever a parser in C may still have to say about a stranger's bytes
        return unreadable(asked)


def unreadable(asked: PageRobots) -> PageFacts:
    """A page without links that says so."""
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
    light: bool,
) -> PageFacts:
    said = Elements(tree, token)
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
        feed_targets(said.feeds, base, scope) if said.feeds else [],
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
