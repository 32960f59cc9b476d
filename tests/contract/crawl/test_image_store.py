"""Sightings, stored images and provenance, in whatever order they come; on both engines."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from surveyor.archive.images import ImageFacts
from surveyor.archive.rights import Rights
from surveyor.crawl.images.commit import ImageCommits, ImageCounts
from surveyor.crawl.images.outbox import ImageBox, ImageResult, Sighting
from surveyor.crawl.store import images as store
from surveyor.crawl.store import visits
from surveyor.db import Database, later
from surveyor.db.tables import image_urls, images, pages, provenance
from surveyor.frontier.changes import Applied
from surveyor.names import parse_url, url_key
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome
from surveyor.settings import DatabaseSettings
from tests.support.lease_help import write_crawl
from tests.support.registry_help import add_domain, claim_one, get

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_numbers = count(1)


@dataclass
class Part:
    """A domain under a lease, and what its visit has to say of images."""

    no: int
    epoch: int = 1
    box: ImageBox = field(default_factory=ImageBox)

    def see(self, url: str, page: str, alt: str = "", later: int = 0) -> None:
        when = _MOMENT + timedelta(hours=later)
        self.box.sightings.append(
            Sighting(None, url_key(url), url, f"https://a.example{url}", url_key(page), alt, when)
        )

    def fetched(self, url: str, content: bytes | None, later: int = 0) -> ImageResult:
        result = ImageResult(url_key(url), f"https://a.example{url}", "done", _MOMENT, status=200)
        result.fetched_at += timedelta(hours=later)
        if content is not None:
            result.facts = ImageFacts("png", 64, 48, sha256(content).digest(), 7, Rights(licence="CC0"))
            result.file, result.size = "ab/cd/file.png", len(content)
        self.box.results.append(result)
        return result


async def _write(db: Database, *parts: Part) -> dict[int, ImageCounts]:
    commits = ImageCommits(uuid4(), approve_assets=False)
    async with db.write() as tx:
        given_parts = [(part, part.box) for part in parts]
        counts = await commits.write(tx, given_parts, {part.no for part in parts})
    for part in parts:
        part.box = ImageBox()
    return counts


async def _shown(db: Database, no: int) -> set[tuple[bytes, int]]:
    query = (
        select(images.c.sha256, provenance.c.page_key)
        .join_from(provenance, images, images.c.id == provenance.c.image_id)
        .where(provenance.c.domain_no == no)
    )
    async with db.read() as tx:
        return {(bytes(sha), key) for sha, key in await tx.execute(query)}


_URLS, _PAGES, _CONTENTS = ("/1.png", "/2.png", "/3.png"), ("/", "/a", "/b"), (b"one", b"two")
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("see"), st.sampled_from(_URLS), st.sampled_from(_PAGES)),
        st.tuples(st.just("store"), st.sampled_from(_URLS), st.sampled_from(_CONTENTS)),
        st.tuples(st.just("move"), st.sampled_from(_URLS), st.sampled_from(_URLS)),
        st.just(("commit",)),
    ),
    max_size=14,
)


@settings(max_examples=25)
@given(steps=_steps)
def test_provenance_is_every_page_an_image_was_seen_on_in_whatever_order(
    steps: list[tuple[object, ...]], db_url: str
) -> None:
    asyncio.run(_held_against_a_model(steps, db_url))


async def _held_against_a_model(steps: list[tuple[object, ...]], db_url: str) -> None:
    db = Database.open(DatabaseSettings(url=db_url), Path())
    try:
        part = Part(1_000 + next(_numbers))
        seen: set[tuple[str, str]] = set()
        shows: dict[str, bytes] = {}
        model: set[tuple[bytes, int]] = set()

        for step in steps:
            await _step(db, part, step, seen, shows)
            model |= {(sha256(shows[url]).digest(), url_key(page)) for url, page in seen if url in shows}
        await _write(db, part)
        assert await _shown(db, part.no) == model
    finally:
        await db.close()


async def _step(
    db: Database,
    part: Part,
    step: tuple[object, ...],
    seen: set[tuple[str, str]],
    shows: dict[str, bytes],
) -> None:
    """One act, each URL at most once in a group, as a visit does it."""
    match step:
        case ("see", str(url), str(page)):
            await _write(db, part)
            part.see(url, page)
            seen.add((url, page))
        case ("store", str(url), bytes(content)):
            await _write(db, part)
            if any(known == url for known, _ in seen):  # nobody fetches what nobody has seen
                shows[url] = content + str(part.no).encode()  # examples share a database
                part.fetched(url, shows[url])
        case ("move", str(url), str(to)) if url != to:
            await _write(db, part)
            if any(known == url for known, _ in seen):
                result = part.fetched(url, None)
                result.state, result.reason, result.status = "ended", "redirect", 302
                result.moved_to = parse_url(f"https://a.example{to}")
                seen |= {(to, page) for known, page in seen if known == url}
        case _:
            await _write(db, part)


async def test_the_same_bytes_under_two_urls_are_one_image(db: Database) -> None:
    part = Part((await add_domain(db, "a.example")).no)
    part.see("/1.png", "/", "first")
    part.see("/2.png", "/", "second")
    assert (await _write(db, part))[part.no] == ImageCounts(waiting=2, stored=0)
    part.fetched("/1.png", b"same")
    part.fetched("/2.png", b"same", later=1)
    assert (await _write(db, part))[part.no] == ImageCounts(waiting=0, stored=1)
    async with db.read() as tx:
        (image,) = (await tx.execute(select(images))).all()
        (shown,) = (await tx.execute(select(provenance))).all()
    assert (image.licence, image.bytes, image.width, image.height) == ("CC0", 4, 64, 48)
    assert (shown.alt, shown.discovery_type) == ("first", "discovery")


async def test_a_page_that_was_fetched_before_brings_a_refresh(db: Database) -> None:
    part = Part((await add_domain(db, "a.example")).no)
    row = {
        "domain_no": part.no,
        "key": url_key("/old"),
        "target": "/old",
        "state": "done",
        "depth": 0,
        "rank": 0,
        "seq": 0,
        "fetched_at": _MOMENT,
    }
    async with db.write() as tx:
        await tx.execute(pages.insert().values(row))
    part.see("/1.png", "/old")
    part.see("/1.png", "/new")
    await _write(db, part)
    part.fetched("/1.png", b"one")
    await _write(db, part)
    async with db.read() as tx:
        found = await tx.execute(select(provenance.c.page_key, provenance.c.discovery_type))
        types = {row.page_key: row.discovery_type for row in found}
    assert types == {url_key("/old"): "refresh", url_key("/new"): "discovery"}


async def test_a_refresh_that_sees_an_image_again_leaves_a_row_of_its_own_with_the_latest_date(
    db: Database,
) -> None:
    part = Part((await add_domain(db, "a.example")).no)
    part.see("/1.png", "/")
    await _write(db, part)
    part.fetched("/1.png", b"one")
    await _write(db, part)
    start = {"domain_no": part.no, "key": url_key("/"), "target": "/", "state": "done", "fetched_at": _MOMENT}
    async with db.write() as tx:
        await tx.execute(pages.insert().values(start | {"depth": 0, "rank": 0, "seq": 0}))
    part.see("/1.png", "/", later=2)
    await _write(db, part)
    for hours, expected in ((4, 4), (3, 4)):
        part.box.unchanged.append((url_key("/"), _MOMENT + timedelta(hours=hours)))
        await _write(db, part)
        async with db.read() as tx:
            found = {row.discovery_type: row.seen_at for row in await tx.execute(select(provenance))}
        assert found == {"discovery": _MOMENT, "refresh": _MOMENT + timedelta(hours=expected)}


async def test_seen_again_moves_the_date_forward_and_never_back(db: Database) -> None:
    part = Part((await add_domain(db, "a.example")).no)
    part.see("/1.png", "/")
    await _write(db, part)
    part.fetched("/1.png", b"one", later=1)
    await _write(db, part)
    for hours, expected in ((5, 5), (3, 5), (8, 8)):
        part.see("/1.png", "/", later=hours)
        await _write(db, part)
        assert await _last_seen(db) == _MOMENT + timedelta(hours=expected)
    part.box.unchanged.append((url_key("/"), _MOMENT + timedelta(hours=9)))
    await _write(db, part)
    assert await _last_seen(db) == _MOMENT + timedelta(hours=9)


async def _last_seen(db: Database) -> datetime:
    async with db.read() as tx:
        found: datetime = (await tx.execute(select(images.c.last_seen_at))).scalar_one()
    return found


async def test_what_is_taken_comes_back_when_its_holder_dies_and_failures_wait_behind(db: Database) -> None:
    part = Part((await add_domain(db, "a.example")).no)
    for url in _URLS:
        part.see(url, "/")
    await _write(db, part)
    part.box.want, box = 2, part.box
    counts = await _write(db, part)
    assert (len(box.taken), counts[part.no].waiting) == (2, -2)
    async with db.write() as tx:
        assert await store.open_host(tx, part.no) == 2
        assert (await store.count_waiting(tx, [part.no]))[part.no] == 3
        first = (await store.take(tx, [(part.no, 2, 1)]))[part.no][0]
        await store.give_back(tx, [(part.no, store.GivenBack(first.key, 1, True))])  # type: ignore[attr-defined]
        order = [taken.key for taken in (await store.take(tx, [(part.no, 2, 5)]))[part.no]]
        assert order[-1] == first.key
        states = (await tx.execute(select(image_urls.c.state, image_urls.c.taken_epoch))).all()
    assert states == [("taken", 2)] * 3


async def test_an_image_that_moved_was_seen_where_its_old_address_stands(db: Database) -> None:
    part = Part((await add_domain(db, "a.example")).no)
    part.see("/old.png", "/")
    await _write(db, part)
    result = part.fetched("/old.png", None)
    result.state, result.reason, result.hops = "ended", "redirect", 1
    result.moved_to = parse_url("https://a.example/new.png")
    assert (await _write(db, part))[part.no].waiting == 1
    part.fetched("/new.png", b"one")
    await _write(db, part)
    assert await _shown(db, part.no) == {(sha256(b"one").digest(), url_key("/"))}


async def test_a_host_crawled_to_its_end_is_due_when_another_domain_shows_more_of_it(db: Database) -> None:
    no = (await add_domain(db, "cdn.example")).no
    await write_crawl(db, no, crawl_status="active")
    await write_crawl(db, no, crawl_status="exhausted", due_at=later(9_000.0))
    async with db.write() as tx:
        await store.note_hosts(tx, {no: 2})
    host = await get(db, no)
    assert host.due_at is not None and host.due_at <= host.read_at
    assert host.frontier_size == 2


@pytest.mark.parametrize(("wanted", "status"), [(True, "active"), (False, "exhausted")])
async def test_an_image_that_came_before_the_release_keeps_its_host_due(
    db: Database, wanted: bool, status: str
) -> None:
    no = (await add_domain(db, "cdn.example")).no
    lease = await claim_one(db)
    async with db.write() as tx:
        await store.add_urls(tx, [(no, 1, "/1.png", 0)])
        outcome = Outcome(status=CrawlStatus.EXHAUSTED)
        await visits.end_all(tx, [visits.Ending(lease, outcome, None, 9_000.0, wanted, Applied())], "images")
    host = await get(db, no)
    assert host.crawl_status == status
    assert host.due_at is not None and (host.due_at <= host.read_at) is wanted
