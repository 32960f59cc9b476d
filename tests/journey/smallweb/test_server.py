"""The small web over real sockets: who is answered, who is refused, what is remembered."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import quote

import pytest

from surveyor.discover.adapters import ADAPTERS
from surveyor.errors import BadInput, NotFound
from surveyor.settings import load
from surveyor.smallweb import SmallWeb, in_thread, load_sites
from tests.support.cli_help import environment


@pytest.fixture(scope="module")
def web() -> Iterator[SmallWeb]:
    with in_thread() as running:
        yield running


def get(
    web: SmallWeb, host: str, target: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)
    try:
        connection.request(method, target, headers={"Host": host, **headers})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def search(web: SmallWeb, asked: str) -> dict[str, object]:
    response, body = get(web, f"127.0.0.1:{web.port}", f"/search?{asked}")
    assert response.status == 200, body
    told: dict[str, object] = json.loads(body)
    return told


def test_every_host_leads_to_loopback_and_answers(web: SmallWeb) -> None:
    for name, place in web.hosts().items():
        address, _, port = place.rpartition(":")
        assert ip_address(address).is_loopback
        if int(port) == web.port:
            assert get(web, name, "/robots.txt")[0].status in (200, 301, 404, 500)


def test_a_visitor_is_told_apart_by_name_not_by_port(web: SmallWeb) -> None:
    assert b"Food Bank" in get(web, "FoodBank.example:80", "/")[1]
    assert b"Food Bank" in get(web, f"foodbank.example.localhost:{web.port}", "/")[1]
    assert b"The small web" in get(web, f"127.0.0.1:{web.port}", "/")[1]
    assert get(web, "stranger.example", "/page")[0].status == 404


def test_connections_are_kept_and_end_when_told_to(web: SmallWeb) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)
    for target in ("/", "/get-food"):
        connection.request("GET", target, headers={"Host": "foodbank.example"})
        assert connection.getresponse().read()
    kept = connection.sock
    assert kept is not None
    connection.request("GET", "/", headers={"Host": "foodbank.example", "Connection": "close"})
    connection.getresponse().read()
    assert kept.recv(1) == b""
    connection.close()


def test_heads_have_no_body_and_other_methods_are_refused(web: SmallWeb) -> None:
    response, body = get(web, "foodbank.example", "/", "HEAD")
    assert response.status == 200 and body == b"" and int(response.headers["Content-Length"]) > 500
    assert get(web, "foodbank.example", "/", "POST")[0].status == 405


def test_who_speaks_tls_is_let_go_at_once(web: SmallWeb) -> None:
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as sock:
        sock.sendall(b"\x16\x03\x01")  # closed when all was read; else the kernel would send a reset
        assert _end_of(sock) == b""


def _end_of(sock: socket.socket) -> bytes:
    try:
        return sock.recv(10)
    except ConnectionResetError:  # it closed before it had read all: as good as an end
        return b""


@pytest.mark.parametrize("sent", [b"HELO\r\n\r\n", b"GET x HTTP/1.1\r\n\r\n"], ids=["word", "no_path"])
def test_what_is_no_request_is_told_so(web: SmallWeb, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as sock:
        sock.sendall(sent)
        assert sock.recv(100).startswith(b"HTTP/1.1 400 ")


def test_the_unreachable_are_refused_or_unknown(web: SmallWeb) -> None:
    address, _, port = web.hosts()["pirin-fund.example"].rpartition(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address, int(port)), timeout=20)
    assert "lost-name.example" not in web.hosts()


def test_requests_are_remembered_in_order(web: SmallWeb) -> None:
    before = len(web.asked)
    get(web, "corner-barber.example", "/")
    get(web, "corner-barber.example", "/nothing?x=1")
    first, second = web.asked[before:]
    assert (first.host, first.target, first.status) == ("corner-barber.example", "/", 200)
    assert (second.method, second.target, second.status) == ("GET", "/nothing?x=1", 404)
    assert first.at <= second.at


def test_a_change_is_seen_by_the_next_request() -> None:
    with in_thread() as web:
        _, old = get(web, "sofia-scholars.example", "/scholarships")
        change = web.change("the domain got parked")
        _, new = get(web, "sofia-scholars.example", "/scholarships")
        assert change.host == "sofia-scholars.example"
        assert b"4,800" in old and b"for sale" in new
        with pytest.raises(NotFound, match="a deadline moved"):
            web.change("the moon fell")


def test_the_search_engine_speaks_as_the_adapter_listens(web: SmallWeb) -> None:
    told = search(web, f"q={quote('стипендии българия')}&format=json&language=bg")
    found = ADAPTERS["searxng"].read(told).hits
    assert found[0].url == "https://www.fondatsia-izvor.example/stipendii" and found[0].position == 1
    assert found[0].title and found[0].description


def test_further_pages_of_results_are_others(web: SmallWeb) -> None:
    first, second = (search(web, f"q=grants+bulgaria&pageno={page}")["results"] for page in (1, 2))
    assert isinstance(first, list) and isinstance(second, list)
    assert second and not {one["url"] for one in first} & {one["url"] for one in second}
    assert search(web, "q=grants+bulgaria&pageno=x")["results"] == first
    assert get(web, "127.0.0.1", "/search?q=")[0].status == 400


def test_spam_aggregators_and_news_are_among_the_results(web: SmallWeb) -> None:
    results = search(web, "q=grants+for+ngos+education+bulgaria")["results"]
    assert isinstance(results, list)
    hosts = {one["url"].split("/")[2] for one in results}
    assert {"free-grants-links.example", "grantradar.example", "civic-dispatch.example"} <= hosts


def test_its_environment_is_settings_that_load(
    web: SmallWeb, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in web.environment(delay_seconds=0.5).items():
        monkeypatch.setenv(name, value)
    settings = load(tmp_path)  # type: ignore[arg-type]
    assert settings.net.hosts == web.hosts()
    assert settings.net.allow == ["127.0.0.0/8"]
    assert settings.providers.searxng.base_url == f"http://127.0.0.1:{web.port}"
    assert settings.crawl.delay_seconds == 0.5


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
async def test_it_listens_on_loopback_only(address: str) -> None:
    with pytest.raises(BadInput, match="loopback"):
        await SmallWeb().start(address)


async def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    first, second = SmallWeb(), SmallWeb()
    await first.start()
    try:
        with pytest.raises(BadInput, match="cannot listen"):
            await second.start(port=first.port)
    finally:
        await first.close()
        await second.close()


async def test_closing_does_not_wait_for_those_who_stay() -> None:
    web = SmallWeb()
    await web.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: foodbank.example\r\n\r\n")
    assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    await web.close()
    await reader.read()
    assert reader.at_eof()
    writer.close()


async def test_a_slow_site_holds_up_nobody_else() -> None:
    sites = {host: site for host, site in load_sites().items() if host.startswith(("aegean", "corner"))}
    slow = sites["aegean-culture.example"]
    assert slow.manner.seconds
    sites[slow.host] = replace(slow, manner=replace(slow.manner, seconds=600.0))
    web = SmallWeb(sites)
    await web.start()
    try:
        for host in (slow.host, "corner-barber.example"):
            reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % host.encode())
        assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        assert [one.host for one in web.asked] == ["corner-barber.example"]
    finally:
        await web.close()


def test_the_command_prints_its_settings_and_ends_with_an_interrupt() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "surveyor.smallweb"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(5)]
    assert lines[0].startswith("SURVEYOR_NET__HOSTS='{")
    assert lines[-1] == "SURVEYOR_CRAWL__DELAY_SECONDS=0.05\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "") and "sites; look at them at" in err and "Traceback" not in err


def test_the_command_refuses_other_addresses() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "surveyor.smallweb", "--address", "0.0.0.0"],
        env=environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "loopback only" in ran.stderr
