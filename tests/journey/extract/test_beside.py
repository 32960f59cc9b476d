"""Extraction beside a crawl and by itself, as a person runs them: real processes on a real site."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import psutil
import pytest
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import page_snapshots
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support import terminal
from tests.support.site import SiteGraph, SiteSpec

GOLD = Path(__file__).parents[2] / "data" / "gold" / "tune"
ON = {"SURVEYOR_EXTRACT__ENABLED": "true"}


def _versions(crawl: Crawl) -> list[tuple[str, bool, bool]]:
    """State, whether a body is kept, whether there is text; of every version."""

    async def look(db: Database) -> list[tuple[str, bool, bool]]:
        s = page_snapshots.c
        async with db.read() as tx:
            found = await tx.execute(select(s.extract_state, s.body, s.markdown))
            return [(state, body is not None, bool(text)) for state, body, text in found]

    return crawl.with_database(look)


@pytest.mark.parametrize(("engine_name", "archive"), [("sqlite", "warc"), ("postgresql", "off")])
def test_a_crawl_reads_its_pages_while_it_goes_on(make_crawl: MakeCrawl, archive: str) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=7, hosts=2, pages_per_host=20)))
    done = crawl.run("crawl", "--json", SURVEYOR_CRAWL__ARCHIVE=archive, **ON)
    assert done.code == 0, done.err
    found = _versions(crawl)
    assert len(found) >= 30
    assert {(state, has_body) for state, has_body, _ in found} <= {("done", False), ("unchanged", False)}
    assert done.json["extracted"]["pages"] == len(found)
    assert done.json["extracted"]["waiting"] == 0
    for name in crawl.site.spec.graph.names:
        assert crawl.domain(name)["quality_status"] in ("processed_low_quality", "processed_high_quality")


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_without_extraction_and_without_an_archive_nothing_is_kept_to_read(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=7, hosts=1, pages_per_host=5)))
    assert crawl.run("crawl", SURVEYOR_CRAWL__ARCHIVE="off").code == 0
    assert {has_body for _, has_body, _ in _versions(crawl)} == {False}
    told = crawl.run("extract", "--json")
    assert told.code == 0
    assert {state for state, _, _ in _versions(crawl)} == {"done"}
    ids = "12"
    refused = crawl.run("diff", *ids)
    assert refused.code == 1
    assert "its content was not kept" in refused.err


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_the_bar_of_an_extraction_counts_pages_that_are_being_read_and_ends_full(
    make_crawl: MakeCrawl,
) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=7, hosts=1, pages_per_host=5)))
    assert crawl.run("crawl").code == 0
    pages = len(_versions(crawl))
    code, raw = terminal.seen("extract", workspace=crawl.workspace, progress=True, **crawl.settings)
    bars = [(int(done), int(total)) for done, total in re.findall(r"(\d+)/(\d+)", terminal.plain(raw))]
    assert code == 0
    assert bars[-1] == (pages, pages)
    assert [total for _, total in bars] == sorted(total for _, total in bars)


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_an_interrupted_crawl_leaves_pages_for_later_and_no_process(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=8, hosts=2, pages_per_host=400)))
    process = crawl.start("crawl", **ON)
    deadline = time.monotonic() + 200
    while crawl.site.now().requests < 60:
        assert time.monotonic() < deadline, "the crawl does not get going"
        time.sleep(0.01)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    _, alive = psutil.wait_procs(family, 20)
    assert alive == []
    done = crawl.run("extract", "--json")
    assert done.code == 0
    assert done.json["waiting"] == 0
    assert {state for state, _, _ in _versions(crawl)} <= {"done", "unchanged"}


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_extraction_beside_a_killed_crawl_ends_with_it(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=9, hosts=2, pages_per_host=400)))
    process = crawl.start("crawl", **ON)
    deadline = time.monotonic() + 200
    family: list[psutil.Process] = []
    while not any("--beside" in one.cmdline() for one in family):
        assert time.monotonic() < deadline, "no extraction beside it"
        time.sleep(0.01)
        family = _family(process.pid)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(family, 30)
    assert alive == []


def _family(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_one_page_is_read_from_a_file_and_nothing_is_stored(make_crawl: MakeCrawl, tmp_path: Path) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=1, hosts=1, pages_per_host=5)))
    page = GOLD / "101-meadow-fund-seed-grants.html"
    told = crawl.run("extract", "--file", str(page), "--url", "https://meadow.example/seed", "--json")
    assert told.code == 0, told.err
    assert list(told.json) == ["markdown", "title", "language", "relevance", "records", "contacts"]
    assert told.json["relevance"]["is_relevant"] is True
    assert told.json["records"][0]["fields"]["deadline"] == "2027-01-29"
    assert crawl.run("records", "--all", "--json").json == []
    for arguments, why in (
        (("--file", str(tmp_path / "no.html"), "--url", "https://a.example/"), "cannot be read"),
        (("--file", str(page)), "go together"),
        (("--file", str(page), "--url", "mailto:a"), "is not a web address"),
        (("--limit", "0"), "at least 1"),
        (("--once", "--continuous"), "exclude each other"),
        (("nobody.example",), "is not in the register"),
    ):
        refused = crawl.run("extract", *arguments)
        assert refused.code in (1, 2)
        assert why in refused.err
        assert len(refused.err.strip().splitlines()) == 1


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_an_extraction_that_waits_for_more_ends_at_the_first_interrupt(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=7, hosts=1, pages_per_host=10)))
    assert crawl.run("crawl").code == 0
    process = crawl.start("extract", "--continuous")
    deadline = time.monotonic() + 200
    while {state for state, _, _ in _versions(crawl)} & {"waiting", "taken"}:
        assert time.monotonic() < deadline, "nothing is read"
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    assert b"pages read in" in told
    url = f"https://{crawl.site.spec.graph.names[0]}/"
    answer = crawl.run("why", url, "--json").json
    assert answer["details"]["extraction"].startswith("done")
    assert crawl.domain(crawl.site.spec.graph.names[0])["extraction"]["waiting"] == 0
    stored = crawl.run("page", url, "--json").json
    assert stored["text"].startswith("# ")
    assert [one["snapshot"] for one in stored["versions"]] == [stored["snapshot"]]
    shown = crawl.run("page", url).out
    assert stored["text"].splitlines()[0] in shown
    assert "-" not in shown.splitlines(), "an empty line of the text stays empty"
    refused = crawl.run("page", f"{url}nowhere")
    assert (refused.code, len(refused.err.strip().splitlines())) == (1, 1)
    assert "no version of" in refused.err
