"""How the tests of extraction make pages and read them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from surveyor.extract.document import Document
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page
from surveyor.profiles import loader

TODAY = date(2026, 11, 15)
URL = "https://www.fund.example/grants/seed"

Parse = Callable[..., Document]


@pytest.fixture(scope="session")
def view() -> ProfileView:
    return ProfileView.of(loader.load("funding"))


@pytest.fixture(scope="session")
def parsed(view: ProfileView) -> Parse:
    """Parses markup, a text or bytes, as a page of URL."""

    def read(markup: str | bytes, url: str = URL, content_type: str | None = "text/html") -> Document:
        body = markup.encode() if isinstance(markup, str) else markup
        return parse(Page(url, body, content_type, TODAY), view)

    return read
