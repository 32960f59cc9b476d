"""What each answer to "GET /robots.txt" comes to, asked of real servers on loopback."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from surveyor.net.fetcher import Fetcher
from surveyor.net.robots import FIRST_WAIT, KEEP, LEAST_WAIT, Robots, RobotsState, fetch_robots
from surveyor.net.robots_rules import MAX_BYTES, NO_RULES
from surveyor.settings import NetSettings

AGENT = "Surveyor/0.1"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NO_ENTRY = b"User-agent: *\nDisallow: /private"
OBEYED, ALLOW_ALL = RobotsState.OBEYED, RobotsState.ALLOW_ALL
UNAVAILABLE, DEFERRED = RobotsState.UNAVAILABLE, RobotsState.DEFERRED
TLS = ssl.create_default_context()  # made once: reading certificates takes longer than the tests
SITE = "http://site.test"
FORBIDDEN = "127.0.0.2"  # on loopback too, but the guard's exception is for 127.0.0.1 alone

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Net:
    """Sites by name on loopback; `asked` is what reached them."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.seconds = 5.0
        self._hosts: dict[str, str] = {}
        self._servers: list[TestServer] = []

    async def serve(self, handler: Handler, name: str = "site.test", address: str = "127.0.0.1") -> None:
        async def logged(request: web.Request) -> web.StreamResponse:
            self.asked.append(f"{name}{request.path_qs}")
            return await handler(request)

        app = web.Application()
        app.router.add_get("/{path:.*}", logged)
        server = TestServer(app, host=address)
        await server.start_server(shutdown_timeout=0.01)
        self._servers.append(server)
        self._hosts[name] = f"{address}:{server.port}"

    def serve_nobody(self, name: str) -> None:
        self._hosts[name] = f"127.0.0.1:{unused_port()}"

    async def robots(
        self,
        cached: Robots | None = None,
        now: datetime = NOW,
        origin: str = SITE,
        domain: str | None = None,
    ) -> Robots:
        """Ask the site through the real client and its guard."""
        settings = NetSettings(allow=["127.0.0.1/32"], hosts=self._hosts, total_seconds=self.seconds)
        async with Fetcher(settings, tls=TLS) as fetcher:
            return await fetch_robots(fetcher, origin, AGENT, now, cached, domain=domain)

    async def close(self) -> None:
        for server in self._servers:
            await server.close()


@pytest.fixture
async def net() -> AsyncIterator[Net]:
    made = Net()
    yield made
    await made.close()


def answering(status: int = 200, body: bytes = NO_ENTRY, headers: Mapping[str, str] | None = None) -> Handler:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(status=status, body=body, headers=headers)

    return handler


def pointing(target: str) -> Handler:
    return answering(302, b"", {"Location": target})


def hopping(hops: int, code: int = 302, end: Handler | None = None) -> Handler:
    """`hops` redirects, then robots.txt."""

    async def handler(request: web.Request) -> web.StreamResponse:
        hop = int(request.query.get("hop", 0))
        if hop < hops:
            return web.Response(status=code, headers={"Location": f"/elsewhere.txt?hop={hop + 1}"})
        return await (end or answering())(request)

    return handler


def known(state: RobotsState = OBEYED, *, age: timedelta, origin: str = SITE) -> Robots:
    then = NOW - age
    return Robots(origin, state, NO_RULES, then, then + KEEP, "", "http_200", 200)


# Every status


@pytest.mark.parametrize(
    ("status", "state"),
    [
        *((status, OBEYED) for status in (200, 203, 206, 299)),
        *((status, ALLOW_ALL) for status in (300, 302, 304, 400, 401, 403, 404, 410, 451, 499)),
        (429, DEFERRED),
        *((status, UNAVAILABLE) for status in (500, 502, 503, 504, 521, 599)),
    ],
)
async def test_a_status_decides(net: Net, status: int, state: RobotsState) -> None:
    await net.serve(answering(status))
    robots = await net.robots()
    assert (robots.state, robots.status, robots.reason) == (state, status, f"http_{status}")
    assert robots.allows("/page") is (state in (OBEYED, ALLOW_ALL))
    assert robots.allows("/private") is (state is ALLOW_ALL)
    assert (robots.origin, robots.fetched_at) == (SITE, NOW)
    assert net.asked == ["site.test/robots.txt"]


async def test_an_empty_answer_has_no_rules(net: Net) -> None:
    await net.serve(answering(204, b""))
    robots = await net.robots()
    assert robots.state is OBEYED and robots.allows("/private")


async def test_an_html_page_in_its_place_has_no_rules(net: Net) -> None:
    await net.serve(answering(200, b"<!doctype html><title>Home</title>\nUser-agent: *\nDisallow: /\n"))
    robots = await net.robots()
    assert robots.state is OBEYED and robots.allows("/private")


async def test_a_large_file_is_obeyed_like_a_small_one(net: Net) -> None:
    body = NO_ENTRY + b"".join(b"\nDisallow: /%d$" % number for number in range(5_000))
    await net.serve(answering(200, body))
    robots = await net.robots()
    assert not robots.allows("/private") and not robots.allows("/4999") and robots.allows("/5000")
    assert robots.body == body


@pytest.mark.parametrize(("size", "obeyed"), [(MAX_BYTES, True), (MAX_BYTES + 1, False), (513 * 1024, False)])
async def test_a_file_is_read_up_to_the_limit(net: Net, size: int, obeyed: bool) -> None:
    last = b"\nDisallow: /last"
    start = NO_ENTRY + b"\n#"
    await net.serve(answering(200, start + b"x" * (size - len(start) - len(last)) + last))
    robots = await net.robots()
    assert not robots.allows("/private")
    assert robots.allows("/last") is not obeyed
    assert robots.allows("/l")


async def test_of_fifty_megabytes_the_beginning_is_obeyed_and_the_rest_not_fetched(net: Net) -> None:
    sent = 0

    async def flood(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(NO_ENTRY + b"\n")
        while sent < 50_000_000:
            await response.write(b"# padding\n" * 6_000)
            sent += 60_000
        return response

    await net.serve(flood)
    robots = await net.robots()
    assert not robots.allows("/private")
    assert len(robots.body) <= MAX_BYTES and robots.body.endswith(b"# padding")
    assert sent < 25_000_000  # what buffers hold, not all there is


# No answer


async def test_nobody_listening_means_no_page(net: Net) -> None:
    net.serve_nobody("site.test")
    robots = await net.robots()
    assert (robots.state, robots.reason, robots.status) == (UNAVAILABLE, "connection_refused", 0)
    assert not robots.allows("/")


async def test_a_dropped_connection_means_no_page(net: Net) -> None:
    async def drop(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    await net.serve(drop)
    robots = await net.robots()
    assert (robots.state, robots.reason) == (UNAVAILABLE, "connection_reset")


async def test_silence_means_no_page(net: Net) -> None:
    async def wait(request: web.Request) -> web.Response:
        await asyncio.sleep(30)
        return web.Response()

    await net.serve(wait)
    net.seconds = 0.05
    robots = await net.robots()
    assert (robots.state, robots.reason) == (UNAVAILABLE, "timeout")


# Redirects


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("hops", [1, 5])
async def test_five_redirects_are_followed(net: Net, code: int, hops: int) -> None:
    await net.serve(hopping(hops, code))
    robots = await net.robots()
    assert robots.state is OBEYED and not robots.allows("/private")
    assert robots.origin == SITE and len(net.asked) == hops + 1


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_the_sixth_redirect_means_no_rules(net: Net, code: int) -> None:
    await net.serve(hopping(6, code))
    robots = await net.robots()
    assert (robots.state, robots.reason) == (ALLOW_ALL, "too_many_redirects")
    assert robots.allows("/private") and len(net.asked) == 6


async def test_a_redirect_to_itself_ends(net: Net) -> None:
    await net.serve(pointing("/robots.txt"))
    assert (await net.robots()).state is ALLOW_ALL
    assert net.asked == ["site.test/robots.txt"] * 6


async def test_rules_found_at_another_host_hold_for_the_one_that_was_asked(net: Net) -> None:
    await net.serve(pointing("http://other.test/robots.txt"))
    await net.serve(answering(), "other.test")
    robots = await net.robots()
    assert robots.origin == SITE and not robots.allows("/private")
    assert net.asked == ["site.test/robots.txt", "other.test/robots.txt"]


@pytest.mark.parametrize(("status", "state"), [(404, ALLOW_ALL), (429, DEFERRED), (500, UNAVAILABLE)])
async def test_the_end_of_the_redirects_decides(net: Net, status: int, state: RobotsState) -> None:
    await net.serve(hopping(3, end=answering(status)))
    robots = await net.robots()
    assert (robots.state, robots.status) == (state, status)


async def test_a_redirect_to_where_nobody_listens_means_no_page(net: Net) -> None:
    await net.serve(pointing("http://gone.test/robots.txt"))
    net.serve_nobody("gone.test")
    assert (await net.robots()).state is UNAVAILABLE


@pytest.mark.parametrize("hops", range(5))
async def test_a_redirect_to_a_forbidden_address_is_not_followed(net: Net, hops: int) -> None:
    await net.serve(hopping(hops, end=pointing("http://inside.test/robots.txt")))
    await net.serve(answering(200, b""), "inside.test", FORBIDDEN)
    robots = await net.robots()
    assert (robots.state, robots.reason) == (UNAVAILABLE, "forbidden_address")
    assert len(net.asked) == hops + 1 and "inside.test" not in str(net.asked)


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://site.test/robots.txt", "http://site.test:22/"]
)
async def test_a_redirect_to_what_is_no_web_page_is_not_followed(net: Net, target: str) -> None:
    await net.serve(pointing(target))
    robots = await net.robots()
    assert robots.state is UNAVAILABLE and robots.reason.startswith("forbidden_")


async def test_a_domain_may_have_a_port_of_its_own(net: Net) -> None:
    await net.serve(answering())
    port = unused_port()
    robots = await net.robots(origin=f"{SITE}:{port}", domain=f"site.test:{port}")
    assert robots.state is OBEYED
    assert (await net.robots(origin=f"{SITE}:{port}")).reason == "forbidden_port"


# Time


@pytest.mark.parametrize("status", [200, 404])
async def test_an_answer_is_kept_for_a_day(net: Net, status: int) -> None:
    await net.serve(answering(status))
    robots = await net.robots()
    assert not robots.due(NOW + timedelta(hours=23, minutes=59))
    assert robots.due(NOW + timedelta(hours=24))
    assert robots.due(NOW + timedelta(hours=25))


async def test_a_new_disallow_replaces_an_old_copy(net: Net) -> None:
    await net.serve(answering(200, b"User-agent: *\nDisallow: /"))
    old = known(age=timedelta(hours=1))
    assert old.allows("/page")
    assert not (await net.robots(old)).allows("/page")


@pytest.mark.parametrize("state", [OBEYED, ALLOW_ALL])
async def test_a_young_copy_serves_while_no_answer_comes(net: Net, state: RobotsState) -> None:
    await net.serve(answering(503))
    young = known(state, age=timedelta(hours=23))
    assert await net.robots(young) is young


@pytest.mark.parametrize(
    ("state", "age", "origin"),
    [
        (OBEYED, timedelta(hours=24), SITE),
        (OBEYED, timedelta(hours=25), SITE),
        (ALLOW_ALL, timedelta(days=9), SITE),
        (OBEYED, timedelta(hours=1), "https://site.test"),
        (UNAVAILABLE, timedelta(hours=1), SITE),
        (DEFERRED, timedelta(hours=1), SITE),
    ],
)
async def test_an_old_or_foreign_copy_or_none_does_not_serve(
    net: Net, state: RobotsState, age: timedelta, origin: str
) -> None:
    await net.serve(answering(500))
    robots = await net.robots(known(state, age=age, origin=origin))
    assert robots.state is UNAVAILABLE and robots.fetched_at == NOW
    assert not robots.allows("/page")


async def test_a_young_copy_does_not_serve_against_a_request_to_come_later(net: Net) -> None:
    await net.serve(answering(429))
    robots = await net.robots(known(age=timedelta(hours=1)))
    assert robots.state is DEFERRED and not robots.allows("/page")


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("7200", timedelta(hours=2)),
        ("Sun, 01 Mar 2026 15:00:00 GMT", timedelta(hours=3)),
        ("1000000000", timedelta(days=1)),
        ("0", LEAST_WAIT),
        ("Sun, 01 Mar 2020 15:00:00 GMT", LEAST_WAIT),
        ("-5", FIRST_WAIT),
        ("after lunch", FIRST_WAIT),
        (None, FIRST_WAIT),
    ],
)
async def test_a_site_says_when_to_come_again(
    net: Net, status: int, header: str | None, wait: timedelta
) -> None:
    await net.serve(answering(status, b"", {"retry-after": header} if header is not None else None))
    robots = await net.robots()
    assert robots.expires_at == NOW + wait
    assert robots.due(NOW + wait) and not robots.due(NOW + wait - timedelta(seconds=1))


async def test_waits_in_vain_double_up_to_a_day(net: Net) -> None:
    await net.serve(answering(500))
    now, robots, waits = NOW, None, list[timedelta]()
    for _ in range(11):
        robots = await net.robots(robots, now)
        waits.append(robots.expires_at - now)
        now = robots.expires_at
    assert waits[:4] == [timedelta(minutes=minutes) for minutes in (5, 10, 20, 40)]
    assert waits[-1] == timedelta(days=1) and waits == sorted(waits)


# Storing, and telling people


@pytest.mark.parametrize("status", [200, 404, 429, 500])
async def test_a_row_brings_back_what_was_stored(net: Net, status: int) -> None:
    await net.serve(answering(status))
    robots = await net.robots()
    again = Robots.from_row(robots.to_row(), AGENT)
    assert again is not None
    assert again._replace(rules=robots.rules) == robots
    paths = ("/", "/private")
    assert list(map(again.allows, paths)) == list(map(robots.allows, paths))


async def test_a_row_is_read_for_the_agent_we_are_now(net: Net) -> None:
    await net.serve(answering(200, b"User-agent: surveyor\nDisallow: /a\nUser-agent: other\nDisallow: /b"))
    again = Robots.from_row((await net.robots()).to_row(), "Other/1.0")
    assert again is not None and again.allows("/a") and not again.allows("/b")


async def test_a_row_whose_body_is_lost_or_changed_is_not_believed(net: Net) -> None:
    await net.serve(answering())
    row = (await net.robots()).to_row()
    for body in (b"", b"User-agent: *\nAllow: /"):
        assert Robots.from_row(row._replace(body=body), AGENT) is None


async def test_without_its_body_it_still_answers(net: Net) -> None:
    await net.serve(answering())
    slim = (await net.robots())._replace(body=b"")
    assert slim.body == b"" and slim.body_hash and not slim.allows("/private")


async def test_people_are_told_what_decided(net: Net) -> None:
    await net.serve(answering())
    obeyed = await net.robots()
    assert obeyed.rule_for("/private/x") == "Disallow: /private (line 2)"
    assert obeyed.rule_for("/public") is None
    await net.serve(answering(502))
    shut = await net.robots()
    assert shut.rule_for("/public") == "robots.txt is unavailable (http_502) until 2026-03-01 12:05 UTC"
