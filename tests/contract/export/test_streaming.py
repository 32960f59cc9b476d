"""Rows are of one moment, and no more than a page of them is in memory; on either engine."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.export import Format, Order, What, service, to_stream
from surveyor.export.store import register
from surveyor.export.values import Row, Wanted
from surveyor.names import DEFAULT_RULES
from tests.support.registry_help import add_domain, add_domains


async def test_rows_are_of_one_moment(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register, "_STEP", 4)
    await add_domains(db, 10)

    async def while_others_write(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
        async for page in register.domain_rows(tx, wanted):
            yield page
            await add_domain(db, f"late{page[0]['no']}.example")

    monkeypatch.setitem(service._ROWS, What.DOMAINS, while_others_write)
    stream = io.BytesIO()
    await to_stream(db, Order(What.DOMAINS, Format.JSONL, "records", DEFAULT_RULES), stream, lambda _: None)
    found = [json.loads(line)["domain"] for line in stream.getvalue().splitlines()]
    assert sorted(found) == sorted(f"site{number}.example" for number in range(10))


async def test_a_page_is_written_before_the_next_one_is_read(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_domains(db, 2_000)
    monkeypatch.setattr(register, "_STEP", 100)
    heard: list[str] = []
    engine = db.engine.sync_engine
    _on_queries(engine, lambda text: heard.append("read") if "FROM domains" in text else None)

    class Stream(io.BytesIO):
        def write(self, data: Any, /) -> int:
            heard.append("write")
            assert len(data) < 200_000
            return super().write(data)

    stream, counts = Stream(), list[int]()
    order = Order(What.DOMAINS, Format.CSV, "records", DEFAULT_RULES)
    assert await to_stream(db, order, stream, counts.append) == 2_000
    # The header; twenty full pages; the one that shows that there are no more.
    assert heard == ["write", *["read", "write"] * 20, "read"]
    assert counts == list(range(100, 2_001, 100))
    assert stream.getvalue().count(b"\r\n") == 2_001


def _on_queries(engine: Any, hear: Callable[[str], None]) -> None:
    @event.listens_for(engine, "before_cursor_execute")
    def heard(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        hear(statement)
