"""Pages as front ends really make them: what people would read of them is taken, and in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from surveyor.net.fetcher import Response
from surveyor.render import Browsed
from surveyor.render.browser import Renderer
from surveyor.settings import RenderSettings
from tests.journey.render.test_hostile_pages import PAGE, answer, nothing
from tests.web import chromium

pytestmark = [chromium.needed, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def renderer() -> AsyncIterator[Renderer]:
    """With so much time for a page that who waits for its end is noticed."""
    made = Renderer(RenderSettings(executable=chromium.executable() or "", seconds=300.0), "Surveyor/test")
    yield made
    await made.close()


async def shown(renderer: Renderer, page: str, kind: str = "text/html; charset=utf-8") -> str:
    rendered = await asyncio.wait_for(renderer.render(PAGE, answer(page, kind), nothing), 100)
    return rendered.html.decode()


SHADOWS = """<body><my-card><b slot="name">Rila grants</b>for schools</my-card><script>
customElements.define('my-part', class extends HTMLElement { constructor() {
  super(); this.attachShadow({mode: 'open'}).innerHTML = '<i>until 3 May</i>'; } });
customElements.define('my-card', class extends HTMLElement { constructor() {
  super(); this.attachShadow({mode: 'open'}).innerHTML =
    '<style>p { color: red }</style><h1><slot name="name"></slot></h1>' +
    '<p><slot></slot> <my-part></my-part></p>';
} });
</script>"""


async def test_text_in_open_shadow_roots_stands_where_people_see_it(renderer: Renderer) -> None:
    html = await shown(renderer, SHADOWS)
    order = [html.index(words) for words in ("<h1>", "Rila grants", "for schools", "until 3 May")]
    assert order == sorted(order) and html.count("Rila grants") == 1 and "color: red" not in html


@pytest.mark.parametrize(
    "script",
    [
        "setInterval(() => fetch('https://www.google-analytics.com/g/collect').catch(() => 0), 100)",
        "setInterval(() => { new Image().src = '/beat?' + Math.random(); }, 100)",
        "new WebSocket('ws://hostile.example/live')",
        "document.addEventListener('x', () => 0); throw new Error('broken')",
        "const never = new Image(); never.loading = 'lazy'; document.body.append(never);",
    ],
    ids=["tracker", "beat", "socket", "error", "lazy"],
)
async def test_a_page_that_goes_on_asking_for_what_it_does_not_get_is_taken(
    renderer: Renderer, script: str
) -> None:
    assert "<p>text</p>" in await shown(renderer, f"<body><p>text</p><script>{script}</script>")


async def test_a_short_page_is_not_waited_for_however_soon_it_was_read(renderer: Renderer) -> None:
    """Each is in a process of its own, which may have read it before it answers to us."""
    for _ in range(10):
        assert "<p>text</p>" in await shown(renderer, "<p>text</p>" * 100)


async def test_a_gallery_of_many_images_is_no_flood(renderer: Renderer) -> None:
    many = "".join(f'<img src="/image/{number}.jpg">' for number in range(700))
    script = (
        "onload = () => fetch('/data').then((found) => found.text()).then((text) => document.title = text)"
    )

    async def ask(_request: Browsed) -> Response | None:
        return answer("data", "text/plain")

    page = answer(f"<body><p>text</p>{many}<script>{script}</script>")
    html = (await renderer.render(PAGE, page, ask)).html
    assert html.count(b"<img") == 700
    assert b"<title>data</title>" in html, "what is not loaded is not counted"


async def test_images_within_the_page_are_left_out_of_what_is_kept(renderer: Renderer) -> None:
    html = await shown(
        renderer, f'<body><img src="data:image/png;base64,{"A" * 100_000}" alt="logo"><p>text</p>'
    )
    assert len(html) < 1_000 and 'alt="logo"' in html


async def test_a_page_whose_screenshot_is_too_large_is_shown_without_one(renderer: Renderer) -> None:
    noise = """const c = document.querySelector('canvas'), d = c.getContext('2d'),
      p = d.createImageData(c.width, c.height);
      for (let i = 0; i < p.data.length; i++) p.data[i] = i % 4 == 3 ? 255 : Math.random() * 256;
      d.putImageData(p, 0, 0);"""
    for script, is_kept in (("", True), (noise, False)):
        page = f"<body><p>text</p><canvas width=1200 height=2400></canvas><script>{script}</script>"
        rendered = await renderer.render(PAGE, answer(page), nothing, screenshot=True)
        assert b"<p>text</p>" in rendered.html and (rendered.screenshot is not None) is is_kept


async def test_a_page_that_names_another_charset_is_read_as_it_was_sent(renderer: Renderer) -> None:
    html = await shown(renderer, '<meta charset="windows-1252"><p>Förderung für Künstler</p>')
    assert "Förderung für Künstler" in html


@pytest.mark.parametrize(
    "page",
    [
        "<script>location.href = '/home'</script>",
        "<script>setTimeout(() => location.replace('http://hostile.example/home'), 50)</script>",
        '<meta http-equiv="refresh" content="0; url=/home">',
    ],
    ids=["href", "late", "refresh"],
)
async def test_where_a_page_sends_people_is_said_and_the_page_stays(renderer: Renderer, page: str) -> None:
    rendered = await renderer.render(PAGE, answer(f"<body><p>moving</p>{page}"), nothing)
    assert rendered.leads_to == f"{PAGE}home" and b"<p>moving</p>" in rendered.html


async def test_what_a_script_asks_for_after_it_computed_for_long_is_waited_for(renderer: Renderer) -> None:
    chunk = """const end = Date.now() + 1500; while (Date.now() < end);
      fetch('/data').then((found) => found.text()).then((text) => { document.title = text; })"""

    async def ask(request: Browsed) -> Response | None:
        if request.kind == "script":
            return answer(chunk, "text/javascript")
        await asyncio.sleep(1.0)
        return answer("whole", "text/plain")

    page = answer("<body><script>setTimeout(() => import('/chunk.js'), 50)</script>")
    assert b"<title>whole</title>" in (await renderer.render(PAGE, page, ask)).html


async def test_data_that_arrives_in_steps_is_waited_for(renderer: Renderer) -> None:
    async def ask(request: Browsed) -> Response | None:
        await asyncio.sleep(0.3)
        return answer(f'"{request.url.rpartition("/")[2]}"', "application/json")

    script = """(async () => { for (const name of ['a', 'b', 'c', 'd'])
      document.body.append(await (await fetch('/' + name)).json()); document.title = 'whole'; })()"""
    rendered = await renderer.render(PAGE, answer(f"<body><script>{script}</script>"), ask)
    assert b"abcd" in rendered.html and b"<title>whole</title>" in rendered.html
