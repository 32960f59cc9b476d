"""Pages and lists that could block the event loop, read in a process that can be killed.

Small ones are read in the worker: `markup.light` and `read_page(light=True)` bound their cost, whatever they
contain. All others, such as a page of a megabyte, a thousand nested elements or a sitemap with
fifty thousand URLs, go to a child process with a deadline. A page that crashes the child counts as
unreadable; the worker and other sites are not affected.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson

from surveyor.crawl.images.refs import ImageRef
from surveyor.crawl.pages.html import PageFacts, read_page, unreadable
from surveyor.crawl.pages.links import TooHeavy
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageReason
from surveyor.crawl.sitemaps.feed import parse_feed
from surveyor.crawl.sitemaps.sitemap import parse_sitemap
from surveyor.names import DomainName, NameRules, PageUrl, parse_url, resolve
from surveyor.net.charset import decode_text, encoding_of
from surveyor.net.markup import LIGHT_BYTES, MAX_BYTES
from surveyor.net.robots_meta import NOTHING_ASKED, PageRobots
from surveyor.net.sniff import Kind, kind
from surveyor.process.children import Answer, ChildDied, Children, Job, serve

MODULE: Final = "surveyor.crawl.page_process"
# Seconds for one page or list; the largest that is no attack takes about one on a slow machine.
SECONDS: Final = 10.0
# Children of one worker: they are there for the odd page, not for the crowd.
_CHILDREN = 1
# Bytes of address space: the largest page decoded and parsed, and the interpreter.
_MEMORY = 1_000_000_000
# Bytes of encodings in which every second one may be half a pair and costs a call of its own.
_LIGHT_WIDE_BYTES = 16 * 1024
# Bytes of a list that a thread may read: some 30 ms, in slices of the interpreter's.
_LIGHT_LIST_BYTES = 64 * 1024
_WIDE = frozenset({"utf-16le", "utf-16be", "euc-jp", "iso-2022-jp"})


class Listed(NamedTuple):
    """What a list names."""

    pages: list[str]
    """Targets in scope."""
    lists: list[str]
    """Targets of further lists."""
    reason: PageReason
    lastmods: dict[str, datetime]
    """Of the pages of a sitemap that have one: when it says that they changed last."""
    cut: str | None = None
    """Why it was not read whole; what it names is certain all the same."""


def read_list(body: bytes, content_type: str | None, base: PageUrl, scope: Scope) -> Listed:
    """What the sitemap or feed at `base` names. Not for an event loop: the largest take seconds."""
    found = kind(body, content_type)
    if found is Kind.FEED or (found in (Kind.DATA, Kind.TEXT) and body.lstrip().startswith(b"{")):
        feed = parse_feed(body, base, scope)
        return Listed([target for target, _ in feed.entries], [], PageReason.FEED, {}, feed.cut)
    if found in (Kind.SITEMAP, Kind.GZIP, Kind.TEXT, Kind.XML):
        sitemap = parse_sitemap(body, base, scope)
        dates = {target: when for target, when in sitemap.urls if when is not None}
        pages = [target for target, _ in sitemap.urls]
        return Listed(pages, sitemap.children, PageReason.SITEMAP, dates, sitemap.cut)
    return Listed([], [], PageReason.NOT_A_PAGE, {})


@dataclass(eq=False)
class PageReader:
    """For one event loop; `close` ends its children."""

    seconds: float = SECONDS
    _children: Children | None = None  # until something needs one

    async def page(
        self,
        body: bytes,
        content_type: str | None,
        url: PageUrl,
        scope: Scope,
        *,
        agent_token: str,
        asked: PageRobots = NOTHING_ASKED,
        want_images: bool = False,
        want_text: bool = False,
    ) -> PageFacts:
        """As `read_page`, of a body that is still to be decoded."""
        may_be_wide = len(body) > _LIGHT_WIDE_BYTES
        if len(body) <= LIGHT_BYTES and not (may_be_wide and encoding_of(body, content_type) in _WIDE):
            try:
                text, encoding = decode_text(body, content_type)
                return read_page(
                    text,
                    url,
                    scope,
                    agent_token=agent_token,
                    asked=asked,
                    want_images=want_images,
                    want_text=want_text,
                    light=True,
                    encoding=encoding,
                )
            except TooHeavy:
                pass
        wishes = {"token": agent_token, "asked": asked.value, "images": want_images, "text": want_text}
        question = _packed(body[: 2 * MAX_BYTES], content_type, url, scope, wishes)
        try:
            return _facts(await self._ask(question), scope.rules)
        except ChildDied:
            return unreadable(asked)

    async def embedded(
        self, body: bytes, content_type: str | None, url: PageUrl, scope: Scope
    ) -> bytes | None:
        """The data that an empty page carries for its scripts, as a document; none, if it has none."""
        question = _packed(body[:MAX_BYTES], content_type, url, scope, {"embedded": True})
        try:
            return await self._ask(question) or None
        except ChildDied:
            return None

    async def list(self, body: bytes, content_type: str | None, url: PageUrl, scope: Scope) -> Listed:
        """As `read_list`; one that cannot be read names nothing."""
        if len(body) <= _LIGHT_LIST_BYTES and not body.startswith(b"\x1f\x8b"):
            return await asyncio.to_thread(read_list, body, content_type, url, scope)
        try:
            return _listed(await self._ask(_packed(body, content_type, url, scope, None)))
        except ChildDied as died:
            return Listed([], [], PageReason.PARTIAL_LIST, {}, died.reason)

    async def _ask(self, question: bytes) -> bytes:
        if self._children is None:
            self._children = Children(Job(MODULE, seconds=self.seconds), _CHILDREN)
        return await self._children.ask(question)

    async def close(self) -> None:
        if self._children is not None:
            await self._children.close()


def _packed(body: bytes, content_type: str | None, url: PageUrl, scope: Scope, wishes: Any) -> bytes:
    """One line of JSON, then the body as it is."""
    rules = scope.rules
    head = {
        "type": content_type,
        "url": url.text,
        "domain": scope.domain,
        "rules": [rules.collapse_subdomains, rules.allow_hosts],
        "scope_images": scope.images,
        "wishes": wishes,
    }
    return orjson.dumps(head) + b"\n" + body


def _facts(answer: bytes, rules: NameRules) -> PageFacts:
    values = orjson.loads(answer)
    facts = PageFacts(**values)
    return facts._replace(
        canonical=_again(facts.canonical, rules),
        refresh=_again(facts.refresh, rules),
        robots=PageRobots(facts.robots),
        links=[(target, rank) for target, rank in facts.links],
        images=[ImageRef(*image) for image in facts.images],
    )


def _again(url: Any, rules: NameRules) -> PageUrl | None:
    return resolve(url, url, rules) if url else None


def _listed(answer: bytes) -> Listed:
    values = orjson.loads(answer)
    dates = {target: datetime.fromisoformat(when) for target, when in values.pop("lastmods").items()}
    return Listed(**{**values, "reason": PageReason(values["reason"]), "lastmods": dates})


# -- the child


def _prepare(_greeting: bytes) -> Answer:
    return _answer


def _answer(question: bytes) -> bytes:
    end = question.index(b"\n")
    head, body = orjson.loads(question[:end]), question[end + 1 :]
    rules = NameRules(*head["rules"])
    url = parse_url(head["url"], rules=rules)
    scope = Scope(DomainName(head["domain"]), rules, images=head["scope_images"])
    if head["wishes"] is None:
        return orjson.dumps(read_list(body, head["type"], url, scope)._asdict())
    if "embedded" in head["wishes"]:
        from surveyor.render.embedded import document

        return document(decode_text(body, head["type"])[0].encode("utf-8", "replace")) or b""
    return _page(body, head, url, scope)


def _page(body: bytes, head: dict[str, Any], url: PageUrl, scope: Scope) -> bytes:
    wishes = head["wishes"]
    text, encoding = decode_text(body, head["type"])
    facts = read_page(
        text,
        url,
        scope,
        agent_token=wishes["token"],
        asked=PageRobots(wishes["asked"]),
        want_images=wishes["images"],
        want_text=wishes["text"],
        encoding=encoding,
    )
    plain = facts._asdict() | {
        "canonical": facts.canonical.text if facts.canonical else None,
        "refresh": facts.refresh.text if facts.refresh else None,
        "robots": facts.robots.value,
        "images": [tuple(image) for image in facts.images],
    }
    return orjson.dumps(plain)


if __name__ == "__main__":
    serve(_prepare, _MEMORY)
