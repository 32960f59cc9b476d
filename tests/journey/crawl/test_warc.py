"""What a crawl leaves on disk: WARC files that a foreign tool accepts, and every stored version in them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import select
from warcio.archiveiterator import ArchiveIterator

from surveyor.db import Database
from surveyor.db.tables import page_snapshots
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.site import SiteGraph, SiteSpec


class Version(NamedTuple):
    archive: str
    content_hash: bytes


def test_every_stored_version_is_in_a_warc_file_that_checks(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=4, hosts=3, pages_per_host=30)))
    assert crawl.run("crawl", SURVEYOR_CRAWL__ARCHIVE="warc").code == 0
    assert _checked(crawl) == _pages(crawl)


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_a_kill_in_the_middle_leaves_files_that_check_and_nothing_without_its_record(
    make_crawl: MakeCrawl,
) -> None:
    crawl = make_crawl(
        SiteSpec(SiteGraph(seed=5, hosts=3, pages_per_host=60)), SURVEYOR_CRAWL__ARCHIVE="warc"
    )
    process = crawl.start("crawl")
    deadline = time.monotonic() + 200
    while crawl.site.now().requests < 80:
        assert time.monotonic() < deadline, "the crawl does not get going"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert 0 < _checked(crawl) < _pages(crawl)
    assert crawl.run("crawl").code == 0
    assert _checked(crawl) == _pages(crawl)


def _pages(crawl: Crawl) -> int:
    graph = crawl.site.spec.graph
    return sum(len(graph.reachable(host, 3)) for host in graph.names)


def _checked(crawl: Crawl) -> int:
    """How many versions are stored; each has its record, and each file passes the tool's own check."""
    files = sorted(crawl.workspace.rglob("*.warc.gz"))
    assert files
    command = [sys.executable, "-m", "warcio.cli", "check", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    payloads = {place: payload for file in files for place, payload in _records(file).items()}
    versions = crawl.with_database(_versions)
    for version in versions:
        file, offset, _ = version.archive.split(":")
        assert payloads[file, int(offset)] == version.content_hash, version.archive
    return len(versions)


def _records(file: Path) -> dict[tuple[str, int], bytes]:
    """Place of a response -> SHA-256 of its payload."""
    found: dict[tuple[str, int], bytes] = {}
    with file.open("rb") as stream:
        records = ArchiveIterator(stream, check_digests="raise")
        for record in records:
            if record.rec_type == "response":
                payload = sha256(record.content_stream().read()).digest()
                found[file.name, records.get_record_offset()] = payload
    return found


async def _versions(db: Database) -> list[Version]:
    columns = (page_snapshots.c.archive, page_snapshots.c.content_hash)
    async with db.read() as tx:
        return [Version(*row) for row in await tx.execute(select(*columns))]
