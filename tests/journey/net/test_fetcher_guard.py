"""The guard at work: names that lead inside, that change their mind, that are spelled oddly."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from surveyor.errors import NetError
from surveyor.net import resolver as resolver_module
from surveyor.net.connection import Connection
from surveyor.net.fetcher import Fetcher
from surveyor.net.guard import ParsedUrl
from surveyor.net.pool import Pool
from surveyor.net.resolver import Endpoint, Resolver
from surveyor.settings import NetSettings
from tests.journey.net.conftest import TLS, MakeFetcher
from tests.support.hostile import Hostile


class Sentinel:
    """Listens where nobody may connect, and counts those who do."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.accepted = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.accepted += 1

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def sentinel() -> Iterator[Sentinel]:
    listening = Sentinel()
    yield listening
    listening.close()


class Script:
    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers, self.calls = list(answers), 0

    def __call__(self, host: str) -> Sequence[str]:
        self.calls += 1
        return self.answers.pop(0)


async def code_of(fetcher: Fetcher, url: str, domain: str | None = None) -> str:
    with pytest.raises(NetError) as caught:
        await fetcher.get(url, domain=domain)
    return caught.value.code


async def strict(*answers: Sequence[str]) -> tuple[Fetcher, Script]:
    script = Script(*answers)
    settings = NetSettings(connect_seconds=0.2, total_seconds=0.5)
    return Fetcher(settings, resolver=Resolver(lookup=script), tls=TLS), script


LOOPBACK = "127.0.0.1 2130706433 0x7f.1 0177.1 127.1 0 [::1] [::ffff:127.0.0.1] [64:ff9b::7f00:1] localhost"


@pytest.mark.parametrize("host", LOOPBACK.split())
async def test_no_spelling_of_loopback_gets_a_connection(sentinel: Sentinel, host: str) -> None:
    async with Fetcher(NetSettings(total_seconds=0.5), tls=TLS) as fetcher:
        domain = f"{host}:{sentinel.port}" if host == "127.0.0.1" else None
        url = f"http://{host}:{sentinel.port}/" if domain else f"http://{host}/"
        assert await code_of(fetcher, url, domain) == "forbidden_address"
    assert sentinel.accepted == 0


async def test_a_name_that_leads_inside_is_refused() -> None:
    fetcher, _ = await strict(["10.0.0.1"])
    assert await code_of(fetcher, "http://inside.example/") == "forbidden_address"


@pytest.mark.parametrize(
    "answer", [["93.184.216.34", "10.0.0.1"], ["93.184.216.34", "::1"], ["93.184.216.34", "fd00::1"]]
)
async def test_a_mixed_answer_refuses_the_host(answer: list[str]) -> None:
    fetcher, script = await strict(answer)
    assert await code_of(fetcher, "http://mixed.example/") == "forbidden_address"
    assert script.calls == 1


async def test_a_name_is_resolved_once_per_connection_and_what_was_checked_is_dialled(
    make_fetcher: MakeFetcher, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebinding: the second answer leads to a forbidden address, and nobody asks for it."""
    monkeypatch.setattr(resolver_module, "KEEP_SECONDS", 0.0)
    script = Script(["127.0.0.1"], ["10.0.0.1"])
    fetcher = make_fetcher(resolver=Resolver(lookup=script))
    domain = f"rebind.example:{hostile.port}"
    assert (await fetcher.get(f"http://{domain}/page", domain=domain)).ok
    assert (await fetcher.get(f"http://{domain}/stale", domain=domain)).ok  # the same connection, now closed
    assert script.calls == 1
    assert await code_of(fetcher, f"http://{domain}/page", domain) == "forbidden_address"
    assert script.calls == 2


async def test_a_peer_that_is_not_whom_we_dialled_is_refused(
    make_fetcher: MakeFetcher, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Elsewhere:
        """A transport that leads somewhere else."""

        def __init__(self, real: asyncio.Transport) -> None:
            self._real = real

        def __getattr__(self, name: str) -> object:
            return getattr(self._real, name)

        def get_extra_info(self, name: str) -> object:
            return ("10.0.0.1", 80) if name == "peername" else self._real.get_extra_info(name)

    monkeypatch.setattr(
        Connection, "connection_made", lambda self, real: setattr(self, "transport", Elsewhere(real))
    )
    assert await code_of(make_fetcher(), "http://site.example/page") == "forbidden_address"
    assert hostile.requests == []


async def test_a_mapped_host_must_pass_the_guard_too(make_fetcher: MakeFetcher, hostile: Hostile) -> None:
    fetcher = make_fetcher(allow=["10.0.0.0/8"])
    assert await code_of(fetcher, "http://site.example/page") == "forbidden_address"
    assert hostile.connections == 0


async def test_where_a_redirect_leads_is_judged_like_anything_else(
    make_fetcher: MakeFetcher, hostile: Hostile
) -> None:
    fetcher = make_fetcher()
    for case, code in (
        ("redirect-inside", "forbidden_address"),
        ("redirect-file", "forbidden_scheme"),
        ("redirect-script", "forbidden_scheme"),
    ):
        answer = await fetcher.get(f"http://site.example/{case}")
        assert answer.location is not None
        assert await code_of(fetcher, answer.location) == code


async def test_ports_are_the_webs_or_the_domains_own(make_fetcher: MakeFetcher, hostile: Hostile) -> None:
    fetcher = make_fetcher()
    url = f"http://127.0.0.1:{hostile.port}/page"
    assert await code_of(fetcher, url) == "forbidden_port"
    assert await code_of(fetcher, url, f"site.example:{hostile.port}") == "forbidden_port"
    assert (await fetcher.get(url, domain=f"127.0.0.1:{hostile.port}")).ok
    assert hostile.requests == ["page"]


async def test_the_second_address_is_tried_when_the_first_refuses(
    make_fetcher: MakeFetcher, hostile: Hostile
) -> None:
    fetcher = make_fetcher(resolver=Resolver(lookup=lambda host: ["127.0.0.9", "127.0.0.1"]))
    domain = f"two.example:{hostile.port}"
    assert (await fetcher.get(f"http://{domain}/page", domain=domain)).address == "127.0.0.1"


async def test_the_second_address_gets_its_share_of_the_time_when_the_first_is_silent(
    make_fetcher: MakeFetcher, hostile: Hostile
) -> None:
    with socket.create_server(("127.0.0.9", hostile.port), backlog=0), ExitStack() as full:
        for _ in range(3):  # more than the queue holds: the next one is not answered at all
            waiting = full.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.9", hostile.port))
        resolver = Resolver(lookup=lambda host: ["127.0.0.9", "127.0.0.1"])
        fetcher = make_fetcher(resolver=resolver, connect_seconds=1.0)
        domain = f"two.example:{hostile.port}"
        assert (await fetcher.get(f"http://{domain}/page", domain=domain)).address == "127.0.0.1"


async def test_a_lookup_that_hangs_fails_in_time_and_blames_the_name_only_where_others_are_answered() -> None:
    go = threading.Event()

    def lookup(host: str) -> list[str]:
        return [] if host == "other.example" else [str(go.wait(5))]

    settings = NetSettings(connect_seconds=0.1, total_seconds=0.5)
    async with Fetcher(settings, resolver=Resolver(lookup=lookup), tls=TLS) as fetcher:
        assert await code_of(fetcher, "http://hangs.example/") == "no_network"
        assert await code_of(fetcher, "http://other.example/") == "dns_failure"
        assert await code_of(fetcher, "http://hangs.example/") == "dns_failure"
    go.set()


@pytest.mark.parametrize(
    ("addresses", "code"),
    [
        (["192.0.2.7"], "no_network"),
        (["192.0.2.7", "2001:db8::7"], "no_network"),
        (["2001:db8::7"], "connection_refused"),  # many machines have no IPv6 and want none
    ],
)
async def test_no_way_out_is_no_network_but_for_addresses_of_ipv6(
    addresses: list[str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_way(self: Pool, target: ParsedUrl, endpoint: Endpoint) -> Connection:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(Pool, "_connect", no_way)
    settings = NetSettings(allow=["192.0.2.0/24", "2001:db8::/32"])
    async with Fetcher(settings, resolver=Resolver(lookup=lambda host: addresses), tls=TLS) as fetcher:
        assert await code_of(fetcher, "http://far.example/") == code
