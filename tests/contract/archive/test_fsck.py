"""The check of a whole archive."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from surveyor.archive import ArchiveError, BlobStore, Capture, Location, Report, WarcWriter, fsck
from surveyor.clock import SystemClock


def write(folder: Path, count: int) -> list[Location]:
    fetched_at = datetime(2026, 7, 6, tzinfo=UTC)
    with WarcWriter(folder, "test", 10**9, SystemClock()) as writer:
        return [
            writer.append(Capture(f"http://a.example/{number}", fetched_at, 200, (), b"page", "OK"))
            for number in range(count)
        ]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_archive_in_order_is_clean(tmp_path: Path) -> None:
    write(tmp_path / "warc", 3)
    write(tmp_path / "warc", 2)
    BlobStore(tmp_path / "images").put(b"picture", "jpg")
    assert fsck(tmp_path) == Report(files=3, good=6, torn=0, damaged=0, foreign=0, bad=())
    assert fsck(tmp_path / "warc").good == 5
    assert fsck(tmp_path).clean


def test_each_fault_is_counted_where_it_is_and_nothing_is_changed(tmp_path: Path) -> None:
    torn, damaged = write(tmp_path / "warc", 3), write(tmp_path / "warc", 4)
    store = BlobStore(tmp_path / "images")
    store.put(b"good", "jpg")
    blob = store.put(b"picture", "jpg")
    store.path(blob).write_bytes(b"PICTURE")
    (tmp_path / "warc" / "foreign.warc.gz").write_bytes(b"not ours")
    (tmp_path / "warc" / "README").write_bytes(b"not a record")
    with (tmp_path / "warc" / torn[0].file).open("r+b") as file:
        file.truncate(torn[2].end - 5)
    with (tmp_path / "warc" / damaged[0].file).open("r+b") as file:
        file.seek(damaged[1].offset + 60)
        file.write(b"XXXX")
    before = tree(tmp_path)

    report = fsck(tmp_path)

    assert (report.files, report.good, report.torn, report.damaged, report.foreign) == (5, 6, 1, 2, 1)
    assert not report.clean
    faults = {one.file: one for one in report.bad}
    assert faults[f"warc/{torn[0].file}"].torn == 1
    assert faults[f"warc/{torn[0].file}"].faults[0].startswith(f"{torn[2].file}:{torn[2].offset}:")
    assert faults[f"warc/{damaged[0].file}"].faults[0].startswith(str(damaged[1]))
    assert faults[f"images/{blob}"].damaged == 1
    assert faults["warc/foreign.warc.gz"].foreign
    assert tree(tmp_path) == before


def test_a_torn_tail_alone_is_what_a_crash_leaves_and_is_clean(tmp_path: Path) -> None:
    places = write(tmp_path, 2)
    with (tmp_path / places[0].file).open("r+b") as file:
        file.truncate(places[1].end - 1)
    report = fsck(tmp_path)
    assert (report.good, report.torn, report.clean) == (1, 1, True)


def test_a_folder_that_is_not_there_is_an_error_and_not_an_empty_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="mounted"):
        fsck(tmp_path / "elsewhere")
