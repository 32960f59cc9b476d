"""The inside of `lab render --network`: listens everywhere, and shows pages that try every way out.

The fetcher that answers the pages is the product's, with its guard as it is; it finds names through
`net.hosts`, as in any intranet.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections import Counter
from contextlib import suppress

from lab.guard_inside import lead_everything_here, require_no_way_out
from lab.guard_web import Web, chain
from lab.render_network import Report, as_json
from surveyor.errors import NetError, SurveyorError
from surveyor.net.fetcher import Fetcher, Response
from surveyor.net.response_parser import Headers
from surveyor.render import Browsed
from surveyor.render.browser import Renderer
from surveyor.render.programs import executable
from surveyor.settings import NetSettings, RenderSettings
from tests.support.ways_out import COUNT, ways_out

_PUBLIC = "93.184.216.34"
_PAGE = "http://page.example/"
_CONTROLS = """<body><p>text</p><script>
const get = (url) => fetch(url).then((answer) => document.body.append(answer.status + ' '));
get('http://www.example/control');
get('http://93.184.216.34/control');
</script>"""


def inside() -> None:
    orders = json.loads(sys.argv[1])
    require_no_way_out(orders["outside"])
    lead_everything_here()
    print(as_json(asyncio.run(_Inside(orders["addresses"]).run())))


class _Inside:
    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses
        self.web = Web()
        self.packets: list[str] = []
        self.refused: Counter[str] = Counter()
        self.reached: Counter[str] = Counter()
        named = {f"inside-{number}.example": address for number, address in enumerate(addresses)}
        self.names = list(named)
        hosts = named | {"page.example": _PUBLIC, "www.example": _PUBLIC}
        self.fetcher = Fetcher(NetSettings(hosts=hosts, total_seconds=5, connect_seconds=2))

    async def run(self) -> Report:
        loop = asyncio.get_running_loop()
        packets, _ = await loop.create_datagram_endpoint(lambda: _Packets(self.packets), ("::", 80))
        async with self.web.serve(), self.fetcher:
            armed = sum([await asyncio.to_thread(_answers, each) for each in self.addresses])
            by_browser = await self._unguarded()
            await asyncio.sleep(0.5)
            self.web.accepted.clear()
            self.packets.clear()
            pages, controls = await self._guarded()
            await asyncio.sleep(0.5)
        packets.close()
        wrong = [f"{address} port {port}" for address, port in self.web.accepted if address != _PUBLIC]
        return Report(
            COUNT, pages, armed, by_browser, dict(self.refused), wrong + self.packets, controls, expected=2
        )

    async def _guarded(self) -> tuple[int, int]:
        renderer = Renderer(RenderSettings(seconds=10.0), "Surveyor/lab")
        # Directly, by a name that leads there, and by a redirect of a public host.
        places = [f"{each}:80" for each in (*self.addresses, *self.names)]
        pages = [ways_out(place) for place in places] + [_redirected(self.addresses)]
        try:
            for page in pages:
                await renderer.render(_PAGE, _response(page), self._ask)
            self.refused["proxy"] = len(renderer.proxy.attempts)
            shown = await renderer.render(_PAGE, _response(_CONTROLS), self._ask)
        finally:
            await renderer.close()
        return len(pages), shown.html.count(b"200 ")

    async def _ask(self, request: Browsed) -> Response | None:
        """As a crawl does: redirects followed, whatever leads to a forbidden address refused by the guard."""
        url = request.url
        for _ in range(4):
            try:
                response = await self.fetcher.get(url, accept="*/*")
            except (NetError, SurveyorError):
                self.refused["guard"] += 1
                return None
            if response.location is None:
                return response
            url = response.location
        return None

    async def _unguarded(self) -> int:
        """The same page in a browser as anybody starts it: what is proved must be possible at all."""
        from playwright.async_api import async_playwright

        self.web.accepted.clear()
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(
                executable_path=executable(RenderSettings()), chromium_sandbox=False
            )
            page = await browser.new_page()
            await page.route(
                _PAGE, lambda route: route.fulfill(body=ways_out("127.0.0.1:80"), content_type="text/html")
            )
            with suppress(Exception):  # it leads elsewhere in the middle of it
                await page.goto(_PAGE, wait_until="load", timeout=8_000)
            await asyncio.sleep(2)
            await browser.close()
        return len(self.web.accepted) + len(self.packets)


class _Packets(asyncio.DatagramProtocol):
    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._seen.append(f"packet of {len(data)} bytes from {addr[0]}")


def _redirected(addresses: list[str]) -> str:
    ways = [
        f"http://www.example{chain(code, hops, f'http://{address}/inside')}"
        for address in addresses
        for code, hops in ((302, 1), (307, 2))
    ]
    scripts = "".join(f"fetch('{way}').catch(() => 0);" for way in ways)
    tags = "".join(f'<script src="{way}?s"></script><img src="{way}?i">' for way in ways)
    return f"<body><p>text</p>{tags}<script>{scripts}</script>"


def _response(body: str) -> Response:
    raw = ((b"Content-Type", b"text/html; charset=utf-8"),)
    return Response(
        _PAGE, 200, Headers(raw), body.encode(), None, False, 100, 0.0, 0.0, _PUBLIC, "1.1", "OK", raw
    )


def _answers(address: str) -> bool:
    plain = address.strip("[]")
    family = socket.AF_INET6 if ":" in plain else socket.AF_INET
    with socket.socket(family) as client:
        client.settimeout(0.5)
        return client.connect_ex((plain, 80)) == 0


if __name__ == "__main__":
    inside()
