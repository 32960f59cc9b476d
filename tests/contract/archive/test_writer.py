"""The files of a worker on a real file system: what was synced is there, whatever happens then."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio

from surveyor.archive import ArchiveError, Capture, ContentDamaged, Location, WarcReader, WarcWriter, files
from surveyor.clock import SystemClock
from tests.support.full_disk import files_limited_to

NOON = datetime(2026, 7, 6, 12, 0, tzinfo=UTC)


def page(number: int, body: bytes | None = None) -> Capture:
    return Capture(
        f"http://a.example/{number}",
        NOON,
        200,
        (("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("X-Bad", "a\r\n\r\nWARC/1.1\0")),
        body if body is not None else b"<p>page %d</p>" % number,
        "OK",
    )


def noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def writer_in(folder: Path, max_bytes: int = 10**9) -> WarcWriter:
    return WarcWriter(folder, "host/1", max_bytes, SystemClock())


def bodies(folder: Path) -> list[bytes]:
    reader = WarcReader(folder)
    return [found.capture.body for file in reader.files() for found in reader.records(file)]


@contextmanager
def failing_sync(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A disk whose sync fails; yields the handles it was asked for."""
    asked: list[int] = []

    def fail(handle: int) -> None:
        asked.append(handle)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(files, "sync_data", fail)
        yield asked


def test_another_tool_finds_nothing_to_complain_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with writer_in(tmp_path, max_bytes=2_000) as writer:
        for number in range(20):
            writer.append(page(number, noise(number * 50)))
    paths = [str(path) for path in tmp_path.iterdir()]
    assert len(paths) > 2
    with pytest.raises(SystemExit) as ended:
        warcio(["check", "-v", *paths])
    assert ended.value.code in (0, None)
    assert capsys.readouterr().out.count("digest pass") == 20 + len(paths)  # each file has a warcinfo


def test_of_a_conversion_both_records_are_kept_and_its_location_leads_to_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched = page(1, b"<div id=app></div>")
    with writer_in(tmp_path) as writer:
        place = writer.append(replace(fetched, body=b"<h1>shown</h1>", original=fetched))
        writer.sync([place])
    reader = WarcReader(tmp_path)
    assert reader.read(place).body == b"<h1>shown</h1>"
    assert [one.capture.body for one in reader.records(place.file)] == [fetched.body, b"<h1>shown</h1>"]
    with pytest.raises(SystemExit) as ended:
        warcio(["check", "-v", *map(str, tmp_path.iterdir())])
    assert ended.value.code in (0, None) and capsys.readouterr().out.count("digest pass") == 3


def test_a_screenshot_lies_behind_its_page_and_is_read_by_the_location_of_the_page(tmp_path: Path) -> None:
    fetched = page(1, b"<div id=app></div>")
    shown = replace(fetched, body=b"<h1>shown</h1>", original=fetched)
    with writer_in(tmp_path) as writer:
        places = [
            writer.append(replace(shown, screenshot=b"\x89PNG one")),
            writer.append(shown),
            writer.append(fetched),
            writer.append(replace(shown, screenshot=b"\x89PNG two")),
        ]
    reader = WarcReader(tmp_path)
    assert [reader.screenshot(place) for place in places] == [b"\x89PNG one", None, None, b"\x89PNG two"]
    assert [reader.read(place).body for place in places[:2]] == [shown.body, shown.body]
    with (tmp_path / places[0].file).open("rb") as source:
        kept = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_type)
            for record in ArchiveIterator(source, check_digests="raise")
            if record.rec_type == "resource"
        ]
    assert kept == [("resource", f"urn:view:{fetched.url}", "image/png")] * 2


def test_a_screenshot_that_was_cut_off_is_none(tmp_path: Path) -> None:
    fetched = page(1, b"<div id=app></div>")
    with writer_in(tmp_path) as writer:
        place = writer.append(replace(fetched, original=fetched, screenshot=noise(5_000)))
    file = tmp_path / place.file
    file.write_bytes(file.read_bytes()[:-10])
    assert WarcReader(tmp_path).screenshot(place) is None


def test_a_location_leads_back_to_its_capture(tmp_path: Path) -> None:
    with writer_in(tmp_path) as writer:
        places = [writer.append(page(number, noise(number * 1_000))) for number in range(5)]
    reader = WarcReader(tmp_path)
    for number, place in enumerate(places):
        found = reader.read(Location.parse(str(place)))
        assert (found.url, found.body) == (f"http://a.example/{number}", noise(number * 1_000))
        assert found.headers[1] == ("Content-Encoding", "gzip")


def test_nothing_touches_the_disk_before_the_sync(tmp_path: Path) -> None:
    writer = writer_in(tmp_path / "new" / "folder")
    place = writer.append(page(1))
    assert not (tmp_path / "new").exists()
    writer.sync([place])
    assert bodies(tmp_path / "new" / "folder") == [page(1).body]


def test_a_group_larger_than_the_buffer_is_written_on_the_way(tmp_path: Path) -> None:
    with writer_in(tmp_path) as writer:
        for number in range(5):
            writer.append(page(number, noise(700_000, number)))
        (file,) = tmp_path.iterdir()
        assert file.stat().st_size > 2_000_000
    assert bodies(tmp_path) == [noise(700_000, number) for number in range(5)]


def test_two_workers_of_one_name_never_share_a_file(tmp_path: Path) -> None:
    with writer_in(tmp_path) as one, writer_in(tmp_path) as other:
        places = [writer.append(page(number)) for number in range(10) for writer in (one, other)]
    assert len({place.file for place in places}) == 2
    assert sorted(bodies(tmp_path)) == sorted(page(number).body for number in range(10) for _ in range(2))


def test_a_file_ends_at_its_size_and_a_closed_writer_begins_a_new_one(tmp_path: Path) -> None:
    writer = writer_in(tmp_path, max_bytes=5_000)
    places = [writer.append(page(number, noise(2_000, number))) for number in range(12)]
    writer.close()
    places.append(writer.append(page(12)))
    writer.close()
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert len(sizes) == 12 // 2 + 1
    assert max(sizes.values()) < 5_000 + 3_000
    reader = WarcReader(tmp_path)
    assert [reader.read(place).url for place in places] == [page(number).url for number in range(13)]


def test_a_file_that_is_there_is_never_opened_for_writing(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"kept")
    file = files.AppendFile(path)
    file.place(b"more")
    with pytest.raises(FileExistsError):
        file.spill()
    file.abandon()
    assert path.read_bytes() == b"kept"


@pytest.mark.parametrize("name", ["../../etc/x", "host:8080/7", "", "...", "Ω" * 300, "a" * 300])
def test_any_worker_name_makes_a_file_in_the_folder(tmp_path: Path, name: str) -> None:
    with WarcWriter(tmp_path / "warc", name, 10**9, SystemClock()) as writer:
        place = writer.append(page(1))
    assert [path.name for path in (tmp_path / "warc").iterdir()] == [place.file]
    assert WarcReader(tmp_path / "warc").read(Location.parse(str(place))).body == page(1).body


async def test_appends_and_syncs_from_many_threads_keep_every_record(tmp_path: Path) -> None:
    writer = writer_in(tmp_path, max_bytes=20_000)

    async def one(number: int) -> tuple[int, Location]:
        place = await asyncio.to_thread(writer.append, page(number, noise(500, number)))
        if number % 7 == 0:
            await asyncio.to_thread(writer.sync, [place])
        return number, place

    places = await asyncio.gather(*(one(number) for number in range(150)))
    await asyncio.to_thread(writer.close)
    reader = WarcReader(tmp_path)
    assert all(reader.read(place).body == noise(500, number) for number, place in places)
    assert len(bodies(tmp_path)) == 150


def test_an_append_does_not_wait_for_a_running_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_in(tmp_path)
    writer.append(page(1))
    appended: list[Location] = []

    def slow_disk(handle: int) -> None:
        # Runs within sync; an append that waited for it could never return.
        with ThreadPoolExecutor(1) as pool:
            appended.append(pool.submit(writer.append, page(2)).result(timeout=10))
        os.fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(files, "sync_data", slow_disk)
        writer.sync()
    # It came too late for that sync, which must not have promised it.
    with failing_sync(monkeypatch), pytest.raises(ArchiveError):
        writer.sync()
    with pytest.raises(ArchiveError, match="lost"):
        writer.sync(appended)
    assert bodies(tmp_path) == [page(1).body]


def test_a_failed_sync_is_final_for_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_in(tmp_path)
    kept = writer.append(page(1))
    writer.sync([kept])
    lost = writer.append(page(2))
    with failing_sync(monkeypatch) as asked:
        with pytest.raises(ArchiveError, match="check the disk") as caught:
            writer.sync([lost])
        assert isinstance(caught.value.__cause__, OSError)
        writer.sync()  # nothing is left to sync: the same handle is not asked again
        assert len(asked) == 1
    later = writer.append(page(3))
    assert later.file != kept.file
    writer.close()
    assert sorted(bodies(tmp_path)) == [page(1).body, page(3).body]
    with pytest.raises(ContentDamaged):
        WarcReader(tmp_path).read(lost)


def test_a_location_lost_by_the_failure_of_another_group_cannot_be_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = writer_in(tmp_path)
    kept = writer.append(page(1))
    writer.sync([kept])
    first_group, next_group = writer.append(page(2)), writer.append(page(3))
    with failing_sync(monkeypatch), pytest.raises(ArchiveError):
        writer.sync([first_group])
    fresh = writer.append(page(4))
    writer.sync([kept, fresh])
    with pytest.raises(ArchiveError, match="lost"):
        writer.sync([fresh, next_group])


def test_a_first_sync_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_in(tmp_path)
    for _ in range(3):
        writer.append(page(1))
        with failing_sync(monkeypatch), pytest.raises(ArchiveError):
            writer.sync()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [20_000, 3_000_000])
def test_a_full_disk_loses_only_what_was_not_synced(tmp_path: Path, size: int) -> None:
    """The larger size is written by `append` already; the error still comes from `sync`."""
    writer = writer_in(tmp_path)
    kept = writer.append(page(1))
    writer.sync([kept])
    before = (tmp_path / kept.file).stat().st_size
    with files_limited_to(before + 5_000):
        lost = [writer.append(page(2 + part, noise(size // 10, part))) for part in range(10)]
        with pytest.raises(ArchiveError, match="no space left") as caught:
            writer.sync(lost)
    assert "\n" not in str(caught.value)
    assert (tmp_path / kept.file).stat().st_size == before
    later = writer.append(page(3))
    writer.sync([later])
    assert sorted(bodies(tmp_path)) == [page(1).body, page(3).body]
    writer.close()


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    writer = writer_in(tmp_path / "file" / "warc")
    writer.append(page(1))
    with pytest.raises(ArchiveError, match="cannot be written") as caught:
        writer.sync()
    assert "\n" not in str(caught.value)


CHILD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from surveyor.archive import Capture, WarcWriter
from surveyor.clock import SystemClock

writer = WarcWriter(Path(sys.argv[1]), "child", 60_000, SystemClock())
number = 0
while True:
    group = []
    for number in range(number, number + 20):
        body = (b"%d " % number) * 500
        group.append(writer.append(Capture("http://a.example/%d" % number, datetime.now(UTC), 200, (), body)))
    writer.sync(group)
    print(*group, flush=True)
"""


def test_everything_synced_survives_a_kill(tmp_path: Path) -> None:
    promised: list[str] = []
    for groups in (1, 40):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for _ in range(groups):
            promised += child.stdout.readline().split()
        child.kill()
        # What was in the pipe was printed before the kill; a line that is whole was promised.
        promised += [place for line in child.stdout if line.endswith("\n") for place in line.split()]
        child.stdout.close()
        child.wait()
    reader = WarcReader(tmp_path)
    for text in promised:
        found = reader.read(Location.parse(text))
        number = found.url.rpartition("/")[2].encode()
        assert found.body == (number + b" ") * 500
    assert len(bodies(tmp_path)) >= len(promised) >= 41 * 20
