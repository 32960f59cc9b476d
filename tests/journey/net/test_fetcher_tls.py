"""TLS: a certificate holds or the request fails; nothing falls back to less."""

from __future__ import annotations

import socket
import ssl
import threading
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest
import trustme

from surveyor.errors import NetError
from surveyor.net.fetcher import Fetcher
from surveyor.net.transport import verifying_tls
from surveyor.settings import NetSettings
from tests.support.hostile import PAGE, Hostile

HOST = "secure.example"
URL = f"https://{HOST}/page"
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def trusting(ca: trustme.CA) -> ssl.SSLContext:
    context = verifying_tls()
    ca.configure_trust(context)
    return context


def server_side(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@asynccontextmanager
async def fetching(port: int, tls: ssl.SSLContext, connect_seconds: float = 10.0) -> AsyncIterator[Fetcher]:
    settings = NetSettings(
        allow=["127.0.0.0/8"],
        hosts={HOST: f"127.0.0.1:{port}"},
        connect_seconds=connect_seconds,
        total_seconds=20.0,
    )
    async with Fetcher(settings, tls=tls) as fetcher:
        yield fetcher


async def code_of(fetcher: Fetcher, url: str = URL) -> str:
    with pytest.raises(NetError) as caught:
        await fetcher.get(url)
    return caught.value.code


async def test_a_good_certificate_lets_pages_through_on_one_connection(
    ca: trustme.CA, trusting: ssl.SSLContext
) -> None:
    async with (
        Hostile.serve(tls=server_side(ca.issue_cert(HOST))) as server,
        fetching(server.port, trusting) as fetcher,
    ):
        assert (await fetcher.get(URL)).body == PAGE
        assert (await fetcher.get(URL)).body == PAGE
        assert server.connections == 1


@pytest.mark.parametrize("flaw", ["expired", "not yet", "wrong host", "unknown issuer"])
async def test_a_certificate_that_does_not_hold_is_a_tls_error(
    ca: trustme.CA, trusting: ssl.SSLContext, flaw: str
) -> None:
    certificate = {
        "expired": lambda: ca.issue_cert(HOST, not_before=NOW - timedelta(9), not_after=NOW - timedelta(1)),
        "not yet": lambda: ca.issue_cert(HOST, not_before=NOW + timedelta(1), not_after=NOW + timedelta(9)),
        "wrong host": lambda: ca.issue_cert("other.example"),
        "unknown issuer": lambda: trustme.CA().issue_cert(HOST),
    }[flaw]()
    async with (
        Hostile.serve(tls=server_side(certificate)) as server,
        fetching(server.port, trusting) as fetcher,
    ):
        assert await code_of(fetcher) == "tls_error"
        assert server.requests == []


@contextmanager
def ancient_server(certificate: trustme.LeafCert) -> Iterator[int]:
    """Speaks TLS 1.1 at best. Not asyncio's: that hangs up without the alert that tells why."""
    context = server_side(certificate)
    with warnings.catch_warnings(action="ignore"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("ALL:@SECLEVEL=0")

    def serve() -> None:
        with suppress(OSError):
            context.wrap_socket(listening.accept()[0], server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


async def test_an_old_protocol_is_a_tls_error(ca: trustme.CA, trusting: ssl.SSLContext) -> None:
    with ancient_server(ca.issue_cert(HOST)) as port:
        async with fetching(port, trusting) as fetcher:
            assert await code_of(fetcher) == "tls_error"


async def test_a_handshake_that_stalls_is_a_timeout(trusting: ssl.SSLContext) -> None:
    async with Hostile.serve(hello="stall") as server, fetching(server.port, trusting, 0.2) as fetcher:
        assert await code_of(fetcher) == "timeout"


async def test_a_handshake_that_is_cut_is_a_reset(trusting: ssl.SSLContext) -> None:
    async with Hostile.serve(hello="reset") as server, fetching(server.port, trusting) as fetcher:
        assert await code_of(fetcher) == "connection_reset"


async def test_plain_http_to_a_tls_server_is_told(ca: trustme.CA, trusting: ssl.SSLContext) -> None:
    async with (
        Hostile.serve(tls=server_side(ca.issue_cert(HOST))) as server,
        fetching(server.port, trusting) as fetcher,
    ):
        assert await code_of(fetcher, f"http://{HOST}/page") in ("connection_reset", "bad_response")


@pytest.mark.parametrize(
    "case", ["gzip-bomb", "endless-body", "length-too-big", "chunked-cut", "long-header"]
)
async def test_hostile_answers_are_contained_under_tls_as_well(
    ca: trustme.CA, trusting: ssl.SSLContext, case: str
) -> None:
    async with (
        Hostile.serve(tls=server_side(ca.issue_cert(HOST))) as server,
        fetching(server.port, trusting) as fetcher,
    ):
        assert await code_of(fetcher, f"https://{HOST}/{case}") in ("too_large", "bad_response")
        assert (await fetcher.get(URL)).ok
