"""A site whose pages cannot be shown is given up for the visit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from surveyor.crawl.context import Wanted
from surveyor.crawl.pages.rendering import Rendering
from surveyor.names import parse_url
from surveyor.net.fetcher import Response
from surveyor.render import Ask, Rendered, RenderFailed

URL = parse_url("http://fund.example/")


class Browser:
    """Shows what it is told to, and counts."""

    def __init__(self, outcomes: str) -> None:
        self.outcomes, self.asked = list(outcomes), 0

    async def render(
        self, _url: str, _response: Response, _ask: Ask, *, site: str, screenshot: bool
    ) -> Rendered:
        assert site == "fund.example" and not screenshot
        self.asked += 1
        if self.outcomes.pop(0) == "f":
            raise RenderFailed("its scripts do not end")
        return Rendered(b"<p>shown</p>")


@pytest.mark.parametrize(("outcomes", "asked"), [("fff" + "s" * 5, 3), ("ffsffs" + "s" * 5, 8), ("s" * 8, 8)])
async def test_after_three_failures_in_a_row_no_page_of_the_site_is_shown(outcomes: str, asked: int) -> None:
    browser = Browser(outcomes)
    context = SimpleNamespace(renderer=browser, wanted=Wanted(captures=True, records=True))
    session = SimpleNamespace(domain="fund.example", context=context)
    rendering = Rendering(cast(Any, session), cast(Any, None))
    for _ in range(8):
        await rendering._shown(URL, cast(Any, None))
    assert browser.asked == asked
