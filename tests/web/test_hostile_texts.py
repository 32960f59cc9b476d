"""Whatever a foreign site, a provider, a model or a submitter wrote: the page keeps its shape."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode
from sqlalchemy import Table, func, select, update
from sqlalchemy import text as text_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.bootstrap.workspace import Workspace
from surveyor.db import now
from surveyor.db.tables import (
    candidates,
    contacts,
    crawl_log,
    discovery_sessions,
    domain_crawl,
    domains,
    events,
    listener_cursors,
    outbox,
    page_snapshots,
    pages,
    parts,
    provenance,
    record_changes,
    record_sources,
    records,
    search_results,
    workers,
)
from surveyor.web import show
from tests.support.size import size
from tests.web.payloads import PAYLOADS
from tests.web.routes import looks
from tests.web.serving import Served, Visitor
from tests.web.world import World

pytestmark = pytest.mark.xdist_group("web texts")
# Every column that holds what somebody outside wrote.
TEXTS: dict[Table, tuple[str, ...]] = {
    domains: ("submission_context", "notes", "source", "submitted_by", "failure_reason"),
    domain_crawl: ("block_reason", "stopped_by", "robots_verdict"),
    candidates: ("title", "organisation_name", "program_name", "reasoning", "judge_version"),
    search_results: ("title", "description", "query", "provider"),
    contacts: ("name", "role", "source", "quote"),
    provenance: ("alt",),
    page_snapshots: ("title", "content_type", "description", "language"),
    records: ("name",),
    record_changes: ("field",),
    pages: ("target", "reason"),
    crawl_log: ("reason",),
    parts: ("note",),
    outbox: ("subject", "recipient", "last_error"),
    listener_cursors: ("last_error",),
}
URLS: dict[Table, tuple[str, ...]] = {
    domains: ("start_url",),
    candidates: ("url",),
    search_results: ("url",),
    contacts: ("source_url",),
    provenance: ("url",),
    crawl_log: ("url",),
}


async def write(workspace: Workspace, text: str, url: str) -> None:
    async with workspace.db.write() as tx:
        for table, columns in TEXTS.items():
            values: dict[str, Any] = dict.fromkeys(columns, text)
            if table is domains:
                values |= {"rejection_reason": text, "blacklist_reason": text}
            if table is candidates:
                values["scores"] = [{"judge": text, "score": "0.5", "weight": "1", "explanation": text}]
            query = update(table)
            if table is pages:
                query = query.where(pages.c.state == "ended")
            await tx.execute(query.values(values))
        await _write_findings(tx, text, url)
        for table, columns in URLS.items():
            await tx.execute(update(table).values(dict.fromkeys(columns, url)))
        # No name of these is one that the register would take; a mistake elsewhere might let one in.
        await tx.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        other = domains.c.domain.not_in(["rila.example", "scam.example"])
        for no, name in (await tx.execute(select(domains.c.no, domains.c.domain).where(other))).all():
            if not name.startswith("xn--"):
                await tx.execute(update(domains).where(domains.c.no == no).values(domain=f"{text}{no}"))
        await tx.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")
        await tx.execute(text_("DROP TRIGGER IF EXISTS events_no_update"))
        await tx.execute(update(events).values(reason=text, actor=text, data={"context": text, "url": url}))
        # Still at work, however long the tests take.
        await tx.execute(update(workers).where(workers.c.id == "mill-4711-aa").values(last_seen_at=now()))
        await tx.execute(update(discovery_sessions).values(provider_errors={"brave": text}))


async def _write_findings(tx: AsyncConnection, text: str, url: str) -> None:
    """What a page's reader may be made to say: in fields and quotes, in texts, reasons and errors."""
    one = {"value": text, "source": "text", "quote": text}
    fields = {
        "name": one,
        "eligibility": one | {"value": [text, text]},
        "website": one | {"value": url, "source": text},
    }
    newer = select(func.max(record_sources.c.snapshot_id)).scalar_subquery()
    await tx.execute(
        update(records).values(fields={name: each | {"snapshot": 2} for name, each in fields.items()})
    )
    await tx.execute(update(record_sources).values(fields=fields))
    await tx.execute(update(record_changes).values(old=text, new=[text]))
    s = page_snapshots.c
    read = update(page_snapshots).where(s.markdown.is_not(None))
    await tx.execute(read.values(reasons=[text, text], markdown=zlib.compress(b"zzz zzz zzz")))
    await tx.execute(read.where(s.id == newer).values(markdown=zlib.compress(text.encode())))
    await tx.execute(update(page_snapshots).where(s.extract_error.is_not(None)).values(extract_error=text))
    for number in (await tx.execute(select(contacts.c.id))).scalars().all():  # a value stands once
        await tx.execute(update(contacts).where(contacts.c.id == number).values(value=f"{text}{number}"))


def shape(html: str) -> list[tuple[Any, ...]]:
    """Elements in their order, each with its attributes and where its addresses lead."""
    tree = LexborHTMLParser(html)
    assert tree.root is not None
    return list(_walk(tree.root))


def _walk(node: LexborNode) -> Iterator[tuple[Any, ...]]:
    for each in node.traverse(include_text=False):
        kinds = tuple(
            (
                name,
                (value or "").partition(":")[0] if (value or "")[:4] in ("http", "java", "data") else "here",
            )
            for name, value in sorted(each.attributes.items())
            if name in ("href", "src", "action", "hx-get", "hx-post")
        )
        yield (each.tag, tuple(sorted(each.attributes)), kinds)


def every_look(there: World) -> list[str]:
    return [*looks(there), "/live", "/runs/live"]


def put(place: Served, text: str, url: str) -> None:
    """Write it everywhere; figures are counted anew, and pages wait for them."""
    place.run(lambda workspace: write(workspace, text, url))
    place.app.state.surveyor.figures._counted = None


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("surveyor.web.stats._PATIENCE_SECONDS", 30.0)
        yield


@pytest.fixture(scope="module")
def benign(place: Served, admin: Visitor, there: World) -> list[dict[str, list[tuple[Any, ...]]]]:
    """The shape of every page with harmless texts: once with addresses of the web, once with none."""
    found = []
    for url in ("https://rila.example/x", "nowhere"):
        put(place, "a text", url)
        found.append({path: shape(admin.get(path).text) for path in every_look(there)})
    return found


# Of every sort of payload one in three, whichever way a page would be broken; the rest with the whole suite.
_PARTS = size((0, 3), tuple(range(6)))


@pytest.mark.parametrize("part", _PARTS)
def test_every_payload_in_every_field_leaves_every_page_as_it_was(
    part: int, place: Served, admin: Visitor, there: World, benign: list[dict[str, list[tuple[Any, ...]]]]
) -> None:
    for payload in PAYLOADS[part::6]:
        put(place, payload, payload)
        expected = benign[0] if show.is_web_address(payload) else benign[1]
        for path in every_look(there):
            reply = admin.get(path)
            assert reply.status == 200, (payload, path)
            assert shape(reply.text) == expected[path], (payload, path)


def test_there_are_enough_payloads() -> None:
    assert len(set(PAYLOADS)) >= 60


@pytest.mark.parametrize(
    ("text", "is_address"),
    [
        ("https://example.org/a?b=c", True),
        ("http://bücher.example/", True),
        ("javascript:alert(1)", False),
        ("https:alert(1)", False),
        ("https://a.example/\nx", False),
        ("//a.example/", False),
        ("data:text/html,x", False),
        ("http://[", False),
        (None, False),
    ],
)
def test_only_addresses_of_the_web_become_links(text: str | None, is_address: bool) -> None:
    assert show.is_web_address(text) is is_address


def test_a_text_shows_no_sign_that_turns_or_hides_what_follows() -> None:
    assert show.plain("a\u202eb\x1b[0m\u200bc\nd") == "a�b�[0m�c\nd"
    assert show.plain("x" * 400, 10) == "x" * 10 + "…"
