"""Ways to write rows: siblings of one shape, each given a stream and the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from surveyor.export.columns import Column
from surveyor.export.values import Format, Row, Stream
from surveyor.export.writers import parquet
from surveyor.export.writers.csv import CsvWriter
from surveyor.export.writers.jsonl import JsonlWriter

__all__ = ["Writer", "made", "require"]


class Writer(Protocol):
    """Writes pages of rows; nothing is promised of the stream before `close`, which leaves it open."""

    def write(self, rows: Sequence[Row]) -> None: ...

    def close(self) -> None: ...


def require(kind: Format) -> None:
    """Say early what is missing to write this."""
    if kind is Format.PARQUET:
        parquet.require()


def made(kind: Format, stream: Stream, columns: Sequence[Column], *, bom: bool = False) -> Writer:
    """A writer of this format; `bom` is for CSV."""
    if kind is Format.PARQUET:
        return parquet.ParquetWriter(stream, columns)
    if kind is Format.JSONL:
        return JsonlWriter(stream)
    return CsvWriter(stream, columns, bom=bom)
