"""A backup holds everything, and what comes out of it is the register as it was, on either engine."""

from __future__ import annotations

import asyncio
import io
import re
import tarfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import orjson
import pytest
from sqlalchemy import select

from surveyor.bootstrap.workspace import Workspace
from surveyor.db import Database, dump, schema
from surveyor.db.tables import domain_crawl, domains, event_feed, events, parts, web_sessions, workers
from surveyor.errors import Refused, SchemaOutdated
from surveyor.names import canonical_domain
from surveyor.operations import backup, restore
from surveyor.profiles import loader
from surveyor.registry import check as registry_check
from surveyor.registry import feed
from surveyor.registry.leases import Claimer
from surveyor.registry.store import register
from surveyor.settings import DatabaseSettings, Settings
from tests.support.databases import Databases
from tests.support.registry_help import add_domain
from tests.web import world

CHANGED = {"domain_crawl", "workers", "listener_cursors", "events", "register", "web_sessions", "parts"}


async def rows_of(db: Database) -> dict[str, list[bytes]]:
    found = {}
    async with dump.one_moment(db) as tx:
        for table in dump.tables():
            lines: list[bytes] = []
            await dump.dump(tx, table, lines.append)
            found[table.name] = lines
    return found


def to_milliseconds(line: bytes) -> bytes:
    """SQLite keeps no finer times."""
    return re.sub(rb"(:\d\d)(?:(\.\d{3})\d*)?\+00:00", lambda m: m[1] + (m[2] or b".000"), line)


Fresh = Callable[[str], Awaitable[Database]]


@pytest.fixture
async def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Fresh]:
    """An empty database of either engine, without a schema."""
    made: list[Database] = []

    async def make(engine: str) -> Database:
        url = f"sqlite:///{tmp_path}/fresh{len(made)}.db"
        if engine == "postgresql":
            databases: Databases = request.getfixturevalue("databases")
            url = databases.create()
        made.append(Database.open(DatabaseSettings(url=url), tmp_path))
        return made[-1]

    yield make
    for db in made:
        await db.close()


async def made(db: Database, folder: Path, into: str = "backup.tar") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "surveyor.toml").write_text('profile = "funding"\n', encoding="utf-8")
    target = folder / into
    await backup.backup(db, folder, folder / "archive", None, target, lambda *_: None)
    return target


async def restored(db: Database, source: Path, folder: Path) -> restore.Restored:
    manifest = restore.check(source)
    return await restore.restore(db, source, folder / "archive", manifest, lambda *_: None)


@pytest.mark.parametrize("to", ["sqlite", "postgresql"])
async def test_everything_comes_back_on_either_engine(
    db: Database, tmp_path: Path, fresh: Fresh, to: str
) -> None:
    place = Workspace(tmp_path / "w", Settings(), db)
    place.__dict__["profile"] = loader.load("funding")
    await world.fill(place)
    source, other = await made(db, place.path), await fresh(to)
    await restored(other, source, tmp_path / "new")
    before, after = await rows_of(db), await rows_of(other)
    for name, lines in before.items():
        if name not in CHANGED:
            assert list(map(to_milliseconds, after[name])) == list(map(to_milliseconds, lines)), name
    for name in ("domain_crawl", "workers", "listener_cursors", "events"):
        assert len(after[name]) == len(before[name]), name
    assert await schema.current(other) == schema.head()
    old, new = place.archive_folder, tmp_path / "new" / "archive"
    files = [path for path in old.rglob("*") if path.is_file()]
    assert files and all((new / path.relative_to(old)).read_bytes() == path.read_bytes() for path in files)
    # The guards are back, and numbers go on behind what was loaded.
    with pytest.raises(Exception, match="append-only"):
        async with other.write() as tx:
            await tx.execute(events.update().values(reason="x"))
    fourth = await add_domain(other, "new.example")
    async with other.read() as tx:
        numbers = list((await tx.execute(select(domains.c.no))).scalars())
    assert fourth.no == max(numbers) and len(numbers) == len(set(numbers))


async def test_no_lease_no_session_and_no_process_of_before_is_believed(
    db: Database, tmp_path: Path, fresh: Fresh, engine_name: str
) -> None:
    await add_domain(db, "held.example")
    claimer = Claimer(db, "mill-1", 600.0)
    (lease,) = await claimer.claim(1)
    async with db.write() as tx:
        await register.set_fact(db, tx, "events_fed_below", "99")
    told = await feed.latest(db, 100)
    other = await fresh(engine_name)
    await restored(other, await made(db, tmp_path / "w"), tmp_path / "new")
    async with other.read() as tx:
        row = (await tx.execute(select(domain_crawl))).one()
        assert row.lease_epoch == lease.epoch + 1_000_000
        assert (await tx.execute(select(web_sessions))).all() == []
        assert (await tx.execute(select(parts))).all() == []
        stopped = (await tx.execute(select(workers.c.stopped_at))).scalars()
        assert all(moment is not None for moment in stopped)
    (again,) = await Claimer(other, "mill-2", 600.0).claim(1)
    assert again.epoch > lease.epoch and again.domain.claimed_by is not None
    # Listeners go on where they were: nothing is told twice or left out.
    later = await feed.latest(other, 100)
    assert [one.event.id for one in later][: len(told)] == [one.event.id for one in told]
    async with other.read() as tx:
        positions = list((await tx.execute(select(event_feed.c.position))).scalars())
    assert sorted(positions) == list(range(1, len(positions) + 1))
    assert not [one for one in await registry_check.check(other, canonical_domain) if one.count]


async def test_a_backup_is_one_moment_while_others_write(db: Database, tmp_path: Path) -> None:
    await add_domain(db, "first.example")
    stop = asyncio.Event()

    async def write() -> int:
        count = 0
        while not stop.is_set():
            await add_domain(db, f"site{count}.example")
            count += 1
        return count

    writing = asyncio.create_task(write())
    for number in range(3):
        source = await made(db, tmp_path / "w", f"{number}.tar")
        counts = restore.check(source)["members"]
        assert counts["tables/domains.jsonl.gz"]["rows"] == counts["tables/domain_crawl.jsonl.gz"]["rows"]
    stop.set()
    assert await writing > 0


async def test_what_is_cut_off_damaged_or_no_backup_is_refused_and_nothing_restored(
    db: Database, tmp_path: Path, fresh: Fresh
) -> None:
    await add_domain(db, "a.example")
    archive = tmp_path / "w" / "archive"
    archive.mkdir(parents=True)
    (archive / "a.warc.gz").write_bytes(b"x" * 3_000)
    source = await made(db, tmp_path / "w")
    whole = source.read_bytes()
    for place, changed in (
        ("cut", whole[: len(whole) // 2]),
        ("flipped", whole.replace(b"x" * 3_000, b"x" * 2_999 + b"y")),
        ("text", b"domain\nexample.org\n"),
        ("empty", b""),
        ("no-end", whole[: whole.index(b"manifest.json") - 10]),
    ):
        bad = tmp_path / place
        bad.write_bytes(changed)
        with pytest.raises(Refused, match="nothing was restored"):
            restore.check(bad)
    hostile = tmp_path / "hostile.tar"
    with tarfile.open(hostile, "w") as tar:
        entry = tarfile.TarInfo("archive/../../etc/passwd")
        tar.addfile(entry)
    with pytest.raises(Refused, match="which no backup has"):
        restore.check(hostile)
    full = await fresh("sqlite")
    await schema.upgrade(full)
    await add_domain(full, "b.example")
    before = await rows_of(full)
    with pytest.raises(Refused, match="is not empty"):
        await restored(full, source, tmp_path / "new")
    assert await rows_of(full) == before
    with pytest.raises(Refused, match="is there already"):
        await made(db, tmp_path / "w")


async def test_a_backup_from_before_the_first_release_is_refused_with_what_to_do(
    tmp_path: Path, fresh: Fresh
) -> None:
    old, new = await fresh("sqlite"), await fresh("sqlite")
    await schema.upgrade(old)
    source = await made(old, tmp_path / "w")
    thin = tmp_path / "old.tar"
    _without(source, thin, "tables/parts.jsonl.gz", schema="0008")
    with pytest.raises(SchemaOutdated, match=r"0008 .* before the first release"):
        await restored(new, thin, tmp_path / "new")
    assert await schema.current(new) is None


def _without(source: Path, target: Path, name: str, **changed: str) -> None:
    """The same backup as an older program would have made it."""
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for entry in old:
            data = old.extractfile(entry)
            assert data is not None
            content = data.read()
            if entry.name == name:
                continue
            if entry.name == "manifest.json":
                manifest = orjson.loads(content) | changed
                del manifest["members"][name]
                content = orjson.dumps(manifest)
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
