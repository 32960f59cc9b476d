"""Old logs into the register: as plain SQL counts them, once, and never over what is alive."""

from __future__ import annotations

import csv
import gzip
import io
import json
import marshal
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, DateTime, Integer, MetaData, Table, Text, func, select, update
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from surveyor.archive import Location, WarcReader, WarcWriter
from surveyor.backfill import BackfillRequest, Destination, Keeper, Mapped, Report, backfill
from surveyor.clock import SystemClock
from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains, events, page_snapshots, pages, scrapy_requests
from surveyor.errors import BadInput
from surveyor.ids import new_id
from surveyor.names import DEFAULT_RULES, canonical_domain
from surveyor.registry.actors import Actor
from surveyor.registry.check import check
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import rows
from tests.support.registry_help import add_domain, claim_one, get

START = datetime(2025, 3, 1, tzinfo=UTC)
Row = tuple[str | None, int | None, int, datetime]


def _table(name: str) -> Table:
    return Table(
        name,
        MetaData(),
        Column("domain", Text),
        Column("status", Integer),
        Column("images_found", Integer),
        Column("crawled_at", DateTime(timezone=True)),
    )


async def _write_log(db: Database, log: Sequence[Row]) -> Table:
    table = _table(f"old_{new_id().hex}")
    async with db.write() as tx:
        await tx.run_sync(table.metadata.create_all)
        if log:
            names = ("domain", "status", "images_found", "crawled_at")
            await tx.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in log])
    return table


async def _backfill(db: Database, where: str, table: str = "crawl_log", **given: Any) -> Report:
    mapped = Mapped(table)
    images = Mapped("provenance")
    keeper = given.pop("keeper", Keeper(None))
    known: dict[str, Any] = {
        "provenance": None,
        "for_review": False,
        "apply": True,
        "source": "old",
    } | given
    into = Destination(db, Actor.operator(), DEFAULT_RULES, "images", timedelta(days=7), keeper)
    return await backfill(into, BackfillRequest(where, mapped, images=images, **known))


async def _find(db: Database, name: str) -> Domain:
    async with db.read() as tx:
        found = await rows.find(tx, name)
    assert found is not None, name
    return found


ROWS = st.tuples(
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["{}", "www.{}", "{}:443", "{}."]),
    st.sampled_from([200, 200, 301, 404, 403, 500]),
    st.integers(0, 5),
    st.integers(0, 90),
)


@settings(max_examples=8)
@given(st.lists(ROWS, max_size=40))
async def test_any_log_gives_what_sql_over_it_says(db: Database, db_url: str, drawn: list[Any]) -> None:
    mark = new_id().hex
    log: list[Row] = [
        (spelling.format(f"{letter}-{mark}.Example"), status, images, START + timedelta(days=day))
        for letter, spelling, status, images, day in drawn
    ]
    table = await _write_log(db, log)
    report = await _backfill(db, db_url, table.name)
    assert report.rows == len(log)
    name = func.lower(func.replace(func.replace(func.rtrim(table.c.domain, "."), "www.", ""), ":443", ""))
    bad = func.count().filter(table.c.status >= 400)
    said = select(
        name,
        func.count(),
        bad,
        func.sum(table.c.images_found),
        func.min(table.c.crawled_at),
        func.max(table.c.crawled_at),
    ).group_by(name)
    async with db.read() as tx:
        expected = (await tx.execute(said)).all()
    assert report.domains == report.new == len(expected)
    assert report.blocked + report.exhausted == len(expected)
    for domain, count, errors, images, first, last in expected:
        found = await _find(db, domain)
        assert (found.pages_discovered, found.pages_crawled, found.total_error_count) == (
            count,
            count - errors,
            errors,
        )
        blocked = errors * 2 > count
        assert found.crawl_status is (CrawlStatus.BLOCKED if blocked else CrawlStatus.EXHAUSTED)
        assert found.images_found == images
        assert (found.first_seen_at, found.last_crawled_at) == (_utc(first), _utc(last))
        assert found.claimed_by is None
    again = await _backfill(db, db_url, table.name)
    assert (again.new, again.filled, again.kept) == (0, 0, len(expected))


def _utc(when: datetime) -> datetime:
    return when if when.tzinfo else when.replace(tzinfo=UTC)


async def test_a_dry_run_counts_and_writes_nothing(db: Database, db_url: str) -> None:
    table = await _write_log(db, [("a.example", 200, 1, START), ("b.example", 403, 0, START)])
    report = await _backfill(db, db_url, table.name, apply=False)
    assert (report.new, report.exhausted, report.blocked, report.applied) == (2, 1, 1, False)
    async with db.read() as tx:
        for one in (domains, events):
            assert (await tx.execute(select(func.count()).select_from(one))).scalar_one() == 0


async def test_live_counters_and_states_are_never_overwritten(db: Database, db_url: str) -> None:
    held = await add_domain(db, "held.example")
    fresh = await add_domain(db, "fresh.example", approved=False)
    lease = await claim_one(db)
    names = ("www.held.example", "fresh.example")
    table = await _write_log(db, [(name, 200, 3, START) for name in names for _ in range(4)])
    report = await _backfill(db, db_url, table.name)
    assert (report.new, report.filled, report.kept) == (0, 1, 1)
    now = await get(db, held.no)
    assert (now.pages_crawled, now.lease_epoch, now.claimed_by) == (0, lease.epoch, "w1")
    waiting = await get(db, fresh.no)
    assert (waiting.pages_crawled, waiting.review_status, waiting.due_at) == (
        4,
        ReviewStatus.PENDING_REVIEW,
        None,
    )
    assert await check(db, canonical_domain) == []


async def test_files_of_every_kind_say_the_same(db: Database, tmp_path: Path) -> None:
    urls = [("https://{}/1", 200), ("http://www.{}/2", 200), ("https://{}/3", 404)]

    def spelled(name: str) -> list[tuple[str, int]]:
        return [(url.format(name), status) for url, status in urls]

    stamp, shown = "20250301000000", "2025-03-01 00:00:00"
    texts = {
        "csv": "page_url;status;crawled_at\n"
        + "".join(f"{url};{status};{shown}\n" for url, status in spelled("csv.example")),
        "jsonl": "".join(
            json.dumps({"page_url": url, "status": status, "crawled_at": shown}) + "\n"
            for url, status in spelled("jsonl.example")
        ),
        "log": f"{shown} [scrapy.utils.log] INFO: Scrapy started\n"
        + "".join(
            f"{shown} [scrapy.core.engine] DEBUG: Crawled ({status}) <GET {url}> (referer: None)\n"
            for url, status in spelled("log.example")
        ),
        "cdx": " CDX N b a m s k r M S V g\n"
        + "".join(
            f"k {stamp} {url} text/html {status} D - - 1 2 f\n" for url, status in spelled("cdx.example")
        ),
        "cdxj": "".join(
            f"k {stamp} {json.dumps({'url': url, 'status': str(status)})}\n"
            for url, status in spelled("cdxj.example")
        ),
    }
    for kind, text in texts.items():
        file = tmp_path / f"old.{kind}"
        file.write_text(text)
        report = await _backfill(db, str(file), source=f"old_{kind}")
        assert (report.rows, report.domains, report.new) == (3, 1, 1), kind
        found = await _find(db, f"{kind}.example")
        assert (found.pages_crawled, found.total_error_count, found.last_crawled_at) == (2, 1, START), kind


async def test_stored_images_are_counted_once_per_domain_whatever_its_spelling(
    db: Database, db_url: str, tmp_path: Path
) -> None:
    log = await _write_log(db, [("a.example", 200, 1, START), ("b.example", 200, 1, START)])
    images = tmp_path / "provenance.csv"
    with images.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(("source_domain", "image_id"))
        out.writerows(
            [("a.example", 1), ("www.A.example", 1), ("a.example", 2), ("b.example", 1), ("x.example", 9)]
        )
    report = await _backfill(db, db_url, log.name, provenance=str(images))
    assert (report.images_stored, report.images_left_out) == (3, 1)
    assert (await _find(db, "a.example")).images_stored == 2
    assert report.by_status == [{"status": "exhausted", "domains": 2, "avg_yield": 1.5, "avg_pages": 1.0}]


async def test_what_cannot_be_read_is_said_in_one_line(db: Database, db_url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no table nothing; --table names another"):
        await _backfill(db, db_url, "nothing")
    file = tmp_path / "log.csv"
    file.write_text("host,code\na.example,200\n")
    with pytest.raises(
        BadInput, match=r"columns “host”, “code”; say which .* --map host=domain --map code=status"
    ):
        await _backfill(db, str(file))
    mixed = await _write_log(
        db, [("10.0.0.1", 200, 0, START), (None, 200, 0, START), ("a.example", 200, 0, START)]
    )
    report = await _backfill(db, db_url, mixed.name)
    assert (report.domains, report.rows_left_out) == (1, 2)
    assert any("10.0.0.1: it is an IP address" in text for text in report.left_out)


async def test_pages_of_a_warc_come_with_contents_that_extraction_reads_once(
    db: Database, tmp_path: Path
) -> None:
    held = await add_domain(db, "held.example")
    lease = await claim_one(db)
    words = b"<html><title>Grants</title><p>We give grants to schools in Sofia.</p></html>"
    packed = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
    chunked = [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")]
    answers = [
        ("https://old.example/plain", "200 OK", [("Content-Type", "text/html")], words),
        ("https://www.old.example/packed", "200 OK", packed, gzip.compress(words + b"1")),
        ("https://old.example/chunked", "200 OK", chunked, b"5\r\n<html\r\n1\r\n>\r\n0\r\n\r\n"),
        ("https://old.example/broken", "200 OK", packed, b"no gzip at all"),
        ("https://old.example/gone", "404 Not Found", [], b"gone"),
        ("https://held.example/x", "200 OK", [], words),
    ]
    path = tmp_path / "old.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, status, heads, body in answers:
            http = StatusAndHeaders(status, heads, protocol="HTTP/1.1")
            made = {"WARC-Date": "2025-03-01T00:00:00Z"}
            writer.write_record(
                writer.create_warc_record(
                    url, "response", payload=io.BytesIO(body), http_headers=http, warc_headers_dict=made
                )
            )
    dry = (await _backfill(db, str(path), pages=True, apply=False)).pages
    archive = WarcWriter(tmp_path / "archive", "backfill", 10**9, SystemClock())
    report = (await _backfill(db, str(path), pages=True, keeper=Keeper(archive))).pages
    assert dry is not None
    assert report is not None
    assert (report.new, report.contents, report.kept) == (5, 3, 0)
    assert sum(report.left_out.values()) == 2  # the broken content, the page of the domain that is held
    assert dry == report
    old = await _find(db, "old.example")
    async with db.read() as tx:
        ledger = select(pages.c.target, pages.c.state, pages.c.reason).where(pages.c.domain_no == old.no)
        assert sorted(tuple(row) for row in await tx.execute(ledger)) == [
            ("/", "waiting", None),
            ("/broken", "done", None),
            ("/chunked", "done", None),
            ("/gone", "ended", "not_found"),
            ("/packed", "done", None),
            ("/plain", "done", None),
        ]
        versions = (await tx.execute(select(page_snapshots).order_by(page_snapshots.c.id))).all()
    reader = WarcReader(tmp_path / "archive")
    bodies = [reader.read(Location.parse(one.archive), one.content_hash).body for one in versions]
    assert bodies == [words, words + b"1", b"<html>"]
    assert {one.extract_state for one in versions} == {"waiting"}
    again = (await _backfill(db, str(path), pages=True, keeper=Keeper(archive))).pages
    assert again is not None
    assert (again.new, again.contents, again.kept) == (0, 0, 5)
    assert (await get(db, held.no)).lease_epoch == lease.epoch
    assert await check(db, canonical_domain) == []


def _warc(path: Path, *captures: tuple[str, int, str, bytes | None]) -> str:
    """URL, day, status and body of each; without a body it is a `revisit`."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        for url, day, status, body in captures:
            http = StatusAndHeaders(status, [("Content-Type", "text/html")], protocol="HTTP/1.1")
            kind = "response" if body is not None else "revisit"
            made = {"WARC-Date": f"2025-03-{day:02}T00:00:00Z"}
            record = writer.create_warc_record(
                url, kind, payload=io.BytesIO(body or b""), http_headers=http, warc_headers_dict=made
            )
            writer.write_record(record)
    return str(path)


async def test_of_captures_far_apart_the_newest_is_the_page_whatever_their_order(
    db: Database, tmp_path: Path
) -> None:
    up, down, gone, same = (f"https://old.example/{name}" for name in ("up", "down", "gone", "same"))
    between = [(f"https://old.example/{number}", 1, "404 Not Found", b"") for number in range(200)]
    first = [(up, 1, "200 OK", b"1"), (down, 9, "200 OK", b"9"), (gone, 1, "200 OK", b"1")]
    later = [(up, 9, "200 OK", b"9"), (down, 1, "200 OK", b"1"), (gone, 9, "404 Not Found", b"")]
    revisit = [(same, 1, "200 OK", b"1"), (same, 9, "200 OK", None)]
    file = _warc(tmp_path / "old.warc", *first, *between, *later, *revisit)
    report = (await _backfill(db, file, pages=True)).pages
    assert report is not None and (report.new, report.newer) == (204, 3)
    again = (await _backfill(db, file, pages=True)).pages
    assert again is not None and (again.new, again.newer) == (0, 0)
    query = (
        select(pages.c.target, pages.c.status, pages.c.fetched_at, page_snapshots.c.body)
        .outerjoin_from(
            pages,
            page_snapshots,
            (page_snapshots.c.key == pages.c.key) & (page_snapshots.c.content_hash == pages.c.content_hash),
        )
        .where(pages.c.target.in_(["/up", "/down", "/gone", "/same"]))
    )
    async with db.read() as tx:
        found = {row.target: row for row in await tx.execute(query)}
    stored = {
        target: (row.status, row.fetched_at.day, zlib.decompress(row.body)) for target, row in found.items()
    }
    assert stored == {
        "/up": (200, 9, b"9"),
        "/down": (200, 9, b"9"),
        "/gone": (404, 9, b"1"),
        "/same": (200, 9, b"1"),
    }
    assert await check(db, canonical_domain) == []


async def test_a_content_that_comes_after_its_index_is_taken_and_what_was_crawled_here_stays(
    db: Database, tmp_path: Path
) -> None:
    cdx = tmp_path / "old.cdx"
    cdx.write_text("example,old)/a 20250309000000 https://old.example/a text/html 200 X - - 1 1 f\n")
    await _backfill(db, str(cdx), pages=True)
    file = _warc(tmp_path / "old.warc", ("https://old.example/a", 1, "200 OK", b"words"))
    report = (await _backfill(db, file, pages=True)).pages
    assert report is not None and (report.new, report.newer, report.contents) == (0, 1, 1)
    domain = await _find(db, "old.example")
    async with db.write() as tx:
        ours = update(domain_crawl).where(domain_crawl.c.no == domain.no)
        await tx.execute(ours.values(last_crawl_run_id=new_id()))
    newer = _warc(tmp_path / "newer.warc", ("https://old.example/a", 20, "200 OK", b"other"))
    report = (await _backfill(db, newer, pages=True)).pages
    assert report is not None and (report.new, report.newer, report.kept) == (0, 0, 1)


async def test_a_queue_of_scrapy_waits_here_for_whoever_crawls_next_and_comes_once(
    db: Database, tmp_path: Path
) -> None:
    held = await add_domain(db, "held.example")
    await claim_one(db)
    waiting = [
        {"url": "https://www.new.example/a", "meta": {"depth": 2}, "priority": 5, "callback": "article"},
        {"url": "https://new.example/a", "meta": {"depth": 3}},
        {"url": "https://new.example/b", "method": "POST"},
        {"url": "https://held.example/c"},
        {"url": "https://10.0.0.1/"},
    ]
    queue = tmp_path / "requests.queue" / "0"
    queue.mkdir(parents=True)
    packed = [marshal.dumps(one) for one in waiting]
    (queue / "q00000").write_bytes(b"".join(len(one).to_bytes(4) + one for one in packed))
    dry = await _backfill(db, str(tmp_path), pages=True, apply=False)
    assert (dry.rows, dry.new, dry.by_status) == (5, 1, []) and dry.pages is not None and dry.pages.new == 1
    report = await _backfill(db, str(tmp_path), pages=True, spider="news")
    assert (report.rows, report.rows_left_out, report.domains, report.new, report.kept) == (5, 1, 2, 1, 1)
    assert report.pages is not None and (report.pages.new, report.pages.kept) == (1, 1)
    assert report.pages.left_out == {
        "it is a form or has another method than GET": 1,
        "a worker holds its domain": 1,
        "no URL of a page is named": 1,
    }
    domain = await _find(db, "new.example")
    assert (domain.review_status, domain.crawl_status) == (ReviewStatus.APPROVED, CrawlStatus.PENDING)
    assert (domain.pages_crawled, domain.frontier_size, domain.start_url) == (
        0,
        1,
        "https://www.new.example/",
    )
    async with db.read() as tx:
        rows_ = (await tx.execute(select(pages).where(pages.c.domain_no == domain.no))).all()
        texts = (await tx.execute(select(scrapy_requests.c.request))).scalars().all()
    assert [(one.target, one.state, one.depth) for one in rows_] == [("/a", "waiting", 2)]
    assert [json.loads(text) for text in texts] == [
        {"callback": "article", "priority": 5, "surveyor_spider": "news"}
    ]
    again = await _backfill(db, str(tmp_path), pages=True, spider="news")
    assert (again.new, again.kept) == (0, 2) and again.pages is not None and again.pages.new == 0
    taken = await claim_one(db)
    assert taken is not None and taken.domain.domain == "new.example" and held.no != taken.no
    assert await check(db, canonical_domain) == []
