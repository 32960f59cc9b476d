"""Markdown in one style: pages with a note on where they come from, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_NOTE = "<!-- Made by `python -m tools.reference`; edit the code it is made from. -->"


def page(title: str, body: str) -> str:
    return f"# {title}\n\n{_NOTE}\n\n{body.strip()}\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(headings), _row(["---"] * len(headings)), *map(_row, rows)]
    return "\n".join(lines)


def code(text: object) -> str:
    return f"`{text}`"


def sentence(text: str) -> str:
    """A description as a table shows it: one line, no full stop at its end."""
    return " ".join(text.split()).removesuffix(".")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
