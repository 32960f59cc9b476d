"""Text without markup as blocks: files made for paper, and plain text. Lines become paragraphs and headings.

What was broken to fit the paper is joined again; what looks like a heading or an item is one. Everything is
content, since paper has no menus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.layout.boxes import one_line

# Blocks kept of a file.
_MOST: Final = 20_000
# Characters of a heading, and words.
_HEADING_CHARS, _HEADING_WORDS = 90, 14
_BULLET: Final = re.compile(r"^\s{0,20}(?:[•●▪■◦‣–—*-]|\(?[a-zа-я0-9]{1,2}[.)])\s{1,10}(?=\S)", re.IGNORECASE)
_CLOSED: Final = (".", "!", "?", ";", ":", "…")
# A number of a page alone on its line.
_PAGE_NUMBER: Final = re.compile(
    r"(?:page |seite |стр\.? |pagina |σελίδα |página )?\d{1,4}(?:\s?(?:/|of|von|от|din|sur|de)\s?\d{1,4})?",
    re.IGNORECASE,
)


def blocks_of(text: str) -> list[Block]:
    """The blocks of a text, its first heading as level 1."""
    blocks: list[Block] = []
    section = 0
    for paragraph in _paragraphs(text):
        if len(blocks) >= _MOST:
            break
        block = _block(paragraph, section, not blocks)
        section += block.kind is BlockKind.HEADING
        blocks.append(block)
    return blocks


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Lines that belong together."""
    held: list[str] = []
    for raw in text.splitlines():
        line = one_line(raw)
        if not line or _PAGE_NUMBER.fullmatch(line):
            if held and not line:
                yield held
                held = []
            continue
        if held and not _goes_on(held[-1], line):
            yield held
            held = []
        held.append(line)
    if held:
        yield held


def _goes_on(before: str, line: str) -> bool:
    """Whether a line carries on the sentence of the line before."""
    if _BULLET.match(line) or before.endswith(_CLOSED):
        return False
    return line[0].islower() or before.endswith((",", "-", "„", "(")) or len(before) > _HEADING_CHARS * 0.8


def _block(lines: list[str], section: int, is_first: bool) -> Block:
    text = _joined(lines)
    if (bullet := _BULLET.match(text)) is not None:
        return Block(BlockKind.ITEM, Region.MAIN, text[bullet.end() :], 1, section=section)
    if len(lines) <= 2 and _is_heading(text, is_first):
        return Block(BlockKind.HEADING, Region.MAIN, text, 1 if is_first else 2, section=section)
    return Block(BlockKind.TEXT, Region.MAIN, text, section=section)


def _joined(lines: list[str]) -> str:
    """One line; a word that was parted at the end of a line is whole again."""
    text = lines[0]
    for line in lines[1:]:
        if text.endswith("-") and text[-2:-1].isalpha() and line[:1].islower():
            text = text[:-1] + line
        else:
            text = f"{text} {line}"
    return text


def _is_heading(text: str, is_first: bool) -> bool:
    """Short, without the end of a sentence; a figure at its end makes it a fact, unless it is the title."""
    return (
        len(text) <= _HEADING_CHARS
        and text.count(" ") < _HEADING_WORDS
        and text[:1].isupper()
        and not text.endswith((".", ",", ";", ":"))
        and (is_first or not any(char.isdigit() for char in text[-4:]))
        and "@" not in text
        and ": " not in text
    )
