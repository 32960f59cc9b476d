"""Reading by location: what is not what was stored is never served."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from surveyor.archive import ArchiveError, Capture, ContentDamaged, Location, WarcReader, WarcWriter
from surveyor.clock import SystemClock

ONE = Capture("http://a.example/1", datetime(2026, 7, 6, tzinfo=UTC), 200, (), b"one " * 100, "OK")
TWO = Capture("http://a.example/2", datetime(2026, 7, 6, tzinfo=UTC), 200, (), b"two " * 100, "OK")


@pytest.fixture
def places(tmp_path: Path) -> tuple[Location, Location]:
    with WarcWriter(tmp_path, "test", 10**9, SystemClock()) as writer:
        return writer.append(ONE), writer.append(TWO)


def test_a_body_may_be_asked_for_by_its_hash(tmp_path: Path, places: tuple[Location, Location]) -> None:
    reader = WarcReader(tmp_path)
    assert reader.read(places[0], sha256(ONE.body).digest()) == ONE
    with pytest.raises(ContentDamaged, match="another content"):
        reader.read(places[0], sha256(TWO.body).digest())


def test_a_flipped_bit_is_damage_and_the_neighbour_is_not_hurt(
    tmp_path: Path, places: tuple[Location, Location]
) -> None:
    path = tmp_path / places[0].file
    data = bytearray(path.read_bytes())
    data[places[0].offset + places[0].length // 2] ^= 0x10
    path.write_bytes(data)
    reader = WarcReader(tmp_path)
    with pytest.raises(ContentDamaged) as caught:
        reader.read(places[0])
    assert caught.value.location == str(places[0])
    assert reader.read(places[1]) == TWO


def test_a_truncated_file_is_damage(tmp_path: Path, places: tuple[Location, Location]) -> None:
    with (tmp_path / places[1].file).open("r+b") as file:
        file.truncate(places[1].end - 1)
    with pytest.raises(ContentDamaged, match="cut off"):
        WarcReader(tmp_path).read(places[1])


def test_a_missing_file_is_damage(tmp_path: Path, places: tuple[Location, Location]) -> None:
    (tmp_path / places[0].file).unlink()
    with pytest.raises(ContentDamaged, match="missing"):
        WarcReader(tmp_path).read(places[0])


def test_storage_that_is_not_mounted_is_not_damage(tmp_path: Path, places: tuple[Location, Location]) -> None:
    reader = WarcReader(tmp_path / "elsewhere")
    with pytest.raises(ArchiveError, match="mounted") as caught:
        reader.read(places[0])
    assert not isinstance(caught.value, ContentDamaged)
    with pytest.raises(ArchiveError, match="mounted"):
        reader.files()


def test_a_file_that_may_not_be_read_is_not_damage(tmp_path: Path, places: tuple[Location, Location]) -> None:
    path = tmp_path / places[0].file
    path.unlink()
    path.mkdir()  # reading a folder is refused to root as well
    with pytest.raises(ArchiveError) as caught:
        WarcReader(tmp_path).read(places[0])
    assert not isinstance(caught.value, ContentDamaged)


@pytest.mark.parametrize(
    ("move", "grow"), [(1, 0), (-1, 0), (0, 1), (0, -1), (0, -10_000), (10**9, 0), (0, 10**17)]
)
def test_a_location_that_is_slightly_off_is_refused(
    tmp_path: Path, places: tuple[Location, Location], move: int, grow: int
) -> None:
    place = places[0]
    wrong = Location(place.file, place.offset + move, max(0, place.length + grow))
    with pytest.raises(ContentDamaged):
        WarcReader(tmp_path).read(wrong)


def test_the_warcinfo_is_no_response(tmp_path: Path, places: tuple[Location, Location]) -> None:
    with pytest.raises(ContentDamaged, match="no response"):
        WarcReader(tmp_path).read(Location(places[0].file, 0, places[0].offset))


@pytest.mark.parametrize("file", ["../secret.warc.gz", "/etc/passwd", "foreign.warc.gz", "a\0b"])
def test_a_location_never_leads_out_of_the_folder(tmp_path: Path, file: str) -> None:
    with pytest.raises(ContentDamaged, match="no name of a file"):
        WarcReader(tmp_path).read(Location(file, 0, 10))
    with pytest.raises(ArchiveError, match="not written by Surveyor"):
        list(WarcReader(tmp_path).scan(file))


def test_a_file_is_read_while_it_is_written(tmp_path: Path) -> None:
    reader = WarcReader(tmp_path)
    with WarcWriter(tmp_path, "test", 10**9, SystemClock()) as writer:
        for _ in range(3):
            place = writer.append(ONE)
            writer.sync([place])
            assert reader.read(place) == ONE
