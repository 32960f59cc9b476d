"""What the docs say of suspensions is what the code does."""

from __future__ import annotations

import re
from datetime import timedelta

from surveyor.discover.adapters import ADAPTERS
from surveyor.discover.errors import SUSPENSIONS
from tools.reference.sources import ROOT

_WORDS = {
    timedelta(minutes=1): "a minute",
    timedelta(minutes=5): "five minutes",
    timedelta(minutes=10): "ten minutes",
    timedelta(hours=1): "an hour",
    timedelta(hours=6): "six hours",
    timedelta(days=1): "a day",
}


def _words(seconds: float) -> str:
    return _WORDS[timedelta(seconds=seconds)]


def test_the_page_on_discovering_has_every_suspension_with_its_length() -> None:
    text = (ROOT / "docs" / "discovering.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([^|,]+)[^|]*\| ([^|]*)\|$", text, re.MULTILINE)
    told = {name: (first.strip(), longest.strip()) for name, first, longest in rows}
    assert told == {
        trouble.value: (_words(row.steps[0]), _words(row.steps[-1]) if len(row.steps) > 1 else "")
        for trouble, row in SUSPENSIONS.items()
    }
    for adapter in ADAPTERS.values():
        assert f"`providers.{adapter.name}." in text
