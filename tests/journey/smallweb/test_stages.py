"""The real program over the small web: every site ends in the stage that its truth says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from surveyor.smallweb import Expected, SmallWeb, expected, in_thread
from tests.support.cli_help import Ran, surveyor

# Milliseconds where the open web gets seconds.
pytestmark = pytest.mark.slow
QUICK = {"SURVEYOR_CRAWL__COMMIT_SECONDS": "0.1", "SURVEYOR_NET__CONNECT_SECONDS": "5"}
DELAY = 0.02


@dataclass
class Journey:
    web: SmallWeb
    workspace: Path
    settings: dict[str, str]
    truth: dict[str, Expected]

    def run(self, *arguments: str, stdin: str = "") -> Ran:
        ran = surveyor(*arguments, workspace=self.workspace, stdin=stdin, **self.settings)
        assert ran.code == 0, ran.err
        return ran

    def hosts(self, **wanted: str) -> list[str]:
        return [
            host
            for host, truth in self.truth.items()
            if all(getattr(truth, name) == value for name, value in wanted.items())
        ]

    def domains(self) -> dict[str, dict[str, Any]]:
        listed = self.run("domain-status", "--limit", "500", "--json").json
        return {domain["domain"]: domain for domain in listed}

    def asked(self, host: str) -> dict[str, int]:
        """The targets that a host answered, with the status of the last answer."""
        names = (host, f"www.{host}")
        return {one.target: one.status for one in list(self.web.asked) if one.host in names}


@pytest.fixture
def journey(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Journey]:
    profile = request.param
    with in_thread() as web:
        settings = web.environment(delay_seconds=DELAY) | QUICK
        truth = {one.host: one for one in expected(profile, sites=web.sites, today=web.today)}
        begun = Journey(web, tmp_path / "ws", settings, truth)
        surveyor("init", begun.workspace, "--profile", profile, **settings)
        yield begun


def to_the_crawl(journey: Journey) -> None:
    """Search, seed what no search finds, decide as the curator would, crawl."""
    journey.run("search")
    if seeds := journey.hosts(found="seed"):
        journey.run("ingest-seeds", "-", "--for-review", stdin="\n".join(seeds))
    journey.run("approve", *journey.hosts(decision="approve"))
    if rejected := journey.hosts(decision="reject"):
        journey.run("reject", *rejected, "--reason", journey.truth[rejected[0]].reason)
    journey.run("crawl", "--once")


def stages(journey: Journey) -> dict[str, str]:
    domains = journey.domains()
    return {host: domains[host]["stage"] if host in domains else "spam" for host in journey.truth}


def readable(journey: Journey, host: str) -> set[str]:
    """Pages that are there for a polite visitor: those that robots.txt denies are not."""
    site = journey.web.sites[host]
    lines = site.robots.text.splitlines()
    denied = tuple(line.partition(": ")[2] for line in lines if line.startswith("Disallow: "))
    return {page.path for page in site.open_pages() if not (denied and page.path.startswith(denied))}


def assert_read_to_the_end(journey: Journey) -> None:
    for host in journey.hosts(stage="crawled"):
        if not journey.web.sites[host].manner.redirect:
            asked, wanted = journey.asked(host), readable(journey, host)
            denied = journey.web.sites[host].pages.keys() - wanted
            assert wanted <= asked.keys(), host
            assert not denied & asked.keys(), host


@pytest.mark.parametrize("journey", ["funding"], indirect=True)
def test_funders_end_where_they_should(journey: Journey) -> None:
    to_the_crawl(journey)
    assert stages(journey) == {host: truth.stage for host, truth in journey.truth.items()}
    assert_read_to_the_end(journey)
    domains = journey.domains()
    codes = {host: domains[host]["block_reason_code"] for host in journey.hosts(stage="blocked")}
    assert codes == {
        "trakia-fund.example": "forbidden",
        "morava-fund.example": "rate_limited",
        "private-legacy.example": "robots_denied",
    }
    assert domains["pirin-fund.example"]["block_reason_code"] == "connection_refused"
    assert "www.fondatsia-izvor.example" not in domains, "two names, one domain"
    assert not journey.asked("grantradar.example") and not journey.asked("old-grants.example")
    assert set(journey.asked("tundzha-fund.example")) == {"/robots.txt"}
    assert domains["obshtina-lipovo.example"]["start_url"] == "http://www.obshtina-lipovo.example/"
    candidates = {one["domain"] for one in journey.run("candidates", "--limit", "200", "--json").json}
    assert set(journey.hosts(decision="approve")) <= candidates


@pytest.mark.parametrize("journey", ["community"], indirect=True)
def test_services_end_where_they_should_and_are_read_again_cheaply(journey: Journey) -> None:
    to_the_crawl(journey)
    assert stages(journey) == {host: truth.stage for host, truth in journey.truth.items()}
    assert_read_to_the_end(journey)
    assert not [target for target in journey.asked("volunteer-board.example") if "/members/x" in target]
    journey.web.change("opening hours changed")
    journey.web.asked.clear()
    journey.run("recrawl", "foodbank.example")
    journey.run("crawl", "--once")
    again = {
        path: status for path, status in journey.asked("foodbank.example").items() if path != "/robots.txt"
    }
    changed = {path for path in readable(journey, "foodbank.example") if again[path] == 200}
    assert changed == {"/get-food"}
    assert {again[path] for path in readable(journey, "foodbank.example") - changed} == {304}


@pytest.mark.parametrize("journey", ["images"], indirect=True)
def test_galleries_give_the_pictures_that_may_be_kept(journey: Journey) -> None:
    to_the_crawl(journey)
    assert stages(journey) == {host: truth.stage for host, truth in journey.truth.items()}
    assert_read_to_the_end(journey)
    stored = {host: journey.domains()[host]["images_stored"] for host in journey.truth}
    assert stored == {host: truth.images for host, truth in journey.truth.items()}
    assert journey.domains()["cdn.assetlight.example"]["stage"] == "crawled"


@pytest.mark.parametrize("journey", ["funding"], indirect=True)
def test_a_trap_is_left_however_deep_one_goes(journey: Journey) -> None:
    journey.run("ingest-seeds", "-", stdin="rhodope-archive.example\nmaple-library.example")
    journey.run("crawl", "--once", "--depth", "200")
    for host in ("rhodope-archive.example", "maple-library.example"):
        assert journey.domains()[host]["stage"] == "crawled"
        assert readable(journey, host) <= journey.asked(host).keys()
        assert len(journey.asked(host)) < 150
