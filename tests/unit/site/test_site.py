"""The site tells the truth: a walk over its pages finds what its graph promises, and its log is exact."""

from __future__ import annotations

import asyncio
import gzip
import io
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from surveyor.errors import NetError
from surveyor.names import PageUrl, resolve
from surveyor.net.fetcher import Fetcher
from surveyor.settings import NetSettings
from tests.support.site import HostGraph, Manner, SiteGraph, SiteProcess, SiteServer, SiteSpec, read_log
from tests.support.site.hosts import GraphHost, Host, body_parts
from tests.support.site.log import HELLO
from tests.support.site.spec import DENY_ALL
from tests.support.site.special import FAKE_IMAGE, Gallery, build
from tests.support.site.traps import FAMILIES, Trap
from tests.support.site.wire import Answer, Request

SMALL = SiteGraph(5, hosts=4, pages_per_host=40, depth=3)
HOME = "h00.site.example"


def asked(host: Host, name: str, target: str) -> Answer:
    return host.answer(Request("GET", name, target, b""))


def body(answer: Answer) -> str:
    return b"".join(answer.parts).partition(b"\r\n\r\n")[2].decode()


def hrefs(html: str) -> list[str]:
    found = (node.attributes.get("href") for node in LexborHTMLParser(html).css("a[href]"))
    return [href for href in found if href]


def walk(graph: HostGraph, depth: int) -> dict[str, int]:
    """Breadth first, reading links as a browser does, keeping out of what robots.txt forbids."""
    host = GraphHost(graph, 0, 0.0, False)
    found, level = {"/": 0}, ["/"]
    for at in range(depth):
        further = []
        for page in level:
            for href in hrefs(body(asked(host, graph.name, page))):
                target = _lands_on(graph, host, page, href)
                if target is not None and target not in found:
                    found[target] = at + 1
                    further.append(target)
        level = further
    return found


def _lands_on(graph: HostGraph, host: GraphHost, page: str, href: str) -> str | None:
    url = resolve(f"http://{graph.name}{page}", href)
    if url is None or url.domain != graph.name or url.target in graph.forbidden:
        return None
    answer = asked(host, graph.name, url.target)
    if answer.status == 301:
        return _lands_on(graph, host, page, graph.redirects[url.target])
    return url.target if answer.status == 200 else None


async def ask(port: int, request: str) -> tuple[int, bytes]:
    """Status and body of one request; `GET /path host`, and header lines after it."""
    first, *more = request.split("\n")
    method, target, host = first.split(" ")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join([f"{method} {target} HTTP/1.1", f"Host: {host}", *more, "", ""]).encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    answered = await reader.readexactly(length if method != "HEAD" else 0)
    writer.close()
    return int(head.split(b" ")[1]), answered


# ---------------------------------------------------------------------------------------- graph


@settings(max_examples=15)
@given(st.integers(), st.integers(2, 5), st.integers(1, 4), st.integers(0, 120), st.integers(1, 20))
def test_a_walk_finds_every_page_at_its_level(
    seed: int, hosts: int, depth: int, more: int, links: int
) -> None:
    graph = SiteGraph(seed, hosts, depth + 1 + more, depth, links).by_name["h01.site.example"]
    assert walk(graph, depth) == {page.target: page.level for page in graph.pages.values()}
    assert set(walk(graph, depth - 1)) == graph.reachable(depth - 1)


def test_one_seed_is_one_web() -> None:
    again = SiteGraph(5, hosts=4, pages_per_host=40, depth=3)
    assert again.by_name == SMALL.by_name
    assert SiteGraph(6, hosts=4, pages_per_host=40, depth=3).by_name != SMALL.by_name


def test_a_web_has_everything_that_crawlers_stumble_over() -> None:
    graphs = SiteGraph(5, pages_per_host=100).by_name
    written = [href for graph in graphs.values() for page in graph.pages.values() for href in page.hrefs]
    for part in ("utm_", "#part", "www.", "https://", "%70", "/x/..", "/gone/", "/old/", "index.html", "x0"):
        assert any(part in href for href in written), part
    assert any(graph.forbidden for graph in graphs.values())
    assert {graph.robots is None for graph in graphs.values()} == {True, False}


def test_every_link_leads_to_something_the_graph_speaks_of() -> None:
    for graph in SMALL.by_name.values():
        for page in graph.pages.values():
            urls = [resolve(f"http://{graph.name}{page.target}", href) for href in page.hrefs]
            assert None not in urls
            inside = [url.target for url in urls if url is not None and url.domain == graph.name]
            assert all(graph.known(target) == target for target in inside)


def test_a_level_that_would_stay_empty_is_refused() -> None:
    with pytest.raises(ValueError, match="depth"):
        SiteGraph(1, pages_per_host=3, depth=3)


def test_a_page_is_as_large_as_was_asked_for_and_says_who_it_is() -> None:
    graph = SMALL.by_name[HOME]
    texts = [b"".join(body_parts(graph, page, 33_000)) for page in graph.pages.values()]
    assert {len(text) for text in texts} == {33_000}
    assert all(page.id.encode() in text for page, text in zip(graph.pages.values(), texts, strict=True))


# --------------------------------------------------------------------------------------- server


async def test_the_log_says_who_asked_for_what_and_when(tmp_path: Path) -> None:
    before = time.monotonic_ns()
    async with SiteServer.serve(SiteSpec(SMALL), tmp_path / "log") as site:
        status, page = await ask(site.port, f"GET / {HOME}\nUser-Agent: Bot/1 (+ada)")
        assert (status, b"h00-0" in page) == (200, True)
        assert (await ask(site.port, f"GET /nothing {HOME}"))[0] == 404
    first, second = read_log(tmp_path / "log")
    assert before < first.start <= first.end < second.start <= second.end < time.monotonic_ns()
    assert (first.host, first.target, first.status, first.agent) == (HOME, "/", 200, "ada")
    assert (second.target, second.status, second.aborted) == ("/nothing", 404, False)
    assert first.connection != second.connection


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when bytes arrived")
async def test_a_request_is_dated_by_its_arrival_and_not_by_a_busy_server(tmp_path: Path) -> None:
    async def is_dated_by_arrival(log: Path) -> bool:
        async with SiteServer.serve(SiteSpec(SMALL), log) as site:
            _, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(f"GET / HTTP/1.1\r\nHost: {HOME}\r\n\r\n".encode())
            time.sleep(0.05)
            free_again = time.monotonic_ns()
            while not read_log(log):
                await asyncio.sleep(0.001)
            writer.close()
        (entry,) = read_log(log)
        return entry.start < free_again - 40_000_000 < free_again < entry.end

    # The kernel begins to date packets a moment after the first socket asked for it, later on a busy machine.
    assert any([await is_dated_by_arrival(tmp_path / f"log{number}") for number in range(5)])


async def test_a_client_that_leaves_is_noted(tmp_path: Path) -> None:
    spec = SiteSpec(SMALL, manners={HOME: Manner(wait=10.0)})
    async with SiteServer.serve(spec, tmp_path / "log") as site:
        _, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {HOME}\r\n\r\n".encode())
        while not site.requests:
            await asyncio.sleep(0.001)
        assert [connection.target for connection in site.open_connections()] == ["/"]
        writer.close()
        while site.open_connections():
            await asyncio.sleep(0.001)
    (entry,) = read_log(tmp_path / "log")
    assert (entry.aborted, entry.status) == (True, 0)


async def test_two_requests_sent_at_once_overlap_in_the_log(tmp_path: Path) -> None:
    spec = SiteSpec(SMALL, manners={HOME: Manner(wait=0.02)})
    async with SiteServer.serve(spec, tmp_path / "log") as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(f"HEAD / HTTP/1.1\r\nHost: {HOME}\r\n\r\n".encode() * 2)
        for _ in range(2):
            await reader.readuntil(b"\r\n\r\n")
        writer.close()
    first, second = read_log(tmp_path / "log")
    assert second.start < first.end < second.end


async def test_tls_is_turned_away_at_once_and_plain_http_is_served(tmp_path: Path) -> None:
    async with SiteServer.serve(SiteSpec(SMALL), tmp_path / "log") as site:
        net = NetSettings(hosts=site.spec.net_hosts(site.port), allow=["127.0.0.0/8"])
        async with Fetcher(net) as fetcher:
            with pytest.raises(NetError) as refused:
                await fetcher.get(f"https://{HOME}/", deadline=2.0)
            response = await fetcher.get(f"http://www.{HOME}/")
    assert refused.value.code != "timeout"
    assert response.status == 200
    assert [entry.method for entry in read_log(tmp_path / "log", hellos=True)] == [HELLO, "GET"]


async def test_a_page_that_did_not_change_is_not_sent_again(tmp_path: Path) -> None:
    async with SiteServer.serve(SiteSpec(SMALL, validators=True), tmp_path / "log") as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(f"HEAD / HTTP/1.1\r\nHost: {HOME}\r\n\r\n".encode())
        etag = (await reader.readuntil(b"\r\n\r\n")).split(b"ETag: ")[1].split(b"\r\n")[0].decode()
        writer.close()
        assert (await ask(site.port, f"GET / {HOME}\nIf-None-Match: {etag}")) == (304, b"")
        assert (await ask(site.port, f"GET / {HOME}\nIf-None-Match: other"))[0] == 200


async def test_manners_hold_for_their_host_alone(tmp_path: Path) -> None:
    h1, h2, h3 = SMALL.names[1:]
    manners = {
        HOME: Manner(status=429, after=1, retry_after="7"),
        h1: Manner(robots=503),
        h2: Manner(robots=DENY_ALL),
    }
    async with SiteServer.serve(SiteSpec(SMALL, manners=manners), tmp_path / "log") as site:
        statuses = [(await ask(site.port, f"GET / {host}"))[0] for host in (HOME, HOME, h1, h2, h3)]
        robots = [(await ask(site.port, f"GET /robots.txt {host}"))[0] for host in SMALL.names]
    assert statuses == [200, 429, 200, 200, 200]
    assert robots == [200, 503, 200, 200]
    assert [entry.hold for entry in read_log(tmp_path / "log")][:2] == [0, 7]


def test_a_site_of_its_own_tells_what_is_open_and_learns_manners(tmp_path: Path) -> None:
    async def hang_up_on(port: int, site: SiteProcess) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {HOME}\r\n\r\n".encode())
        while not any(connection.target for connection in site.now().connections):
            await asyncio.sleep(0.001)
        (connection,) = site.now().connections
        assert (connection.host, connection.target) == (HOME, "/")
        assert connection.port == writer.get_extra_info("sockname")[1]
        writer.close()

    with SiteProcess(SiteSpec(SMALL), tmp_path / "log") as site:
        assert asyncio.run(ask(site.port, f"GET / {HOME}"))[0] == 200
        site.set_manner(HOME, Manner(wait=10.0))
        asyncio.run(hang_up_on(site.port, site))
        site.now()
        assert [(entry.status, entry.aborted) for entry in site.log()] == [(200, False), (0, True)]
        assert site.now().requests == 2
        assert f'"www.{HOME}":"127.0.0.1:{site.port}"' in site.environment["SURVEYOR_NET__HOSTS"]


# -------------------------------------------------------------------------------------- special


def test_a_farm_has_all_its_links() -> None:
    farm = build("farm.example", {"kind": "farm", "links": 1000})
    assert len(hrefs(body(asked(farm, "farm.example", "/")))) == 1000
    assert asked(farm, "farm.example", "/l/999").status == 200
    assert asked(farm, "farm.example", "/l/1000").status == 404


def test_a_gallery_shows_valid_images_on_several_pages_and_one_fake() -> None:
    gallery = build("gallery.example", {"kind": "gallery"})
    assert isinstance(gallery, Gallery)
    raws = [
        b"".join(asked(gallery, "gallery.example", target).parts).partition(b"\r\n\r\n")[2]
        for target in gallery.images
    ]
    assert {Image.open(io.BytesIO(raw)).format for raw in raws} == {"PNG", "JPEG"}
    assert len(set(raws)) == len(raws)
    shown = [gallery.seen_on(page) for page in range(len(gallery.pages))]
    assert {image for images in shown for image in images} == set(gallery.images)
    for page, images in zip(gallery.pages, shown, strict=True):
        html = body(asked(gallery, "gallery.example", page))
        assert all(image in html for image in [*images, FAKE_IMAGE, gallery.asset])
    with pytest.raises(OSError):
        Image.open(io.BytesIO(body(asked(gallery, "gallery.example", FAKE_IMAGE)).encode()))


@pytest.mark.parametrize(("how", "status"), [("redirect", 302), ("401", 401)])
def test_a_login_wall_lets_nobody_in(how: str, status: int) -> None:
    wall = build("club.example", {"kind": "login", "how": how})
    (first, *_) = hrefs(body(asked(wall, "club.example", "/")))
    assert asked(wall, "club.example", first).status == status
    assert 'type="password"' in body(asked(wall, "club.example", "/login?next=/"))


def test_pages_of_a_packed_sitemap_are_linked_nowhere_else() -> None:
    host = build("map.example", {"kind": "sitemap", "pages": 3})
    assert "Sitemap: http://map.example/index.xml" in body(asked(host, "map.example", "/robots.txt"))
    assert "map.xml.gz" in body(asked(host, "map.example", "/index.xml"))
    packed = b"".join(asked(host, "map.example", "/map.xml.gz").parts).partition(b"\r\n\r\n")[2]
    assert gzip.decompress(packed).count(b"<loc>http://map.example/only/") == 3
    assert hrefs(body(asked(host, "map.example", "/"))) == []
    assert asked(host, "map.example", "/only/2").status == 200


def test_documents_and_script_pages_are_what_they_say() -> None:
    pdf = b"".join(asked(build("r.example", {"kind": "pdf"}), "r.example", "/report.pdf").parts)
    assert b"application/pdf" in pdf and b"%PDF-1.4" in pdf and pdf.endswith(b"%%EOF\n")
    page = LexborHTMLParser(body(asked(build("s.example", {"kind": "script"}), "s.example", "/")))
    assert [node.text() for node in page.css("#root")] == [""] and page.css("script[src]")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_trap_never_ends_and_hides_no_real_page(family: str) -> None:
    trap = build("trap.example", {"kind": "trap", "family": family, "pages": 40})
    assert isinstance(trap, Trap)
    real = trap.graph.pages
    assert all(asked(trap, "trap.example", target).status == 200 for target in real)
    seen: set[str] = set()
    home = (resolve("http://trap.example/", href) for href in hrefs(body(asked(trap, "trap.example", "/"))))
    url = next(each for each in home if each is not None and _leads_in(trap, each))
    for _ in range(6):
        assert url.text not in seen
        seen.add(url.text)
        answer = trap.answer(Request("GET", url.host, url.target, b""))
        assert answer.status == 200
        found = [resolve(url.text, href) for href in hrefs(body(answer))]
        url = next(each for each in reversed(found) if each is not None and each.text not in seen)


def _leads_in(trap: Trap, url: PageUrl) -> bool:
    return url.domain != trap.name or trap.graph.known(url.target) is None


@pytest.mark.parametrize("options", [{"kind": "nothing"}, {"kind": "trap", "family": "nothing"}])
def test_a_host_that_does_not_exist_is_refused_by_name(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="nothing"):
        build("a.example", options)
