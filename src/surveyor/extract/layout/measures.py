"""Figures of boxes: how much text, how much of it in links and in sentences; and which boxes are cards."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from surveyor.extract.document import BlockKind
from surveyor.extract.layout.boxes import Layout, Piece

# Characters from which a text without links is prose even without a full stop.
_LONG: Final = 90
_SET_LARGE: Final = 150  # characters of a heading that is a paragraph set large; no headline is as long
# A paragraph named for a quotation or a story is one of it.
PARAGRAPHS: Final = frozenset(("p", "blockquote", "q", "h1", "h2", "h3"))
# Paragraphs in one box that make it a text; remarks and teasers stand in boxes of their own.
_IN_A_ROW: Final = 3
SENTENCE_ENDS: Final = (
    ".",
    "!",
    "?",
    "…",
    ":",
    ";",
    "”",
    "“",
    "»",
    ")",
    "。",
    "！",
    "？",
    "」",
    "』",
    "।",
    "۔",
    "؟",
)
# Chinese and Japanese say in a third of the characters what others say.
_DENSE_SCRIPT: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SECTIONS: Final = frozenset(
    (
        "article",
        "section",
        "aside",
        "header",
        "footer",
        "nav",
        "td",
        "th",
        "fieldset",
        "details",
        "address",
        "main",
    )
)


def measure(layout: Layout) -> Layout:
    """The layout with the figures of all its boxes, and which of them keep their pieces together."""
    boxes = layout.boxes
    for piece in layout.pieces:
        box = boxes[piece.box]
        linked = [len(run.text) for run in piece.runs if run.url is not None]
        piece.link_chars = sum(linked)
        piece.is_prose = _is_prose(piece)
        box.chars += len(piece.text)
        box.link_chars += piece.link_chars
        box.links += len(linked)
        if piece.is_prose:
            box.prose += len(piece.text) - piece.link_chars
    for box in reversed(boxes):  # parents come before children
        if box.parent >= 0:
            parent = boxes[box.parent]
            parent.chars += box.chars
            parent.link_chars += box.link_chars
            parent.links += box.links
            parent.prose += box.prose
    _mark_cards(layout)
    return layout


def _is_prose(piece: Piece) -> bool:
    """Whether the piece is written in sentences."""
    text, linked = piece.text, piece.link_chars
    if piece.in_form and len(text) < _LONG:
        return False
    if linked * 2 > len(text) or (piece.kind is BlockKind.HEADING and (linked or len(text) < _SET_LARGE)):
        return False
    if len(text) >= _LONG or (len(text) > 30 and text.endswith(SENTENCE_ENDS)):
        return True
    return (
        len(text) > 10
        and not text.isascii()
        and len(_DENSE_SCRIPT.findall(text)) * 3 >= (30 if text.endswith(SENTENCE_ENDS) else _LONG)
    )


def largest_text(layout: Layout, first: int = 0, last: int | None = None) -> int:
    """Characters of the sentences that stand in a row in one box of a stretch, where they are most."""
    rows: dict[int, list[int]] = {}
    for piece in layout.pieces[first:last]:
        if piece.is_prose:
            around = layout.boxes[piece.box]
            at = around.parent if around.tag in PARAGRAPHS else around.number
            rows.setdefault(at, []).append(len(piece.text))
    return max((sum(row) for row in rows.values() if len(row) >= _IN_A_ROW), default=0)


def _mark_cards(layout: Layout) -> None:
    """Sections by their tag; and boxes that repeat beside each other, each with several pieces."""
    pieces = layout.pieces
    alike = Counter((box.parent, box.tag, box.names) for box in layout.boxes if box.chars)
    for box in layout.boxes:
        box.beside = max(0, alike[box.parent, box.tag, box.names] - 1)
        if box.tag in _SECTIONS:
            box.section = True
        elif box.beside and box.last - box.first > 1 and box.tag in ("div", "li"):
            box.section = bool(box.names) or pieces[box.first].kind is BlockKind.HEADING


def sections(layout: Layout) -> list[int]:
    """The number of the section of each piece."""
    of_box: list[int] = []
    for box in layout.boxes:
        of_box.append(box.number if box.section or box.parent < 0 else of_box[box.parent])
    numbers: dict[tuple[int, int], int] = {}
    return [numbers.setdefault((of_box[piece.box], piece.rule), len(numbers)) for piece in layout.pieces]
