"""A page is worked out once, whoever asks, and nothing is kept beyond it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from surveyor.extract import structured
from surveyor.extract.analysis import Analysis
from surveyor.extract.contacts import channels
from surveyor.extract.fields import phones
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import Page
from surveyor.profiles import loader
from tests.unit.extract.conftest import TODAY, URL

HTML = (
    "<title>Food Pantry | Willow</title><main><h1>Food Pantry</h1><p>We serve Rice County residents.</p>"
    "<h2>Volunteers wanted</h2><p>Sign up until 1 March 2027: call (303) 555-0171.</p></main>"
    "<footer>Willow Center, 12 Elm St, Denver, CO 80203</footer>"
)


def _page() -> Page:
    return Page(URL, HTML.encode(), "text/html; charset=utf-8", TODAY)


def test_structured_data_and_channels_of_a_page_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def counted(module: Any, name: str) -> None:
        real = getattr(module, name)

        def wrapper(*given: Any, **named: Any) -> Any:
            calls[f"{module.__name__.rpartition('.')[2]}.{name}"] += 1
            return real(*given, **named)

        monkeypatch.setattr(module, name, wrapper)

    counted(structured, "read")
    counted(channels, "read")
    reading = Reader(ProfileView.of(loader.load("community"))).read(_page())
    assert reading.records
    assert calls == {"structured.read": 1, "channels.read": 1}


def test_what_nobody_asks_for_is_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody asked for telephones")

    monkeypatch.setattr(phones, "find", refuse)
    view = ProfileView.of(loader.load("funding"))
    facts = Analysis(parse(_page(), view), view).facts
    assert facts[0].text == "Food Pantry"
