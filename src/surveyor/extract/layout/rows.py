"""Rows of tables: cells in their columns, a cell over several columns in the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from surveyor.extract.document import BlockKind
from surveyor.extract.layout.boxes import Piece, Run, lines_of, normal_runs, one_line

# Columns of a table that anybody reads.
_MAX_CELLS = 200
# Characters of a cell.
_MAX_TEXT = 10_000


@dataclass(slots=True, eq=False)
class Row:
    """A row being read."""

    _cells: list[str] = field(default_factory=list)
    _lines: list[tuple[str, ...]] = field(default_factory=list)
    _runs: list[Run] = field(default_factory=list)
    _heads: int = 0
    is_open: bool = False  # whether a cell is being read

    @property
    def is_said(self) -> bool:
        return any(self._cells)

    def add(self, runs: Sequence[Run], is_head: bool, span: str | None) -> None:
        self.is_open = False
        if len(self._cells) >= _MAX_CELLS:
            return
        raw = "".join([run.text for run in runs])[:_MAX_TEXT]
        text = one_line(raw)
        self._cells.append(text)
        self._lines.append(lines_of(raw))
        self._heads += is_head or not text
        if text:
            if self._runs:
                self._runs.append(Run(" | ", None))
            self._runs += normal_runs(runs) or (Run(text, None),)
        if span is not None and span.isascii() and span.isdigit() and len(span) < 4:
            empty = min(int(span) - 1, _MAX_CELLS - len(self._cells))
            self._cells += [""] * empty
            self._lines += [()] * empty
            self._heads += max(0, empty)

    def piece(self, box: int, rule: int) -> Piece:
        runs = tuple(self._runs) if any(run.url is not None for run in self._runs) else ()
        return Piece(
            BlockKind.ROW,
            box,
            "".join(run.text for run in self._runs),
            runs=runs,
            cells=tuple(self._cells),
            cell_lines=tuple(self._lines),
            is_head_row=self._heads == len(self._cells) and len(self._cells) > 1,
            rule=rule,
        )
