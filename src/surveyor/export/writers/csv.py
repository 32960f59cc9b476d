"""CSV as RFC 4180 has it: commas, quotes where needed, a header, UTF-8; cells that are never run.

Rows end with CR and LF, as the RFC says: every spreadsheet takes it, and programs that look for both do not
mistake the LF of a text within a cell for the end of a row.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Sequence

from surveyor.export.cells import cell, valid
from surveyor.export.columns import Column
from surveyor.export.values import Row, Stream
from surveyor.export.writers.base import BuiltInFormat


class CsvWriter:
    """`bom`: begin with a mark by which Excel knows UTF-8."""

    def __init__(self, stream: Stream, columns: Sequence[Column], *, bom: bool = False) -> None:
        self._stream = stream
        self._names = [column.name for column in columns]
        if bom:
            stream.write(codecs.BOM_UTF8)
        self._write([self._names])

    def write(self, rows: Sequence[Row]) -> None:
        names = self._names
        self._write([[cell(row.get(name)) for name in names] for row in rows])

    def _write(self, lines: Sequence[Sequence[str]]) -> None:
        page = io.StringIO(newline="")
        csv.writer(page, lineterminator="\r\n").writerows(lines)
        text = page.getvalue()
        try:
            data = text.encode()
        except UnicodeEncodeError:  # half a character, out of a page's JSON
            data = valid(text).encode()
        self._stream.write(data)

    def close(self) -> None:
        """Every page was written whole."""


FORMAT = BuiltInFormat((".csv",), CsvWriter)
