"""Hosts that answer: their pages are written in advance, so that the site is never what one waits for."""

from __future__ import annotations

import gzip
import html
from functools import cache
from hashlib import sha256
from io import BytesIO
from random import Random
from typing import NamedTuple, Protocol

from tests.support.site.graph import IMAGES, HostGraph, Page
from tests.support.site.listed import FEED
from tests.support.site.wire import HTML, Answer, Request, answer, head_of, text_page

LAST_MODIFIED = "Wed, 04 Mar 2026 10:00:00 GMT"
_VOCABULARY = """
the a of and to in for with on at from by about after between under over small large early late
quiet open local public common shared river garden market school library station bridge harbour
village council museum theatre workshop kitchen archive meadow forest orchard mill tower square
street valley island coast winter summer autumn spring morning evening week month year people
children families volunteers teachers builders farmers readers visitors neighbours members guests
helps gives keeps brings opens offers plans collects repairs teaches grows cooks reads writes sings
paints carries counts answers meets visits remembers begins ends because although while where which
every many several few some other first second last next again
"""
_WORDS = _VOCABULARY.split()
# One text for all pages, each showing a window of it from a place of its own: the pages of a large
# site fit into memory, and no two of them look like copies of each other.
_TEXT_BYTES = 1_000_000
_FOOT = b"</p>\n</body></html>\n"


class Host(Protocol):
    def answer(self, request: Request) -> Answer: ...


@cache
def _text() -> memoryview:
    random = Random("the text of all pages")
    text = " ".join(random.choices(_WORDS, k=_TEXT_BYTES // 5))
    return memoryview(text.encode()[:_TEXT_BYTES])


def page_head(graph: HostGraph, page: Page, extra: tuple[str, ...] = ()) -> bytes:
    """All of a page that is its own: title, id, some words, links."""
    random = Random(f"words of {page.id} at {graph.name}")
    title = f"Page {page.number} of {graph.name}"
    words = " ".join(random.choices(_WORDS, k=60))
    links = "\n".join(
        f'<li><a href="{html.escape(href)}">{random.choice(_WORDS)}</a></li>'
        for href in (*page.hrefs, *extra)
    )
    shown = graph.shown_on(page)
    images = "".join(f'<img src="{target}" width="64" height="48" alt="">\n' for target in shown)
    named = (
        f'<link rel="alternate" type="application/rss+xml" href="{FEED}">' if _names_feed(graph, page) else ""
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="page-id" content="{page.id}">{named}</head>\n<body><h1>{title}</h1>\n'
        f"<p>{page.id}: {words}.</p>\n<ul>\n{links}\n</ul>\n{images}<p>"
    ).encode()


def _names_feed(graph: HostGraph, page: Page) -> bool:
    return page.target == "/" and FEED in graph.lists


def body_parts(
    graph: HostGraph, page: Page, body_bytes: int, extra: tuple[str, ...] = ()
) -> tuple[bytes | memoryview, ...]:
    """The body of a page, in parts that are not copied."""
    own = page_head(graph, page, extra)
    size = max(0, body_bytes - len(own) - len(_FOOT))
    place = Random(f"place of {page.id} at {graph.name}").randrange(_TEXT_BYTES - size)
    return own, _text()[place : place + size], _FOOT


@cache
def png(number: int) -> bytes:
    """A valid image, different for every number."""
    from PIL import Image

    out = BytesIO()
    image = Image.new("RGB", (64, 48))
    image.putdata([((x * number) % 256, (x // 64) * 5 % 256, number * 25 % 256) for x in range(64 * 48)])
    image.save(out, "PNG")
    return out.getvalue()


class _Kept(NamedTuple):
    answer: Answer
    etag: str


class GraphHost:
    """A host of the graph."""

    def __init__(self, graph: HostGraph, body_bytes: int, latency: float, validators: bool) -> None:
        self.graph = graph
        self._latency, self._validators = latency, validators
        self._kept = {
            target: self._render(page, body_parts(graph, page, body_bytes))
            for target, page in graph.pages.items()
        }
        self._images = {f"/img/{number}.png" for number in range(IMAGES)} if graph.images else set()

    def answer(self, request: Request) -> Answer:
        kept = self._kept.get(request.target)
        if kept is None:
            return self._other(request)
        if self._validators and request.header("if-none-match") == kept.etag:
            return answer(304, wait=kept.answer.wait, etag=kept.etag, last_modified=LAST_MODIFIED)
        return kept.answer

    def _render(self, page: Page, parts: tuple[bytes | memoryview, ...]) -> _Kept:
        etag = f'"{sha256(b"".join(parts)).hexdigest()[:16]}"' if self._validators else ""
        headers = {"ETag": etag, "Last-Modified": LAST_MODIFIED} if self._validators else {}
        head = head_of(200, sum(map(len, parts)), HTML, headers)
        # Spread evenly, so that answers do not come back in step.
        wait = self._latency * (0.5 + (page.number * 7 % 10) / 10)
        return _Kept(Answer(200, (head, *parts), wait), etag)

    def _other(self, request: Request) -> Answer:
        graph, target = self.graph, request.target
        if target == "/robots.txt":
            return answer(404) if graph.robots is None else answer(200, graph.robots, "text/plain")
        if target in self._images:
            return answer(200, png(int(target[5:-4])), "image/png")
        if target in graph.lists:
            return _list(target, graph.lists[target])
        known = graph.known(target)
        if known is None or known in graph.missing:
            return not_found(target, self._latency)
        if known in graph.redirects:
            return answer(301, wait=self._latency, location=graph.redirects[known])
        if known in graph.forbidden:
            return text_page("Not for robots", "Nobody should have asked for this page.")
        return self._kept[known].answer


def _list(target: str, xml: str) -> Answer:
    if target.endswith(".gz"):
        return answer(200, gzip.compress(xml.encode(), mtime=0), "application/gzip")
    return answer(200, xml, "application/rss+xml" if target == FEED else "application/xml")


def not_found(target: str, wait: float = 0.0) -> Answer:
    return text_page("Not found", f"There is no page at {html.escape(target)}.", status=404)._replace(
        wait=wait
    )
