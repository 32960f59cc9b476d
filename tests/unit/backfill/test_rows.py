"""Tables of others: every spelling people and programs use, and one line for what is none."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.backfill.rows import Headings, open_rows
from surveyor.backfill.sources import Mapped, read_log
from surveyor.errors import BadInput, UsageError

KNOWN = {"domain": ("domain_name", "host"), "status": (), "notes": ("comment",)}


async def _read(path: Path | str, table: str | None = None, said: tuple[str, ...] = ()) -> list[Any]:
    async with open_rows(str(path), table) as rows:
        return [row async for row in rows.under(Headings.of(rows.columns, KNOWN, said))]


@pytest.mark.parametrize(
    ("encoding", "sign", "above"),
    [
        ("utf-8", ",", ""),
        ("utf-8-sig", ";", ""),
        ("utf-16", "\t", ""),
        ("cp1252", ";", "sep=;\r\n"),
    ],
)
async def test_csv_of_every_country_reads_the_same(
    tmp_path: Path, encoding: str, sign: str, above: str
) -> None:
    path = tmp_path / "old.csv"
    lines = [
        ("Domain name", "STATUS", "Comment"),
        ("a.example", "approved", '"zwei\r\n\r\nGröße"'),
        ("b.example",),
    ]
    path.write_bytes((above + "".join(sign.join(line) + "\r\n" for line in lines)).encode(encoding))
    rows = await _read(path)
    assert rows == [
        {"domain": "a.example", "status": "approved", "notes": "zwei\r\n\r\nGröße"},
        {"domain": "b.example"},
    ]


@pytest.mark.parametrize(
    "text",
    ['{"host":"a"}\n\n{"host":"b"}\n', '[\n{"host":"a"},\n{"host":"b"}\n]', '[{"host":"a"},{"host":"b"}]'],
)
async def test_objects_on_lines_and_in_a_list_are_rows(tmp_path: Path, text: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(text)
    assert await _read(path) == [{"domain": "a"}, {"domain": "b"}]


async def test_a_table_of_a_database_is_read_like_a_file(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        old.execute('CREATE TABLE "my hosts" (host TEXT, status TEXT)')
        old.execute("INSERT INTO \"my hosts\" VALUES ('a.example', NULL)")
    old.close()
    assert await _read(path, "my hosts") == [{"domain": "a.example"}]
    with pytest.raises(BadInput, match="has no table other"):
        await _read(path, "other")


async def test_rows_that_cannot_be_read_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text('{"host":"a"}\nnonsense\n[1]\n{"host":"b"}\n')
    async with open_rows(str(path)) as rows:
        assert len([row async for row in rows.each]) == 2
        assert rows.bad == 2


def test_a_map_may_be_written_either_way_round_and_its_slips_are_named() -> None:
    theirs = ["Site", "State", "colour"]
    for said in ("site=domain", "domain=SITE"):
        found = Headings.of(theirs, KNOWN, [said])
        assert (dict(found.ours), found.unknown) == ({"domain": "Site"}, ("State", "colour"))
    for said in ("nothing=domain", "site", "site=colour"):
        with pytest.raises(UsageError, match="maps no column"):
            Headings.of(theirs, KNOWN, [said])


CELLS = st.dictionaries(
    st.sampled_from(["host", "status", "comment"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9),
)


@given(st.lists(CELLS, max_size=6), st.sampled_from([",", ";", "\t"]))
async def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[dict[str, str]], sign: str
) -> None:
    names = ["host", "status", "comment"]
    text = io.StringIO(newline="")
    out = csv.DictWriter(text, names, delimiter=sign)
    out.writeheader()
    out.writerows(drawn)
    folder = tmp_path_factory.mktemp("rows")
    (folder / "a.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    (folder / "a.jsonl").write_text(
        json.dumps(dict.fromkeys(names, "x")) + "\n" + "".join(json.dumps(row) + "\n" for row in drawn)
    )
    ours = {"host": "domain", "status": "status", "comment": "notes"}
    stripped = [{ours[k]: v.strip() for k, v in row.items() if v.strip()} for row in drawn]
    assert [row for row in await _read(folder / "a.csv") if row] == [row for row in stripped if row]
    whole = [{ours[k]: v for k, v in row.items() if v} for row in drawn]
    assert (await _read(folder / "a.jsonl"))[1:] == whole


async def test_a_log_from_a_table_with_gaps_has_its_statuses_and_names_what_cannot_be_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.csv"
    long = "x" * 200_000  # longer than Python's reader of CSV takes
    path.write_text(f"domain,status,images_found\na.example,200.0,3.0\nb.example,404.0,\n{long},200,\n")
    found = [(one.host, one.errors, one.images) async for one in read_log(str(path), Mapped())]
    assert found == [("a.example", {}, 3), ("b.example", {404: 1}, 0), ("", {0: 1}, 0)]


@pytest.mark.parametrize(("kind", "magic"), [("zstd", b"\x28\xb5\x2f\xfd"), ("zip", b"PK\x03\x04")])
async def test_a_packed_log_is_refused_by_the_name_of_its_packer(
    tmp_path: Path, kind: str, magic: bytes
) -> None:
    path = tmp_path / "old.warc.zst"
    path.write_bytes(magic + b"x" * 100)
    with pytest.raises(BadInput, match=f"is packed with {kind}; unpack it first"):
        [one async for one in read_log(str(path), Mapped())]
