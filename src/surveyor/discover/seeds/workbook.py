"""Workbooks (XLSX, XLS, ODS) as lines of CSV, so that whatever reads a list reads them too.

One line per row, so that line numbers are the row numbers a person sees. Of several sheets the one
with most addresses is taken, unless one is named.
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterable
from datetime import date, datetime
from typing import IO, TYPE_CHECKING, Any

from surveyor.discover.seeds.addresses import addresses_in
from surveyor.errors import BadInput
from surveyor.names import NameRules

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

XLS = b"\xd0\xcf\x11\xe0"  # and old documents of the same maker
_ZIP = b"PK\x03\x04"
# A file inside that only a workbook has: Excel and LibreOffice each their own.
_INSIDE = frozenset({"xl/workbook.xml", "xl/workbook.bin"})
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"


def is_workbook(head: bytes, raw: IO[bytes]) -> bool:
    if head.startswith(XLS):
        return True
    if not head.startswith(_ZIP):
        return False
    try:
        archive = zipfile.ZipFile(raw)
        names = archive.namelist()
        return not _INSIDE.isdisjoint(names) or ("mimetype" in names and _says_ods(archive))
    except (
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
    ):  # the last: it has a password, or a strange packing
        return False
    finally:
        raw.seek(0)


def _says_ods(archive: zipfile.ZipFile) -> bool:
    with archive.open("mimetype") as said:
        return said.read(len(_ODS)) == _ODS


def as_csv(where: str, raw: IO[bytes], rules: NameRules, sheet: str | None) -> io.BytesIO:
    """The rows of the sheet, in UTF-8, as many lines as it has rows."""
    book = _open(where, raw)
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        there = ", ".join(f"“{name}”" for name in names)
        raise BadInput(f"{where} has no sheet “{sheet}”; there are {there}")
    sheets = [_rows(book, name) for name in names if sheet is None or name == sheet]
    if not sheets:
        raise BadInput(f"{where} has no sheet")
    best = max(sheets, key=lambda rows: _count_addresses(rows, rules)) if len(sheets) > 1 else sheets[0]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(best)
    return io.BytesIO(text.getvalue().encode("utf-8", "replace"))


def _open(where: str, raw: IO[bytes]) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise BadInput(
            f"{where} is a workbook; save it as CSV, or install what reads it: pip install 'surveyor[sheets]'"
        ) from None
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(raw.read()))
    except CalamineError as error:
        raise BadInput(f"{where} is a workbook that cannot be read ({error}); save it as CSV") from None


def _rows(book: CalamineWorkbook, name: str) -> list[list[str]]:
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    return [[_text(cell) for cell in row] for row in rows]


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime | date):
        return cell.isoformat()
    return " ".join(str(cell).split()) if cell is not None else ""


def _count_addresses(rows: Iterable[list[str]], rules: NameRules) -> int:
    return sum(bool(addresses_in(cell, rules)) for row in rows for cell in row)
