"""A forgotten domain leaves its name, the reason and the events; a forgotten contact leaves a hash."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, LargeBinary, Table, Text, Uuid, select

from surveyor.archive import BlobStore, Capture, WarcReader, WarcWriter, fsck
from surveyor.clock import SystemClock
from surveyor.db import Database
from surveyor.db.tables import contacts, image_urls, images, metadata, page_snapshots, provenance
from surveyor.db.types import UtcTime
from surveyor.errors import Refused
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.redis.connect import connect
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import DEFAULT_RULES, url_key
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import changes, forgotten
from surveyor.review import forgetting
from surveyor.review.forgetting import Forgotten
from surveyor.review.store import erase
from tests.support import servers
from tests.support.registry_help import ADMIN, REVIEWER, claim_one, get
from tests.support.review_help import STAFF, found, in_state, kinds_of, name_it

CANARY = "canary of an owner"


async def _forget(
    db: Database, archive: Path, frontier: Frontier | None = None, by: Actor = ADMIN
) -> Forgotten:
    return await forgetting.forget_domain(
        db, frontier or SqlFrontier(), archive, DEFAULT_RULES, "gone.example", by
    )


def _value(column: Any, no: int) -> Any:
    """Some value that fits the column; texts are the canary."""
    known = {"domain_no": no, "state": "waiting", "kind": "service", "extract_state": "waiting"}
    if isinstance(column.type, Uuid):
        return uuid.uuid4()
    if column.name == "id":
        return None
    if column.name in known:
        return known[column.name]
    if isinstance(column.type, Boolean):
        return False
    if isinstance(column.type, JSON):
        return {"name": CANARY}
    if isinstance(column.type, LargeBinary):
        return CANARY.encode()
    if isinstance(column.type, UtcTime):
        return datetime(2026, 1, 1, tzinfo=UTC)
    return CANARY if isinstance(column.type, Text) else no


async def _fill(db: Database, table: Table, no: int) -> None:
    values = {column.name: _value(column, no) for column in table.c if not column.nullable}
    async with db.write() as tx:
        await tx.execute(table.insert().values({k: v for k, v in values.items() if v is not None}))


async def _dump(db: Database) -> str:
    found: list[str] = []
    async with db.read() as tx:
        for table in metadata.sorted_tables:
            found += [repr(tuple(row)) for row in await tx.execute(select(table))]
    return "\n".join(found)


async def _two_domains(db: Database) -> tuple[Domain, Domain]:
    gone = await in_state(db, "gone.example", "approved")
    stays = await in_state(db, "stays.example", "approved")
    for name in ("gone.example", "stays.example"):
        await name_it(db, f"https://{name}/apply", STAFF, context=CANARY)
    return gone, stays


async def test_rows_are_gone_from_every_table_and_those_of_others_stay(db: Database, tmp_path: Path) -> None:
    gone, stays = await _two_domains(db)
    filled = [table for table in erase.tables() if table.name in _PLAIN]
    for table in filled:
        for domain in (gone, stays):
            await _fill(db, table, domain.no)
    async with db.write() as tx:
        values = {"notes": CANARY}
        await changes.edit(tx, gone.no, values, ADMIN, seen_version=None)
    done = await _forget(db, tmp_path)
    assert {table.name for table in filled} <= set(done.rows) | {"pages"}
    async with db.read() as tx:
        for table in filled:
            numbers = set((await tx.execute(select(table.c.domain_no))).scalars())
            assert numbers == {stays.no}, table.name
    after = await get(db, gone.no)
    assert (after.quality_status, after.blacklist_reason, after.blacklisted_by) == (
        "blacklisted",
        "opt_out",
        "ada",
    )
    assert (after.notes, after.submission_context, after.due_at) == (None, None, None)
    assert (await kinds_of(db))[-2:] == ["DomainBlacklisted", "DomainForgotten"]


# Tables whose rows need nothing but values: no other row, no rule across columns.
_PLAIN = (
    "page_links",
    "page_snapshots",
    "crawl_log",
    "record_sources",
    "record_changes",
    "contact_sources",
    "crawl_ends",
    "records",
)


def test_every_table_that_names_a_domain_is_emptied_of_it() -> None:
    named = {table.name for table in metadata.sorted_tables if "domain_no" in table.c}
    assert {table.name for table in erase.tables()} == named - {"events"}


async def test_nothing_of_it_is_left_in_the_archive(db: Database, tmp_path: Path) -> None:
    await _two_domains(db)
    places = {}
    with WarcWriter(tmp_path, "w", 10**9, SystemClock()) as writer:
        for host in ("gone.example", "www.gone.example", "stays.example", "gone.example.stays.example"):
            url = f"https://{host}/apply"
            headers = (("Content-Type", "text/html"),)
            capture = Capture(url, datetime.now(UTC), 200, headers, f"{CANARY} {host}".encode())
            places[host] = writer.append(capture)
    done = await _forget(db, tmp_path)
    assert done.archive_records == 2
    kept = [one.capture.url for one in WarcReader(tmp_path).records(places["stays.example"].file)]
    assert kept == ["https://stays.example/apply", "https://gone.example.stays.example/apply"]
    assert fsck(tmp_path).clean


async def test_a_lease_on_it_ends_and_the_person_is_told_to_come_back(db: Database, tmp_path: Path) -> None:
    await in_state(db, "gone.example", "approved")
    lease = await claim_one(db)
    assert (await _forget(db, tmp_path)).was_crawled
    after = await get(db, lease.no)
    assert (after.claimed_by, after.lease_epoch) == (None, lease.epoch + 1)
    assert not (await _forget(db, tmp_path)).was_crawled, "the second time it is in nobody's hands"


async def test_a_domain_that_is_blacklisted_for_something_else_gets_the_reason(
    db: Database, tmp_path: Path
) -> None:
    await in_state(db, "gone.example", "blacklisted")
    await _forget(db, tmp_path)
    assert (await found(db, "gone.example")).blacklist_reason == "opt_out"


async def test_a_domain_nobody_knows_is_kept_out(db: Database, tmp_path: Path) -> None:
    await _forget(db, tmp_path / "no archive yet")
    domain = await found(db, "gone.example")
    assert (domain.quality_status, domain.review_status) == ("blacklisted", ReviewStatus.PENDING_REVIEW)


async def test_only_an_admin_forgets(db: Database, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="only an admin forgets; rita is a reviewer"):
        await _forget(db, tmp_path, by=REVIEWER)


async def test_its_images_are_gone_unless_others_have_and_show_them_too(db: Database, tmp_path: Path) -> None:
    gone, stays = await _two_domains(db)
    store = BlobStore(tmp_path / "images")
    # Image -> hosts it came from, domains whose pages show it.
    images_seen = {
        "own": ([gone], [gone]),
        "hotlinked": ([gone], [stays]),
        "from elsewhere": ([stays], [gone]),
        "everybody's": ([gone, stays], [gone, stays]),
        "another's": ([stays], [stays]),
    }
    files = {}
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    async with db.write() as tx:
        for number, (name, (hosts, pages_of)) in enumerate(images_seen.items(), 1):
            files[name] = store.put(name.encode(), "png")
            facts = {"dhash": 1, "width": 1, "height": 1, "format": "png", "bytes": 1, "file": files[name]}
            seen = {"first_seen_at": moment, "last_seen_at": moment}
            await tx.execute(images.insert().values(id=number, sha256=name.encode(), **facts, **seen))
            for host in hosts:
                url = {"key": number, "target": f"/{number}.png", "state": "done", "image_id": number}
                await tx.execute(image_urls.insert().values(domain_no=host.no, **url))
            for page in pages_of:
                sight = {
                    "page_key": 1,
                    "discovery_type": "discovery",
                    "url": "u",
                    "alt": "",
                    "seen_at": moment,
                }
                await tx.execute(provenance.insert().values(image_id=number, domain_no=page.no, **sight))
    done = await _forget(db, tmp_path)
    assert done.images == 3
    kept = {name for name, file in files.items() if store.path(file).exists()}
    assert kept == {"everybody's", "another's"}
    async with db.read() as tx:
        assert set((await tx.execute(select(images.c.file))).scalars()) == {files[name] for name in kept}
        assert set((await tx.execute(select(provenance.c.image_id))).scalars()) == {4, 5}
        assert set((await tx.execute(select(image_urls.c.image_id))).scalars()) == {None, 4, 5}


async def test_a_contact_is_gone_with_the_pages_it_was_found_on_and_stays_away(
    db: Database, tmp_path: Path
) -> None:
    _, stays = await _two_domains(db)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with WarcWriter(tmp_path, "w", 10**9, SystemClock()) as writer:
        for target in ("/team", "/apply"):
            body = f"mail {CANARY}".encode()
            writer.append(Capture(f"https://www.stays.example{target}", moment, 200, (), body))
    async with db.write() as tx:
        for value, url in (
            ("Jo@Example.org", "https://stays.example/team"),
            ("al@example.org", "https://stays.example/apply"),
        ):
            row = {"kind": "email", "value": value, "source_url": url, "found_at": moment}
            await tx.execute(contacts.insert().values(domain_no=stays.no, **row))
        for target in ("/team", "/apply"):
            seen = {"first_seen_at": moment, "last_seen_at": moment, "bytes": 1, "content_hash": b"x"}
            row = {"domain_no": stays.no, "key": url_key(target), "title": CANARY}
            await tx.execute(page_snapshots.insert().values(**row, **seen))
    done = await forgetting.forget_contact(db, tmp_path, DEFAULT_RULES, " jo@example.org ", ADMIN)
    assert (done.contacts, done.snapshots, done.archive_records) == (1, 1, 1)
    again = await forgetting.forget_contact(db, tmp_path, DEFAULT_RULES, "jo@example.org", ADMIN)
    assert (again.contacts, again.snapshots, again.archive_records) == (0, 0, 0)
    assert "jo@example.org" not in (await _dump(db)).lower()
    async with db.read() as tx:
        values = ["JO@example.org", "al@example.org"]
        assert await forgotten.contacts_among(tx, values) == {"JO@example.org"}
    with pytest.raises(Refused, match="only an admin"):
        await forgetting.forget_contact(db, tmp_path, DEFAULT_RULES, "x@example.org", REVIEWER)
    assert (await kinds_of(db))[-1] == "ContactForgotten"


@pytest.fixture
async def redis_frontier(db: Database) -> AsyncIterator[tuple[Frontier, servers.Valkey]]:
    server = servers.Valkey.create()
    try:
        async with connect(server.url, db) as frontier:
            yield frontier, server
    finally:
        server.remove()


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
async def test_urls_that_wait_in_redis_are_gone_too(
    db: Database, tmp_path: Path, redis_frontier: tuple[Frontier, servers.Valkey]
) -> None:
    frontier, _ = redis_frontier
    domain, _ = await _two_domains(db)
    lease = await claim_one(db)
    while lease.no != domain.no:
        lease = await claim_one(db)
    await frontier.prepare(db, lease.no, lease.epoch)
    async with db.write() as tx:
        opened = (await frontier.open(tx, {lease.no: lease.epoch}))[lease.no]
    assert opened.waiting == 2
    await _forget(db, tmp_path, frontier)
    async with db.read() as tx:
        assert await frontier.count(tx, domain.no) == 0
    assert (await _dump(db)).count("'/apply'") == 1, "that of the other domain"
