"""What extraction left in the small register: texts, records, what changed, contacts, a page quarantined."""

from __future__ import annotations

import hashlib
import zlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, now
from surveyor.db.tables import (
    contact_sources,
    contacts,
    page_snapshots,
    record_changes,
    record_sources,
    records,
)
from surveyor.ids import new_id
from surveyor.names import url_key

OLDER = """# Small grants for villages

The Rila Foundation gives **small grants** to villages in the mountains.

| Who can apply | community centres, schools and clubs |
| --- | --- |
| Amount | up to 5,000 EUR |

Applications are welcome until 31 May 2026. Write to [our office](mailto:grants@rila.example).

## How it works

A committee of five reads every application twice. Nobody needs a consultant, and nobody pays a fee.

We answer within six weeks. Money is paid in two parts, the second one when the first report is here.
"""
NEWER = OLDER.replace("5,000 EUR", "8,000 EUR").replace("31 May 2026", "30 June 2026")
ASIDE = "/programmes/8?lang=en"


class Findings(NamedTuple):
    record: UUID  # with two pages, of which one is gone, and changes
    gone: UUID
    aside: int  # a snapshot that stopped its readers


def field(value: Any, quote: str, source: str = "text", **more: Any) -> dict[str, Any]:
    return {"value": value, "source": source, "quote": quote} | more


def _grant(snapshot: int, key: int) -> dict[str, dict[str, Any]]:
    told = {
        "name": field("Small grants for villages", "Small grants for villages", "structure"),
        "funder": field("The Rila Foundation", "The Rila Foundation gives small grants to villages"),
        "amount_max": field(8000, "Amount up to 8,000 EUR", "structure"),
        "currency": field("EUR", "Amount up to 8,000 EUR", "structure"),
        "deadline": field("2026-06-30", "Applications are welcome until 30 June 2026."),
        "eligibility": field(
            ["community centres", "schools", "clubs"], "community centres, schools and clubs", "structure"
        ),
        "region": field("BG", '"areaServed": "Bulgaria"', "json_ld"),
    }
    return {name: one | {"snapshot": snapshot, "key": key} for name, one in told.items()}


async def add(db: Database, no: int, other: int, key: int, older: int, newer: int) -> Findings:
    """`no` is the domain with versions, `other` one whose candidate is approved."""
    async with db.write() as tx:
        await _read(tx, older, OLDER, "0.58", True)
        await _read(tx, newer, NEWER, "0.86", True)
        aside = await _aside(tx, no)
        record = await put_record(tx, no, "funding_program", _grant(newer, key), days=20)
        gone = await put_record(
            tx, no, "organisation", {"name": field("Rila Friends", "Rila Friends")}, gone=True
        )
        for days in range(12):
            given = {
                "name": field(f"Call {days + 1} of the trust", "", "structure"),
                "deadline": field("2026-09-01", ""),
            }
            await put_record(tx, other, "funding_program", given, days=days, published=True)
        await _sources(tx, no, record, gone, key, older, newer)
        await _contacts(tx, no, key, newer)
    return Findings(record, gone, aside)


async def _read(tx: AsyncConnection, snapshot: int, text: str, relevance: str, is_relevant: bool) -> None:
    values = {
        "extract_state": "done",
        "extractor_version": "1",
        "extracted_at": now(),
        "description": "Grants for villages in the mountains.",
        "language": "en",
        "markdown": zlib.compress(text.encode()),
        "text_hash": snapshot,
        "simhash": snapshot,
        "links": 14,
        "images": 2,
        "relevance": Decimal(relevance),
        "is_relevant": is_relevant,
        "reasons": ["says until when one can apply", "words: grant, apply, villages", "a record was found"],
    }
    await tx.execute(update(page_snapshots).where(page_snapshots.c.id == snapshot).values(values))


async def _aside(tx: AsyncConnection, no: int) -> int:
    """A page that stopped its readers, and one of which only a hash was kept."""
    common = {"domain_no": no, "first_seen_at": now(), "last_seen_at": now(), "bytes": 90_000}
    hashed = {"key": url_key("/programmes/4?lang=en"), "content_hash": hashlib.sha256(b"4").digest()}
    unread = {"extract_state": "done", "extract_error": "its content was not kept"}
    await tx.execute(insert(page_snapshots).values(**common, **hashed, **unread))
    stopped = {"extract_state": "quarantined", "extract_tries": 3, "extract_error": "took longer than 20 s"}
    place = {"key": url_key(ASIDE), "content_hash": hashlib.sha256(b"8").digest(), "extracted_at": now()}
    made = insert(page_snapshots).values(**common, **place, **stopped).returning(page_snapshots.c.id)
    return int((await tx.execute(made)).scalar_one())


async def put_record(
    tx: AsyncConnection,
    no: int,
    kind: str,
    fields: dict[str, Any],
    *,
    days: int = 0,
    published: bool = False,
    gone: bool = False,
) -> UUID:
    made, seen = new_id(), datetime.now(UTC) - timedelta(days=days)
    name = fields["name"]["value"]
    await tx.execute(
        insert(records).values(
            id=made,
            domain_no=no,
            kind=kind,
            identity=hashlib.sha256(name.encode()).digest()[:16],
            name=name,
            fields=fields,
            published=published,
            first_seen_at=seen,
            last_seen_at=datetime.now(UTC),
            gone_at=datetime.now(UTC) if gone else None,
            updated_at=datetime.now(UTC),
        )
    )
    return made


async def _sources(
    tx: AsyncConnection, no: int, record: UUID, gone: UUID, key: int, older: int, newer: int
) -> None:
    fields = {name: field(one["value"], one["quote"], one["source"]) for name, one in _grant(0, 0).items()}
    other = url_key("/programmes/4?lang=en")
    seen = {"domain_no": no, "first_seen_at": now(), "seen_at": now()}
    told = insert(record_sources)
    await tx.execute(told.values(**seen, record_id=record, key=key, snapshot_id=newer, fields=fields))
    past = {"snapshot_id": older, "gone_at": now()}
    short = {"name": fields["name"]}
    await tx.execute(told.values(**seen, **past, record_id=record, key=other, fields=short))
    await tx.execute(told.values(**seen, **past, record_id=gone, key=key, fields=short))
    for name, old, new in (("amount_max", 5000, 8000), ("deadline", "2026-05-31", "2026-06-30")):
        change = {"record_id": record, "domain_no": no, "field": name, "old": old, "new": new}
        await tx.execute(insert(record_changes).values(**change, snapshot_id=newer, at=now()))


async def _contacts(tx: AsyncConnection, no: int, key: int, snapshot: int) -> None:
    made = await tx.execute(
        insert(contacts)
        .values(
            domain_no=no,
            kind="email",
            value="grants@rila.example",
            name="Mila Petrova",
            role="programme officer",
            source_url="https://rila.example/contact",
            source="text",
            quote="Write to Mila Petrova, programme officer: grants@rila.example",
            confidence=Decimal("0.90"),
            found_at=now(),
            last_seen_at=now(),
        )
        .returning(contacts.c.id)
    )
    mine = {"domain_no": no, "key": key, "contact_id": made.scalar_one(), "snapshot_id": snapshot}
    await tx.execute(insert(contact_sources).values(**mine, seen_at=now()))
    old = {
        "kind": "phone",
        "value": "+35921234567",
        "source_url": "https://rila.example/old",
        "gone_at": now(),
    }
    await tx.execute(insert(contacts).values(domain_no=no, found_at=now(), **old))
