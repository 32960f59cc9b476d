"""What the doctor says of the machine around a workspace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from surveyor import doctor, workspaces
from surveyor.db import Database, now
from surveyor.db.tables import events
from surveyor.registry.events import EventKind
from surveyor.settings import DatabaseSettings


async def test_a_proxy_of_the_environment_is_said_to_be_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in doctor._PROXIES:
        monkeypatch.delenv(name, raising=False)
    assert "proxy" not in {check.name for check in await doctor.examine(tmp_path)}
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.internal:3128")
    [said] = [check for check in await doctor.examine(tmp_path) if check.name == "proxy"]
    assert said.result == "warn" and said.message.startswith("HTTPS_PROXY is set and not used")


async def test_a_folder_that_is_no_workspace_is_said_to_be_none_and_stays_empty(tmp_path: Path) -> None:
    last = (await doctor.examine(tmp_path))[-1]
    assert (last.name, last.result) == ("workspace", "fail") and "`surveyor init`" in last.message
    assert list(tmp_path.iterdir()) == []


async def test_a_clock_that_was_set_back_is_noticed_by_the_events(tmp_path: Path) -> None:
    await workspaces.make(tmp_path, None)
    db = Database.open(DatabaseSettings(), tmp_path)
    new = {"kind": EventKind.SEEDS_INGESTED, "actor": "cli:ada", "tx": 1}
    async with db.write() as tx:
        await tx.execute(insert(events).values(at=now(), **new))
    assert [check.result for check in await doctor.examine(tmp_path) if check.name == "clock"] == ["ok"]
    async with db.write() as tx:
        await tx.execute(insert(events).values(at=datetime.now(UTC) + timedelta(days=1), **new))
    await db.close()
    clocks = [check for check in await doctor.examine(tmp_path) if check.name == "clock"]
    assert [check.result for check in clocks] == ["ok", "warn"] and "set back" in clocks[1].message
