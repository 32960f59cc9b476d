"""A file is there whole or not at all, and nothing that stood there is lost by mistake."""

from __future__ import annotations

import asyncio
import gzip
import os
from pathlib import Path

import pytest

from surveyor.errors import Refused, UsageError
from surveyor.export.target import format_of, growing
from surveyor.export.values import Format
from tests.support.full_disk import files_limited_to


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("a.csv", None, Format.CSV),
        ("A.CSV.GZ", None, Format.CSV),
        ("a.jsonl", None, Format.JSONL),
        ("a.ndjson.gz", None, Format.JSONL),
        ("a.parquet", None, Format.PARQUET),
        ("a.txt", Format.CSV, Format.CSV),
        ("a", Format.JSONL, Format.JSONL),
        ("a.csv", Format.JSONL, Format.JSONL),
    ],
)
def test_the_name_says_the_format_unless_somebody_does(name: str, given: Format, found: Format) -> None:
    assert format_of(Path(name), given) == found


@pytest.mark.parametrize("name", ["a", "a.txt", "a.gz", "csv", ".csv", "a.parquet.gz"])
def test_a_name_that_says_no_format_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"--format|Parquet is packed already"):
        format_of(Path(name), None)


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    with growing(file, force=False) as stream:
        stream.write(b"whole")
        assert not file.exists()
    assert file.read_bytes() == b"whole" and list(tmp_path.iterdir()) == [file]


def test_an_ending_packs_it_and_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        with growing(tmp_path / name, force=False) as stream:
            stream.write(b"whole")
    packed = (tmp_path / "a.csv.gz").read_bytes()
    assert gzip.decompress(packed) == b"whole" and (tmp_path / "b.csv.gz").read_bytes() == packed
    assert packed[4:8] == bytes(4), "it has no time in it"


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError, ValueError])
def test_whatever_stops_it_leaves_what_was_there(
    tmp_path: Path, name: str, error: type[BaseException]
) -> None:
    file = tmp_path / name
    for before in (None, b"before"):
        if before:
            file.write_bytes(before)
        with pytest.raises(error), growing(file, force=True) as stream:
            stream.write(b"half")
            raise error
        assert [path.read_bytes() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    with (
        files_limited_to(100_000),
        pytest.raises(Refused, match=r"a\.csv cannot be written: .+; is there room on the disk\?"),
        growing(tmp_path / "a.csv", force=False) as stream,
    ):
        for _ in range(10):
            stream.write(b"x" * 50_000)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_replaced_only_by_force(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"before")
    with pytest.raises(Refused, match=r"is there already; name another file, or add --force"):
        growing(file, force=False).__enter__()
    with growing(file, force=True) as stream:
        stream.write(b"after")
    assert file.read_bytes() == b"after" and list(tmp_path.iterdir()) == [file]


def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    with pytest.raises(Refused, match="is there already"), growing(file, force=False) as stream:
        stream.write(b"ours")
        file.write_bytes(b"theirs")
    assert file.read_bytes() == b"theirs" and list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_bytes(b"before")
    link.symlink_to(real)
    with growing(link, force=True) as stream:
        stream.write(b"after")
    assert link.is_symlink() and real.read_bytes() == b"after"


def test_only_a_plain_file_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "folder.csv"):
        with pytest.raises(Refused, match="is no plain file"):
            growing(tmp_path / name, force=True).__enter__()
