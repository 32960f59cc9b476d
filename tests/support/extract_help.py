"""Short ways to put versions of pages before the extract stage, and to look at what it made of them."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Table, select

from surveyor.crawl.results import PageResult
from surveyor.crawl.store import group
from surveyor.db import Database
from surveyor.db.tables import page_snapshots
from surveyor.extract import child, messages
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.worker import ExtractWorker, Plan
from surveyor.names import url_key
from surveyor.process.children import Children, Job
from surveyor.profiles import loader
from surveyor.registry import feed
from surveyor.registry.events import Event
from tests.support.extract_child import ToldReader

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
VERSION = "test-1"
GROUND = ProfileView.of(loader.load("funding"))


def record(
    name: str, kind: str = "funding_program", source: str = "structure", **fields: Any
) -> dict[str, Any]:
    told = {"name": name} | fields
    return {
        "kind": kind,
        "fields": {
            field: {"value": value, "source": source, "quote": f"{field}: {value}"}
            for field, value in told.items()
        },
    }


def contact(value: str, kind: str = "email", **more: Any) -> dict[str, Any]:
    plain = {"name": None, "role": None, "quote": "", "confidence": "0.80", "source": "text"}
    return {"kind": kind, "value": value} | plain | more


async def see(db: Database, no: int, target: str, hours: float = 0, **told: Any) -> None:
    """A crawl fetches a page that says this."""
    body = json.dumps(told, sort_keys=True).encode()
    moment = START + timedelta(hours=hours)
    result = PageResult(url_key(target), f"https://site.example{target}", target, 1, "done", moment)
    result.content_hash, result.bytes = hashlib.sha256(body).digest(), len(body)
    result.content_type, result.body = "text/html", zlib.compress(body)
    await _commit(db, no, result)


async def lose(db: Database, no: int, target: str, hours: float, reason: str = "not_found") -> None:
    """A crawl finds that a page is no more."""
    moment = START + timedelta(hours=hours)
    result = PageResult(url_key(target), f"https://site.example{target}", target, 1, "ended", moment, reason)
    await _commit(db, no, result)


async def _commit(db: Database, no: int, result: PageResult) -> None:
    async with db.write() as tx:
        await group.write_pages(tx, [(no, result)])
        await group.write_snapshots(tx, [(no, result)])


JOB = Job("tests.support.extract_child", messages.pack_profile_view(GROUND))


class InThisProcess:
    """The reader of the child without the child, which takes half a second to start."""

    job = JOB

    async def ask(self, question: bytes) -> bytes:
        return child.answer(ToldReader(GROUND), question)

    async def close(self) -> None:
        """There is nothing to end."""


@asynccontextmanager
async def worker(
    db: Database, archive: Path, *, seconds: float | None = None, version: str = VERSION, **plan: Any
) -> AsyncIterator[ExtractWorker]:
    """A worker; with `seconds` for a page it has real children."""
    made = Plan(version=version, yields="records", **plan)
    readers = InThisProcess() if seconds is None else Children(replace(JOB, seconds=seconds), made.processes)
    yield ExtractWorker(db, readers, archive, made)


async def extract(db: Database, archive: Path, **more: Any) -> ExtractWorker:
    """Read all that waits."""
    async with worker(db, archive, **more) as made:
        await made.run()
        return made


async def table(db: Database, which: Table, *order: Any) -> list[Any]:
    async with db.read() as tx:
        return list(await tx.execute(select(which).order_by(*order)))


async def states(db: Database) -> list[str]:
    rows = await table(db, page_snapshots, page_snapshots.c.id)
    return [row.extract_state for row in rows]


async def told(db: Database, *kinds: str) -> list[Event]:
    found = [one.event for one in await feed.read(db, 0, 10_000)]
    return [event for event in found if not kinds or event.kind.value in kinds]


def values(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: one["value"] for name, one in fields.items()}
