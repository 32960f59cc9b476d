"""A page as blocks in the order of reading: headings, paragraphs, items, rows, each with its region."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.values import Page


class BlockKind(StrEnum):
    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    ROW = "row"  # of a table; `cells` has the cells
    TERM = "term"  # of a definition list
    VALUE = "value"  # of a definition list, or what stands beside a term
    CAPTION = "caption"


class Region(StrEnum):
    MAIN = "main"
    HEADER = "header"
    NAVIGATION = "navigation"
    ASIDE = "aside"
    FOOTER = "footer"
    NOTICE = "notice"  # of cookies and the like
    COMMENTS = "comments"
    TEASER = "teaser"  # of another page


class Link(NamedTuple):
    text: str
    url: str
    """Absolute, as written (mailto: and tel: as well)."""


@dataclass(frozen=True, slots=True)
class Block:
    kind: BlockKind
    region: Region
    text: str
    """One line, spaces normal, without struck-out and hidden text."""
    level: int = 0
    """Of a heading, 1 to 6."""
    cells: tuple[str, ...] = ()
    is_head_row: bool = False
    links: tuple[Link, ...] = ()
    lines: tuple[str, ...] = ()
    """The same text by its visual lines (br), where it has several: addresses, opening hours."""
    section: int = 0
    """Blocks of one card, article or column share a number: what stands together belongs together."""
    runs: tuple[tuple[str, str | None], ...] = ()
    """The text in pieces with where each leads, if any leads anywhere; joined they are the text."""
    cell_lines: tuple[tuple[str, ...], ...] = ()
    """Of each cell its visual lines, where it has several."""
    is_ordered: bool = False
    """Of an item: of a numbered list. Its `level` is how deep the list is nested, from 1."""
    in_form: bool = False
    code: str = ""
    """As it was written, with its spaces, where they mean something (pre)."""


@dataclass(frozen=True)
class Document:
    page: Page
    tree: LexborHTMLParser
    language: str | None
    title: str
    """What the page is called, without the site's name."""
    site_name: str | None
    """The site's own name: og:site_name, the part of the title that repeats, the logo."""
    blocks: list[Block] = field(default_factory=list)
    description: str = ""
    """What the head of the page says it is about."""
    images: list[tuple[int, str]] = field(default_factory=list)
    """Pictures that say what they show: the number of the block they stand before, and their text."""
    image_count: int = 0

    @cached_property
    def main(self) -> list[Block]:
        return [block for block in self.blocks if block.region is Region.MAIN]
