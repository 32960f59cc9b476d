"""How each element of HTML is laid out, what hides one, and which tables are tables.

Names and attributes are enough here; what an element is for is found out later.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from surveyor.extract.document import BlockKind


class Flow(Enum):
    """What the walk does with an element."""

    SKIP = auto()  # nothing in it is read
    STRUCK = auto()  # nothing in it is valid
    BLOCK = auto()  # on lines of its own
    BREAK = auto()
    FALLBACK = auto()  # read where it holds a whole text, for readers without scripts or players
    RULE = auto()
    LINK = auto()
    PICTURE = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()
    BUTTON = auto()  # read in a heading only


FLOW: Final[dict[str, Flow]] = {
    name: flow
    for flow, names in (
        (
            Flow.SKIP,
            "script style template head svg math iframe embed select datalist input textarea progress meter "
            "title link meta noframes frameset -comment !doctype",
        ),
        (Flow.STRUCK, "del s strike"),
        (
            Flow.BLOCK,
            "body div section article main header footer nav aside form fieldset legend p h1 h2 h3 h4 h5 h6 "
            "ul ol menu dir li dl dt dd blockquote pre figure figcaption address center details summary "
            "caption hgroup dialog search thead tbody tfoot option optgroup",
        ),
        (Flow.FALLBACK, "noscript object audio video canvas map"),
        (Flow.BREAK, "br"),
        (Flow.RULE, "hr"),
        (Flow.LINK, "a"),
        (Flow.PICTURE, "img"),
        (Flow.TABLE, "table"),
        (Flow.ROW, "tr"),
        (Flow.CELL, "td th"),
        (Flow.BUTTON, "button"),
    )
    for name in names.split()
}
KINDS: Final = {
    **{f"h{level}": BlockKind.HEADING for level in range(1, 7)},
    "li": BlockKind.ITEM,
    "dt": BlockKind.TERM,
    "dd": BlockKind.VALUE,
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
    "summary": BlockKind.HEADING,
}
# What a question to be opened is worth among headings: below a chapter.
SUMMARY_LEVEL: Final = 4
# Words that make a heading of an element which is none by its tag.
_STRUCK_NAME: Final = re.compile(
    r"(?:^|[\s_-])(?:strike|struck|strikethrough|line-through|text-decoration-line-through)(?:$|[\s_-])"
)
_HIDING_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STRIKING_STYLE: Final = re.compile(r"text-decoration[a-z-]*\s*:[^;]{0,40}line-through", re.IGNORECASE)
# Characters of a hidden part that is decoration; a longer one was hidden from readers of screens by mistake.
_DECORATION: Final = 200
# Elements of a table that are looked at.
_LOOKED_AT: Final = 5_000
# Characters of a cell that make it a column of text.
_LONG_CELL: Final = 600
_LAYS_OUT: Final = frozenset(("table", "h1", "h2", "form", "nav", "article", "section", "hr", "main"))


def is_hidden(values: dict[str, str | None]) -> bool:
    """Whether a reader of the page does not see it, as far as its own attributes tell."""
    if "hidden" in values and values["hidden"] != "until-found":
        return True
    style = values.get("style")
    return bool(style and _HIDING_STYLE.search(style))


def is_decoration(node: LexborNode, values: dict[str, str | None]) -> bool:
    """Whether it is hidden from readers of screens because it says nothing."""
    return values.get("aria-hidden") == "true" and len(node.text()) < _DECORATION


def is_struck(values: dict[str, str | None]) -> bool:
    names, style = values.get("class"), values.get("style")
    if names and _is_struck_name(names):
        return True
    return bool(style and _STRIKING_STYLE.search(style))


@lru_cache(maxsize=4_096)
def _is_struck_name(names: str) -> bool:
    lowered = names.lower()
    return ("str" in lowered or "line-" in lowered) and _STRUCK_NAME.search(lowered) is not None


def is_data(table: LexborNode) -> bool:
    """Whether a table holds data; in old pages tables hold columns of text, too."""
    if (table.attributes.get("role") or "") in ("presentation", "none"):
        return False
    rows = cells = widest = in_row = headed = linked = longest = 0
    for number, node in enumerate(table.traverse()):
        tag = node.tag
        if (tag in _LAYS_OUT and number) or number > _LOOKED_AT:
            return False
        if tag == "tr":
            rows, in_row = rows + 1, 0
        elif tag in ("td", "th"):
            headed += tag == "th"
            cells, in_row = cells + 1, in_row + 1
            widest = max(widest, in_row)
            longest = max(longest, len(node.text()))
        elif tag == "a":
            linked += 1
    if widest < 2 or (longest > _LONG_CELL and not headed):
        return False
    return bool(headed) or (rows > 1 and linked < cells)


def is_anchor(node: LexborNode, href: str) -> bool:
    """A sign such as ¶ that leads to a place on its own page, for whoever wants its address."""
    if len(href) < 2 or href[0] != "#":
        return False
    text = node.text().strip()
    return bool(text) and not any(map(str.isalnum, text)) and node.css_first("img") is None
