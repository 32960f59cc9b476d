"""Flags and counts of the Scrapy extension, without a crawl."""

from __future__ import annotations

import errno
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    NotConfigured,
)
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from twisted.internet.error import DNSLookupError, NoRouteError

from surveyor.contrib.scrapy.addon import is_tool
from surveyor.contrib.scrapy.errors import is_no_network, obstacle_of
from surveyor.contrib.scrapy.extension import DomainTracking
from surveyor.contrib.scrapy.flags import BadFlag, Flags
from surveyor.contrib.scrapy.tally import Tally
from surveyor.registry.cooldowns import Obstacle


def test_tracking_and_budgets_are_on_and_the_rest_waits_to_be_turned_on() -> None:
    assert Flags.read({}, {}) == Flags(True, True, False, False, False)


@pytest.mark.parametrize("flag", [field.name for field in fields(Flags)])
def test_each_flag_turns_alone_by_setting_and_by_environment(flag: str) -> None:
    spelled, usual = f"ENABLE_{flag.upper()}", Flags()
    turned = replace(usual, **{flag: not getattr(usual, flag)})
    assert Flags.read({spelled: not getattr(usual, flag)}, {}) == turned
    assert Flags.read({}, {spelled: str(getattr(turned, flag))}) == turned


def test_without_any_phase_that_needs_it_scrapys_own_scheduler_has_the_queue() -> None:
    assert Flags().keeps_queue
    assert not Flags(per_domain_budget=False).keeps_queue
    assert Flags(per_domain_budget=False, claim_protocol=True).keeps_queue
    assert not Flags(domain_tracking=False, claim_protocol=True, smart_scheduling=True).keeps_queue


def test_the_environment_is_stronger_than_a_setting() -> None:
    settings = {"ENABLE_DOMAIN_TRACKING": True}
    assert not Flags.read(settings, {"ENABLE_DOMAIN_TRACKING": "False"}).domain_tracking
    assert Flags.read(settings, {}).domain_tracking


def test_a_flag_that_is_neither_on_nor_off_is_named() -> None:
    with pytest.raises(BadFlag, match="ENABLE_DOMAIN_TRACKING is “maybe”; write true or false"):
        Flags.read({}, {"ENABLE_DOMAIN_TRACKING": "maybe"})


def test_with_tracking_off_the_extension_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_DOMAIN_TRACKING", "false")
    with pytest.raises(NotConfigured, match="nothing is written"):
        DomainTracking.from_crawler(get_crawler())


def test_errors_of_the_connection_name_their_obstacle() -> None:
    assert obstacle_of(CannotResolveHostError()) is Obstacle.DNS_FAILURE
    assert obstacle_of(DownloadTimeoutError()) is Obstacle.TIMEOUT
    assert obstacle_of(ConnectionRefusedError()) is Obstacle.CONNECTION_REFUSED
    assert obstacle_of(KeyError("a mistake of the spider")) is None


def test_a_machine_without_a_network_is_no_obstacle_of_the_site() -> None:
    unasked = "address 'a.example' not found: [Errno -3] Temporary failure in name resolution"
    unknown = "address 'a.example' not found: [Errno -2] Name or service not known"
    assert is_no_network(CannotResolveHostError(unasked))
    assert not is_no_network(CannotResolveHostError(unknown))
    assert obstacle_of(DNSLookupError(unasked)) is None
    assert obstacle_of(DNSLookupError(unknown)) is Obstacle.DNS_FAILURE
    lost = DownloadConnectionRefusedError("no way")
    lost.__cause__ = OSError(errno.ENETUNREACH, "Network is unreachable")
    assert is_no_network(lost) and obstacle_of(lost) is None
    assert is_no_network(NoRouteError()) and not is_no_network(DownloadTimeoutError())


@given(st.lists(st.sampled_from([200, 404, 403, 403, 429, 503]), max_size=40))
def test_errors_in_a_row_are_an_obstacle_and_one_success_takes_it_back(statuses: list[int]) -> None:
    tally = Tally(error_limit=5)
    for status in statuses:
        tally.answered("a.example", status, 1, 10, 2)
    one = tally.of("a.example")
    good = [status in (200, 404) for status in statuses]
    in_a_row = good[::-1].index(True) if True in good else len(good)
    assert (one.obstacle is not None) == (in_a_row >= 5)
    assert one.counts.get("pages_crawled", 0) == sum(good)
    assert one.counts.get("total_error_count", 0) == len(good) - sum(good)


def test_counts_that_could_not_be_written_count_with_the_next() -> None:
    tally = Tally(error_limit=5)
    tally.answered("a.example", 200, 1, 10, 0)
    one = tally.of("a.example")
    taken = one.take()
    tally.answered("a.example", 200, 1, 10, 0)
    one.put_back(taken)
    assert one.counts == {"bytes_fetched": 20, "pages_crawled": 2}


@pytest.mark.parametrize(
    ("argv", "is_one"),
    [
        (["python", "/venv/bin/scrapy", "shell", "http://a.example"], True),
        (["python", "-m", "scrapy", "parse", "--spider=x", "http://a.example"], True),
        (["python", "-X", "dev", "/venv/bin/scrapy", "-h", "fetch", "http://a.example"], True),
        (["python", "/venv/bin/scrapy", "crawl", "shell"], False),
        (["python", "/home/me/run.py", "shell"], False),
        (["/usr/bin/python3"], False),
        ([], False),
    ],
)
def test_commands_that_look_at_one_page_are_no_crawl(argv: list[str], is_one: bool) -> None:
    assert is_tool(argv) is is_one


def _answered(url: str, *redirects: str) -> dict[str, int]:
    """What tracking counts of an answer that redirects led to."""
    tracking = DomainTracking(get_crawler(), Flags())
    request = Request(url, meta={"redirect_urls": list(redirects)} if redirects else {})
    tracking.response_received(Response(url, body=b"<img>"), request, Spider("news"))
    return tracking._tally.of("a.example").counts


def test_a_redirect_to_where_one_logs_in_is_an_error_and_a_page_about_it_is_none() -> None:
    wall = _answered("https://a.example/login?next=/members", "https://a.example/members")
    assert wall == {"total_error_count": 1}
    assert _answered("https://a.example/login")["pages_crawled"] == 1
    assert _answered("https://a.example/login/", "https://a.example/login")["pages_crawled"] == 1


def test_a_request_that_cannot_be_counted_is_queued_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    tracking = DomainTracking(get_crawler(), Flags())
    request = Request("https://a.example/")
    request.meta["retry_times"] = _Odd()
    tracking.queued(request)
    assert "a request was not counted: odd" in caplog.text


class _Odd:
    def __bool__(self) -> bool:
        raise RuntimeError("odd")
