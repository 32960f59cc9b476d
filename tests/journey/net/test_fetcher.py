"""The fetcher among well-behaved servers: what it sends, what it brings, what it keeps open."""

from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from surveyor.errors import BadSettings, NetError
from surveyor.net import pool
from surveyor.net.fetcher import Fetcher
from surveyor.net.robots import fetch_robots
from surveyor.settings import NetSettings
from tests.journey.net.conftest import OTHERS, SITE, MakeFetcher
from tests.support.descriptors import no_descriptors_left
from tests.support.hostile import PAGE, Hostile

URL = f"http://{SITE}"


async def test_an_answer_comes_whole_with_all_that_is_known_about_it(fetcher: Fetcher) -> None:
    answer = await fetcher.get(f"{URL}/page?x=1#part")
    assert answer.body == PAGE
    assert (answer.url, answer.status, answer.phrase) == (f"{URL}/page?x=1", 200, "OK")
    assert (answer.address, answer.http_version) == ("127.0.0.1", "1.1")
    assert answer.headers["CONTENT-TYPE"] == answer.content_type == "text/html; charset=utf-8"
    assert (b"content-length", str(len(PAGE)).encode()) in answer.raw_headers
    assert answer.wire_bytes > len(PAGE)
    assert 0 < answer.seconds < 5
    assert answer.ok and not answer.truncated and answer.location is None


async def test_a_request_says_who_we_are_and_nothing_about_where_we_came_from(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    fetcher = make_fetcher(user_agent="Surveyor/9", contact="mailto:us@site.example")
    await fetcher.get(f"{URL}/page")
    answer = await fetcher.get(f"{URL}/echo", headers={"If-None-Match": '"abc"'}, accept="text/xml")
    lines = answer.body.decode().split("\r\n")
    assert lines[0] == "GET /echo HTTP/1.1"
    assert set(lines[1:]) == {
        f"Host: {SITE}",
        "User-Agent: Surveyor/9 (+mailto:us@site.example)",
        "Accept: text/xml",
        "Accept-Encoding: gzip, deflate, br, zstd",
        'If-None-Match: "abc"',
        "",
    }


async def test_a_header_that_would_write_other_headers_is_not_sent(fetcher: Fetcher) -> None:
    headers = {"If-None-Match": '"x"\r\nCookie: a=b', "If-Modified-Since": "now\0", "X": "kept \xff"}
    answer = await fetcher.get(f"{URL}/echo", headers=headers)
    assert b"ookie" not in answer.body
    assert b"now" not in answer.body
    assert b"X: kept \xff\r\n" in answer.body


async def test_cookies_are_never_sent_back(fetcher: Fetcher) -> None:
    await fetcher.get(f"{URL}/redirect-elsewhere")
    await fetcher.get(f"{URL}/page", headers={})
    assert b"cookie" not in (await fetcher.get(f"{URL}/echo")).body.lower()


def test_a_user_agent_that_cannot_be_sent_is_refused_at_once() -> None:
    with pytest.raises(BadSettings, match="plain ASCII"):
        Fetcher(NetSettings(contact="a\r\nX: y"))


async def test_a_connection_serves_the_next_request_to_the_same_host_only(
    fetcher: Fetcher, hostile: Hostile
) -> None:
    for _ in range(3):
        await fetcher.get(f"{URL}/page")
    assert hostile.connections == 1
    await fetcher.get("http://other.example/page")
    assert hostile.connections == 2


async def test_a_connection_the_server_closed_meanwhile_costs_a_new_one_and_no_error(
    fetcher: Fetcher, hostile: Hostile
) -> None:
    for _ in range(3):
        assert (await fetcher.get(f"{URL}/stale")).body == PAGE
    assert hostile.requests == ["stale"] * 3


async def test_a_fresh_connection_that_is_cut_is_not_tried_again(fetcher: Fetcher, hostile: Hostile) -> None:
    with pytest.raises(NetError):
        await fetcher.get(f"{URL}/close-at-once")
    assert hostile.requests == ["close-at-once"]


async def test_a_used_connection_that_is_cut_is_tried_again_on_a_fresh_one_and_no_more(
    fetcher: Fetcher, hostile: Hostile
) -> None:
    await fetcher.get(f"{URL}/page")
    with pytest.raises(NetError):
        await fetcher.get(f"{URL}/close-at-once")
    assert hostile.requests == ["page", "close-at-once", "close-at-once"]
    assert hostile.connections == 2


async def test_an_answer_that_had_begun_is_not_asked_for_again(fetcher: Fetcher, hostile: Hostile) -> None:
    await fetcher.get(f"{URL}/page")
    with pytest.raises(NetError):
        await fetcher.get(f"{URL}/close-in-head")
    assert hostile.requests == ["page", "close-in-head"]


async def test_what_a_server_sends_unasked_is_no_answer_to_the_next_request(
    fetcher: Fetcher, hostile: Hostile
) -> None:
    await fetcher.get(f"{URL}/unasked")
    async with asyncio.timeout(3):
        await hostile.all_hung_up()
    assert (await fetcher.get(f"{URL}/page")).body == PAGE


@pytest.mark.parametrize("case", ["two-answers", "until-close", "reset-in-body", "length-huge"])
async def test_a_connection_with_anything_odd_about_it_is_not_used_again(
    fetcher: Fetcher, hostile: Hostile, case: str
) -> None:
    with suppress(NetError):
        await fetcher.get(f"{URL}/{case}")
    assert (await fetcher.get(f"{URL}/page")).body == PAGE
    assert hostile.connections == 2


async def test_not_modified_may_announce_a_length_and_keeps_its_connection(
    fetcher: Fetcher, hostile: Hostile
) -> None:
    for _ in range(2):
        answer = await fetcher.get(f"{URL}/not-modified", headers={"If-None-Match": '"x"'})
        assert (answer.status, answer.body) == (304, b"")
    assert (await fetcher.get(f"{URL}/page")).body == PAGE
    assert hostile.connections == 1


async def test_idle_connections_are_bounded(
    make_fetcher: MakeFetcher, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "FEW_IDLE", 2)
    names = [f"h{number}.example" for number in range(5)]
    fetcher = make_fetcher(hosts=dict.fromkeys(names, f"127.0.0.1:{hostile.port}"))
    for name in names:
        await fetcher.get(f"http://{name}/page")
    async with asyncio.timeout(3):
        while hostile.open_connections > 2:
            await asyncio.sleep(0.005)
    await fetcher.get(f"http://{names[-1]}/page")  # the one used last is still there
    assert (hostile.connections, hostile.open_connections) == (5, 2)


async def test_a_connection_to_each_of_the_hosts_that_are_asked_in_turns_is_kept(
    make_fetcher: MakeFetcher, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "FEW_IDLE", 2)
    names = [f"h{number}.example" for number in range(5)]
    hosts = dict.fromkeys(names, f"127.0.0.1:{hostile.port}")
    fetcher = make_fetcher(in_turns=len(names), hosts=hosts)
    for name in names * 2:
        await fetcher.get(f"http://{name}/page")
    assert hostile.connections == 5


async def test_idle_connections_do_not_grow_old(
    fetcher: Fetcher, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.05)
    await fetcher.get(f"{URL}/page")
    async with asyncio.timeout(3):
        await hostile.all_hung_up()
    assert (await fetcher.get(f"{URL}/page")).ok


async def test_with_a_limit_of_its_own_a_body_is_cut_instead_of_refused(fetcher: Fetcher) -> None:
    answer = await fetcher.get(f"{URL}/page", max_bytes=100)
    assert (answer.body, answer.truncated) == (PAGE[:100], True)
    answer = await fetcher.get(f"{URL}/page", max_bytes=len(PAGE))
    assert (answer.body, answer.truncated) == (PAGE, False)
    answer = await fetcher.get(f"{URL}/endless-chunked", max_bytes=100_000)
    assert (len(answer.body), answer.truncated) == (100_000, True)
    assert (await fetcher.get(f"{URL}/page")).body == PAGE  # not the rest of what was cut


@pytest.mark.parametrize(
    ("case", "status", "location"),
    [
        ("redirect-self", 302, f"{URL}/redirect-self"),
        ("redirect-relative", 301, f"{URL}/a/b?c=1"),
        ("redirect-scheme-relative", 307, "http://other.example/x"),
        ("redirect-file", 303, "file:///etc/passwd"),
        ("redirect-script", 302, "javascript:alert(1)"),
        ("redirect-inside", 308, "http://169.254.169.254/latest/"),
        ("redirect-nowhere", 302, None),
        ("redirect-empty", 302, None),
        ("redirect-rather-long", 302, None),
        ("redirect-garbage", 302, None),
    ],
)
async def test_a_redirect_is_told_and_not_followed(
    fetcher: Fetcher, hostile: Hostile, case: str, status: int, location: str | None
) -> None:
    answer = await fetcher.get(f"{URL}/{case}")
    assert (answer.status, answer.location) == (status, location)
    assert hostile.requests == [case]


async def test_a_request_given_up_closes_its_connection(fetcher: Fetcher, hostile: Hostile) -> None:
    asking = asyncio.create_task(fetcher.get(f"{URL}/slow-body"))
    while not hostile.sent["slow-body"]:
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    async with asyncio.timeout(3):
        await hostile.all_hung_up()
    assert (await fetcher.get(f"{URL}/page")).ok


async def test_nobody_home_is_connection_refused(make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(hosts={SITE: "127.0.0.1:1"})
    with pytest.raises(NetError) as caught:
        await fetcher.get(f"{URL}/")
    assert caught.value.code == "connection_refused"


async def test_a_request_that_failed_leaves_nothing_for_the_garbage_collector(
    make_fetcher: MakeFetcher,
) -> None:
    fetcher = make_fetcher(hosts={SITE: "127.0.0.1:1"})
    gc.disable()
    try:
        error = await _failed(fetcher)
        assert error() is None
    finally:
        gc.enable()


async def _failed(fetcher: Fetcher) -> weakref.ref[NetError]:
    robots = await fetch_robots(fetcher, URL, "surveyor", datetime.now(UTC))
    if robots.error is None:
        raise AssertionError("somebody was home")
    return weakref.ref(robots.error)


async def test_the_address_of_a_site_can_be_asked_for(fetcher: Fetcher) -> None:
    assert await fetcher.address_of(f"{URL}/page") == "127.0.0.1"


async def test_idle_connections_make_room_where_nothing_more_may_be_opened(
    fetcher: Fetcher, hostile: Hostile
) -> None:
    for host in (SITE, *OTHERS[:1]):
        await fetcher.get(f"http://{host}/page")
    with no_descriptors_left():
        assert (await fetcher.get(f"http://{OTHERS[1]}/page")).status == 200
    assert hostile.connections == 3


async def test_without_any_room_the_machine_is_to_blame_and_not_the_site(fetcher: Fetcher) -> None:
    with no_descriptors_left(), pytest.raises(NetError) as caught:
        await fetcher.get(f"http://{SITE}/page")
    assert caught.value.code == "local_failure"
