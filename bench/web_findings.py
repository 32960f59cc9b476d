"""Records, contacts, versions and changes for the bench of the admin, as many of each as are asked for."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Table, func, insert, select, text

from surveyor.bootstrap.workspace import Workspace
from surveyor.db.tables import (
    candidates,
    contact_sources,
    contacts,
    page_snapshots,
    record_changes,
    record_sources,
    records,
)
from surveyor.ids import first_id
from surveyor.registry.actors import SYSTEM
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.store import candidates as candidate_store

_BATCH = 10_000
# Domains that records are spread over; the first is the one that is looked at.
_DOMAINS = 1_000
# Pages that a name in a footer stands on.
_FOOTER = 3_000
_KINDS = ("funding_program", "service", "business", "organisation")
_TEXT = "\n\n".join(
    f"## Part {part}\n\nApplications are welcome until {part} May. "
    + " ".join(f"word{part}x{number}" for number in range(60))
    for part in range(20)
)
_OLDER, _NEWER = zlib.compress(_TEXT.encode()), zlib.compress(_TEXT.replace("May", "June").encode())
_START = datetime.now(UTC) - timedelta(days=60)


class Findings(NamedTuple):
    footer: UUID  # a record on thousands of pages
    middle: UUID
    older: int
    newer: int
    candidate: UUID


async def build(workspace: Workspace, looked: int, count: int) -> None:
    """Versions first: two for each page; records tell which they were read in."""
    for table, made in (
        (page_snapshots, _version),
        (records, _record),
        (record_sources, _source),
        (record_changes, _change),
        (contacts, _contact),
        (contact_sources, _contact_source),
    ):
        await _fill(workspace, table, made, looked, count)
    async with workspace.db.write() as tx:
        footer = (await _ids(tx, looked))[-1]
        one = _source(looked, 0) | {"record_id": footer, "domain_no": looked}
        rows = [one | {"key": 10**6 + key, "snapshot_id": key + 1} for key in range(_FOOTER)]
        await tx.execute(insert(record_sources), rows)
        made = await candidate_store.add(tx, looked, _CANDIDATE, SYSTEM)
        await candidate_store.advance_candidate(tx, made, CandidateStatus.PENDING_REVIEW, SYSTEM)
        await tx.execute(text("ANALYZE"))


async def names(workspace: Workspace, looked: int) -> Findings:
    async with workspace.db.read() as tx:
        ids = await _ids(tx, looked)
        s = page_snapshots.c
        versions = select(func.min(s.id), func.max(s.id)).where(s.domain_no == looked, s.key == 1)
        older, newer = (await tx.execute(versions)).one()
        candidate = select(candidates.c.id).where(candidates.c.domain_no == looked)
        return Findings(ids[-1], ids[len(ids) // 2], older, newer, (await tx.execute(candidate)).scalar_one())


async def _ids(tx: Any, looked: int) -> list[UUID]:
    query = select(records.c.id).where(records.c.domain_no == looked).order_by(records.c.id)
    return list((await tx.execute(query)).scalars())


async def _fill(
    workspace: Workspace, table: Table, made: Callable[[int, int], dict[str, Any]], looked: int, count: int
) -> None:
    for numbers in _batches(count):
        async with workspace.db.write() as tx:
            await tx.execute(insert(table), [made(looked, number) for number in numbers])


def _batches(count: int) -> Iterator[range]:
    for first in range(0, count, _BATCH):
        yield range(first, min(count, first + _BATCH))


def _place(looked: int, number: int) -> dict[str, Any]:
    return {"domain_no": looked + number % _DOMAINS}


def _when(number: int) -> datetime:
    return _START + timedelta(seconds=number * 20)


def _record_id(number: int) -> UUID:
    return UUID(int=first_id(_when(number)).int + number)


def _version(looked: int, number: int) -> dict[str, Any]:
    is_new = number % (2 * _DOMAINS) >= _DOMAINS
    is_aside = number % 50 == 49
    return _place(looked, number) | {
        "id": number + 1,
        "key": number // (2 * _DOMAINS) + 1,
        "content_hash": number.to_bytes(8, "big"),
        "first_seen_at": _when(number),
        "last_seen_at": _when(number),
        "content_type": "text/html",
        "bytes": 20_000,
        "title": f"Page {number}",
        "extract_state": "quarantined" if is_aside else "done",
        "extract_error": "took longer than 20 s" if is_aside else None,
        "extract_tries": 3 if is_aside else 0,
        "extracted_at": _when(number),
        "language": "en",
        "markdown": None if is_aside else (_NEWER if is_new else _OLDER),
        "relevance": Decimal("0.80"),
        "is_relevant": True,
        "reasons": ["says until when one can apply"],
    }


def _fields(number: int) -> dict[str, Any]:
    said = {"name": f"Programme {number}", "deadline": "2027-05-01", "amount_max": 5000, "currency": "EUR"}
    quote = "Applications are welcome until 7 May."
    return {name: {"value": value, "source": "text", "quote": quote} for name, value in said.items()}


def _record(looked: int, number: int) -> dict[str, Any]:
    """A fifth not published, a twentieth gone; one kind is rare and old."""
    return _place(looked, number) | {
        "id": _record_id(number),
        "kind": "opportunity" if number < 60 else _KINDS[number // _DOMAINS % 4],
        "identity": number.to_bytes(8, "big"),
        "name": f"Programme {number}",
        "fields": {name: one | {"snapshot": number + 1} for name, one in _fields(number).items()},
        "published": number % 5 != 0,
        "first_seen_at": _when(number),
        "last_seen_at": _when(number),
        "gone_at": _when(number) if number % 20 == 19 else None,
        "updated_at": _when(number),
    }


def _source(looked: int, number: int) -> dict[str, Any]:
    return _place(looked, number) | {
        "record_id": _record_id(number),
        "key": number // (2 * _DOMAINS) + 1,
        "snapshot_id": number % 1_000 + 1,
        "fields": _fields(number),
        "first_seen_at": _START,
        "seen_at": _START,
        "gone_at": None,
    }


def _change(looked: int, number: int) -> dict[str, Any]:
    change = {"field": "deadline", "old": "2026-05-01", "new": "2027-05-01"}
    return (
        _place(looked, number)
        | change
        | {
            "record_id": _record_id(number),
            "snapshot_id": number + 1,
            "at": _when(number),
        }
    )


def _contact(looked: int, number: int) -> dict[str, Any]:
    return _place(looked, number) | {
        "id": number + 1,
        "kind": "email",
        "value": f"a{number}@site.example",
        "source_url": "https://site.example/contact",
        "quote": "Write to us",
        "found_at": _START,
    }


def _contact_source(looked: int, number: int) -> dict[str, Any]:
    source = {"key": number // _DOMAINS + 1, "contact_id": number + 1, "snapshot_id": number + 1}
    return _place(looked, number) | source | {"seen_at": _START}


_CANDIDATE = NewCandidate(
    session_id=None,
    url="https://site.example/apply",
    title="Apply",
    organisation_name=None,
    program_name="Grants",
    confidence=Decimal("0.90"),
    threshold=Decimal("0.60"),
    scores=[],
    reasoning="says so",
    judge_version="1",
)
