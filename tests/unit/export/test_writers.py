"""What is written can be read back: by Python's own readers, whatever the text is."""

from __future__ import annotations

import codecs
import csv
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as reading

from surveyor.errors import Refused
from surveyor.export import writers
from surveyor.export.cells import bare
from surveyor.export.columns import Column, ColumnKind, columns_of
from surveyor.export.values import Format, What
from surveyor.export.writers import parquet

TWO = (Column("first"), Column("second"))
# Any text at all, halves of characters included, and one full of what has a meaning in some format.
TEXT = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec=None)),
    st.text(
        alphabet=st.sampled_from("=-+@',;\"\t\r\n\x00\x1b\x7f\x85\u200f\u2028\u202e\u2066\ufeff\ud800é"),
        max_size=20,
    ),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def written(kind: Format, rows: list[dict[str, Any]], columns: Any = TWO, *, bom: bool = False) -> bytes:
    stream = io.BytesIO()
    writer = writers.made(kind, stream, columns, bom=bom)
    writer.write(rows)
    writer.close()
    return stream.getvalue()


def sheet(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def as_utf8(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)


@given(st.lists(st.tuples(TEXT, TEXT), max_size=4))
def test_csv_gives_the_texts_back(pairs: list[tuple[str, str]]) -> None:
    data = written(Format.CSV, [{"first": one, "second": two} for one, two in pairs])
    header, *rows = sheet(data)
    assert header == ["first", "second"]
    assert [[bare(text) for text in row] for row in rows] == [
        [joined(one), joined(two)] for one, two in pairs
    ]


def joined(text: str) -> str:
    """Halves that stand side by side are a character; alone they are none."""
    return as_utf8(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"))


def test_csv_is_as_the_rfc_has_it() -> None:
    data = written(Format.CSV, [{"first": 'a "b", c', "second": "two\nlines"}, {"first": None, "second": 7}])
    assert data == b'first,second\r\n"a ""b"", c","two\nlines"\r\n,7\r\n'


def test_a_mark_for_excel_is_there_only_when_it_is_wanted() -> None:
    assert written(Format.CSV, [], bom=True) == codecs.BOM_UTF8 + b"first,second\r\n"
    assert written(Format.CSV, []) == b"first,second\r\n"


@given(st.lists(st.dictionaries(TEXT, JSON, max_size=4), max_size=3))
def test_json_lines_are_exact(rows: list[dict[str, Any]]) -> None:
    data = written(Format.JSONL, rows)
    assert [json.loads(line) for line in data.splitlines()] == rows
    assert len(data.decode().splitlines()) == len(rows), "no text may end a line"


def test_json_lines_show_no_text_that_deceives() -> None:
    text = "a\u202eb\u2066c\ufeffd\x85e\u2028f\x7fg\x1bh\u061c"
    data = written(Format.JSONL, [{"a": text}])
    assert data == (b'{"a":"a\\u202eb\\u2066c\\ufeffd\\u0085e\\u2028f\\u007fg\\u001bh\\u061c"}\n')


def test_json_lines_say_values_as_other_commands_do() -> None:
    moment = datetime(2026, 11, 1, 12, 30, 5, 250_000, UTC)
    row = {"at": moment, "of": Decimal("0.70"), "id": UUID("01a1e2a2-082e-735c-9baa-889e1fc644e5")}
    plain = b'{"at":"2026-11-01T12:30:05.250000Z","of":0.7,"id":"01a1e2a2-082e-735c-9baa-889e1fc644e5"'
    assert written(Format.JSONL, [row]) == plain + b"}\n"
    # Also where half a character makes another writer do it.
    assert written(Format.JSONL, [row | {"x": "\ud800"}]) == plain + b',"x":"\\ud800"}\n'


def test_parquet_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda _: None)
    with pytest.raises(Refused, match=r"pip install 'surveyor\[parquet\]'"):
        writers.require(Format.PARQUET)
    writers.require(Format.CSV)


def test_parquet_has_types_and_groups_of_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", 10)
    columns = [Column(kind.value, kind) for kind in ColumnKind]
    moment = datetime(2026, 11, 1, 12, 30, 5, 250_000, UTC)
    row = {"text": "=1", "integer": 2**62, "number": 5, "confidence": Decimal("0.70")}
    row |= {"boolean": True, "time": moment}
    stream = io.BytesIO()
    writer = writers.made(Format.PARQUET, stream, columns)
    for _ in range(4):
        writer.write([row, {}, {"text": ["a", "b"], "number": "no number"}, {"text": "\ud800"}])
    writer.close()
    file = reading.ParquetFile(io.BytesIO(stream.getvalue()))
    assert [file.metadata.row_group(place).num_rows for place in range(file.num_row_groups)] == [12, 4]
    nothing = dict.fromkeys(row)
    expected = [row | {"number": 5.0}, nothing, nothing | {"text": "a; b"}, nothing | {"text": "\ufffd"}]
    assert file.read().to_pylist() == expected * 4


@pytest.mark.parametrize("what", list(What))
def test_an_empty_parquet_file_has_its_columns(what: What) -> None:
    stream = io.BytesIO()
    writers.made(Format.PARQUET, stream, columns_of(what)).close()
    table = reading.read_table(io.BytesIO(stream.getvalue()))
    assert table.column_names == [column.name for column in columns_of(what)] and table.num_rows == 0


@pytest.mark.parametrize("what", list(What))
def test_no_column_is_there_twice(what: What) -> None:
    names = [column.name for column in columns_of(what)]
    assert len(names) == len(set(names))


def test_the_columns_of_records_are_those_of_all_kinds_in_a_fixed_order() -> None:
    assert " ".join(column.name for column in columns_of(What.RECORDS)) == (
        "id domain kind name funder amount_min amount_max currency deadline eligibility region language"
        " address phone hours categories organisation location website email source_url published"
        " first_seen_at last_seen_at gone_at updated_at"
    )
