"""Pages that break their readers, in real children: three tries, quarantined, and the rest goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from surveyor.db import Database
from surveyor.db.tables import page_snapshots, record_sources, records
from surveyor.extract import messages
from surveyor.extract.values import Page
from surveyor.names import url_key
from surveyor.process.children import ChildDied, Children, Job
from tests.support.extract_help import GROUND, JOB, START, extract, record, see, states, table, told
from tests.support.registry_help import add_domain, get

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
async def test_pages_that_break_their_readers_are_quarantined_and_the_rest_goes_on(
    db: Database, tmp_path: Path
) -> None:
    no = (await add_domain(db, "site.example")).no
    for act in ("crash", "hang", "memory", "raise"):
        await see(db, no, f"/{act}", text=act, act=act)
    for page in range(4):
        await see(db, no, f"/{page}", text=f"{page}", records=[record(f"Grants {page}")])
    done = await extract(db, tmp_path, seconds=0.5, processes=2)
    assert (done.progress.pages, done.progress.quarantined) == (4, 4)
    rows = await table(db, page_snapshots, page_snapshots.c.id)
    assert [row.extract_state for row in rows] == ["quarantined"] * 4 + ["done"] * 4
    assert {row.extract_tries for row in rows[:4]} == {3}
    assert [row.extract_error for row in rows[:4]] == [
        "its reader was ended by SIGSEGV",
        "it took over 0.5 s",
        "its reader ran out of memory",
        "ValueError: no sense in it",
    ]
    assert {event.data["snapshot"] for event in await told(db, "PageQuarantined")} == {
        row.id for row in rows[:4]
    }
    assert (await get(db, no)).records_stored == 4
    assert [
        child for child in psutil.Process().children() if "tests.support.extract_child" in child.cmdline()
    ] == []


async def test_tries_are_counted_across_workers(db: Database, tmp_path: Path) -> None:
    no = (await add_domain(db, "site.example")).no
    await see(db, no, "/bad", text="bad", act="raise")
    for tries, state in ((1, "waiting"), (2, "waiting"), (3, "quarantined")):
        await extract(db, tmp_path, limit=1)
        (row,) = await table(db, page_snapshots)
        assert (row.extract_tries, row.extract_state) == (tries, state)
    assert (await extract(db, tmp_path)).progress.pages == 0, "it is left alone"
    await extract(db, tmp_path, version="test-2", limit=1)
    (row,) = await table(db, page_snapshots)
    assert (row.extract_tries, row.extract_state) == (1, "waiting"), (
        "other rules get three tries of their own"
    )


async def test_a_child_tells_why_it_ended_and_the_next_one_answers() -> None:
    children = Children(Job("tests.support.extract_child", messages.pack_profile_view(GROUND), 10.0), 1)
    page = messages.unpack_page(messages.pack_page(_page(b'{"act": "crash"}')))
    with pytest.raises(ChildDied, match="SIGSEGV"):
        await children.ask(messages.pack_page(page))
    reading = messages.unpack_reading(await children.ask(messages.pack_page(_page(b'{"text": "hello"}'))))
    assert reading.text.text == "hello"
    await children.close()


def _page(body: bytes) -> Page:
    return Page("https://site.example/", body, None, START.date())


_WORKER = textwrap.dedent("""
    import asyncio, pathlib, sys
    from surveyor.db import Database
    from surveyor.settings import DatabaseSettings
    from tests.support.extract_help import worker

    async def main():
        db = Database.open(DatabaseSettings(url=sys.argv[1]), pathlib.Path())
        async with worker(db, pathlib.Path(), seconds=float(sys.argv[2]), processes=2) as made:
            await made.run()
        await db.close()

    asyncio.run(main())
""")


def _start(url: str, seconds: float, **environment: str) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-c", _WORKER, url, str(seconds)]
    return subprocess.Popen(line, cwd=ROOT, env=os.environ | environment)


@pytest.mark.parametrize(
    ("engine_name", "failpoint"),
    [
        ("sqlite", "after_extract_claim"),
        ("sqlite", "in_extract_commit"),
        ("sqlite", "before_extract_commit"),
        ("sqlite", "after_extract_commit"),
        ("postgresql", "before_extract_commit"),
    ],
    indirect=["engine_name"],
)
async def test_a_worker_killed_at_any_boundary_loses_and_doubles_nothing(
    db: Database, db_url: str, tmp_path: Path, failpoint: str
) -> None:
    no = (await add_domain(db, "site.example")).no
    for page in range(6):
        found = [record(f"Grants {page}"), record("The Fund", kind="organisation")]
        await see(db, no, f"/{page}", text=f"{page}", relevant=True, records=found)
    died = _start(db_url, 20.0, SURVEYOR_FAILPOINT=failpoint)
    assert await asyncio.to_thread(died.wait, 60) == -signal.SIGKILL
    async with db.write() as tx:  # as if the time of the claims had passed
        await tx.execute(
            page_snapshots.update()
            .values(extract_until=None, extract_by=None, extract_state="waiting")
            .where(page_snapshots.c.extract_state == "taken")
        )
    await extract(db, tmp_path)
    assert {row.extract_state for row in await table(db, page_snapshots)} == {"done"}
    assert len(await table(db, records)) == 7
    assert len(await table(db, record_sources)) == 12
    assert (await get(db, no)).records_stored == 7
    assert len(await told(db, "PageFlagged")) == 6
    assert sum(sum(event.data["new"].values()) for event in await told(db, "RecordsExtracted")) == 7


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
async def test_children_of_a_killed_worker_end_and_its_claims_are_free_at_once(
    db: Database, db_url: str, tmp_path: Path
) -> None:
    no = (await add_domain(db, "site.example")).no
    await see(db, no, "/hang", text="hang", act="hang")
    await see(db, no, "/good", text="good")
    worker = _start(db_url, 60.0)
    children: list[psutil.Process] = []
    until = time.monotonic() + 30
    while len(children) < 2 and time.monotonic() < until:
        children = [
            one
            for one in psutil.Process(worker.pid).children()
            if "tests.support.extract_child" in one.cmdline()
        ]
        await asyncio.sleep(0.02)
    worker.kill()
    worker.wait(10)
    gone, alive = await asyncio.to_thread(psutil.wait_procs, children, 15)
    assert (len(gone), alive) == (2, [])
    async with db.write() as tx:
        hangs = page_snapshots.update().where(page_snapshots.c.key == url_key("/hang"))
        await tx.execute(hangs.values(extract_state="quarantined", extract_error="it hangs"))
    await extract(db, tmp_path)
    assert await states(db) == ["quarantined", "done"]


def test_the_job_of_the_tests_is_the_one_of_the_product_but_for_its_module() -> None:
    assert messages.unpack_profile_view(JOB.greeting) == (GROUND, None)
