"""Parquet, by pyarrow where the extra `parquet` is installed: typed columns, in row groups of a bounded size.

What has no type of its own, such as the scores of a candidate, is text as in CSV, without apostrophes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Final

from surveyor.errors import Refused
from surveyor.export.cells import plain, valid
from surveyor.export.columns import Column, ColumnKind
from surveyor.export.values import Row, Stream
from surveyor.export.writers.base import BuiltInFormat

# A row group ends with so many rows or bytes: readers skip whole groups, and we hold one at most.
GROUP_ROWS: Final = 50_000
GROUP_BYTES: Final = 64 * 1024 * 1024


def require() -> None:
    if find_spec("pyarrow") is None:
        raise Refused("Parquet needs pyarrow, which is not installed: pip install 'surveyor[parquet]'")


class ParquetWriter:
    """Rows become columns in memory page by page, which is a tenth of what they take as objects."""

    def __init__(self, stream: Stream, columns: Sequence[Column]) -> None:
        require()
        import pyarrow
        from pyarrow import parquet

        self._arrow, self._columns = pyarrow, columns
        self._schema = pyarrow.schema([(column.name, _type(pyarrow, column.kind)) for column in columns])
        self._file = parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._pages: list[Any] = []

    def write(self, rows: Sequence[Row]) -> None:
        self._pages.append(self._arrow.RecordBatch.from_arrays(self._arrays(rows), schema=self._schema))
        if (
            sum(page.num_rows for page in self._pages) >= GROUP_ROWS
            or sum(page.nbytes for page in self._pages) >= GROUP_BYTES
        ):
            self._end_group()

    def _arrays(self, rows: Sequence[Row]) -> list[Any]:
        return [
            self._arrow.array(
                [_VALUES[column.kind](row.get(column.name)) for row in rows],
                type=self._schema.field(column.name).type,
            )
            for column in self._columns
        ]

    def _end_group(self) -> None:
        if self._pages:
            table = self._arrow.Table.from_batches(self._pages, schema=self._schema)
            self._file.write_table(table, row_group_size=max(table.num_rows, 1))
            self._pages = []

    def close(self) -> None:
        try:
            self._end_group()
        finally:
            self._file.close()


def _type(arrow: Any, kind: ColumnKind) -> Any:
    types = {
        ColumnKind.TEXT: arrow.string(),
        ColumnKind.INTEGER: arrow.int64(),
        ColumnKind.NUMBER: arrow.float64(),
        ColumnKind.CONFIDENCE: arrow.decimal128(3, 2),
        ColumnKind.BOOLEAN: arrow.bool_(),
        ColumnKind.TIME: arrow.timestamp("us", tz="UTC"),
    }
    return types[kind]


def _text(value: Any) -> str | None:
    return None if value is None else valid(plain(value))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _as_it_is(value: Any) -> Any:
    return value


_VALUES: Final[dict[ColumnKind, Callable[[Any], Any]]] = {
    ColumnKind.TEXT: _text,
    ColumnKind.INTEGER: _as_it_is,
    ColumnKind.NUMBER: _number,
    ColumnKind.CONFIDENCE: _as_it_is,
    ColumnKind.BOOLEAN: _as_it_is,
    ColumnKind.TIME: _as_it_is,
}


FORMAT = BuiltInFormat((".parquet",), ParquetWriter, require)
