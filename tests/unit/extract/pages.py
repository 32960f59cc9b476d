"""Pages in the manner of many systems, made up for these tests.

What a person would copy of each stands between `<!--m-->` and `<!--/m-->`; it was marked before the rules saw
the page.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

_MARKED = re.compile(r"<!--m-->(.*?)<!--/m-->", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
PAGES = {
    path.stem: path.read_text("utf-8")
    for path in sorted((Path(__file__).parents[2] / "data/pages").glob("*.html"))
}


def content_of(page: str) -> str:
    """What a person would copy."""
    return unescape(" ".join(_TAG.sub(" ", part) for part in _MARKED.findall(page)))
