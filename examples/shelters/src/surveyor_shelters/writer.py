"""A format of exports: a table in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class MarkdownWriter:
    def __init__(self, stream: Any, columns: Sequence[Any]) -> None:
        self._stream, self._names = stream, [column.name for column in columns]
        self._line(self._names)
        self._line(["---"] * len(self._names))

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            self._line(["" if row.get(name) is None else str(row[name]) for name in self._names])

    def close(self) -> None:
        """Every line was written whole."""

    def _line(self, cells: Sequence[str]) -> None:
        safe = (" ".join(cell.replace("|", "\\|").split()) for cell in cells)
        self._stream.write(f"| {' | '.join(safe)} |\n".encode())


class _Format:
    endings = (".md",)

    def open(self, stream: Any, columns: Sequence[Any]) -> MarkdownWriter:
        return MarkdownWriter(stream, columns)


FORMAT = _Format()
