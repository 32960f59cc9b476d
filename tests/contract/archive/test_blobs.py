"""Files by content on a real file system."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from surveyor.archive import ArchiveError, BlobStore, ContentDamaged
from surveyor.archive.keeper import FOLDER, ImageKeeper
from surveyor.errors import BadInput


def test_content_is_stored_once_under_its_hash(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    hashed = sha256(b"picture").hexdigest()
    name = store.put(b"picture", "jpg")
    assert name == f"{hashed[:2]}/{hashed[2:4]}/{hashed}.jpg"
    written = store.path(name).stat()
    assert store.put(b"picture", "jpg") == name
    again = store.path(name).stat()
    assert (again.st_ino, again.st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert store.read(name) == b"picture"
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b"pictur", b"pictuRe", b"picture and more"])
def test_damage_is_noticed_and_healed_by_the_next_put(tmp_path: Path, damage: bytes) -> None:
    store = BlobStore(tmp_path)
    name = store.put(b"picture", "jpg")
    store.path(name).write_bytes(damage)
    with pytest.raises(ContentDamaged) as caught:
        store.read(name)
    assert caught.value.location == name
    assert store.put(b"picture", "jpg") == name
    assert store.read(name) == b"picture"


def test_a_missing_file_is_damage_and_missing_storage_is_not(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "images")
    name = store.put(b"picture", "jpg")
    store.path(name).unlink()
    with pytest.raises(ContentDamaged, match="missing"):
        store.read(name)
    with pytest.raises(ArchiveError, match="mounted") as caught:
        BlobStore(tmp_path / "elsewhere").read(name)
    assert not isinstance(caught.value, ContentDamaged)


@pytest.mark.parametrize("extension", ["", "JPG", "j/pg", "../x", "toolongext", "a\0"])
def test_an_extension_that_could_be_anything_else_is_refused(tmp_path: Path, extension: str) -> None:
    with pytest.raises(BadInput):
        BlobStore(tmp_path).put(b"picture", extension)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "../../etc/passwd", f"ab/cd/{'0' * 64}.jpg", f"00/00/{'0' * 64}"])
def test_a_name_that_was_never_given_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        BlobStore(tmp_path).read(name)


def test_a_disk_error_leaves_neither_name_nor_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    store = BlobStore(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(ArchiveError, match="cannot be written"):
            store.put(b"picture", "jpg")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert store.read(store.put(b"picture", "jpg")) == b"picture"


CHILD = """
import sys
from pathlib import Path
from surveyor.archive import BlobStore
store = BlobStore(Path(sys.argv[1]))
for number in range(80):
    store.put(b"%d" % number * 1000, "png")
"""


def test_processes_and_threads_may_put_the_same_content(tmp_path: Path) -> None:
    children = [subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)]) for _ in range(2)]
    store = BlobStore(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(lambda number: store.put(b"%d" % (number % 50) * 1000, "png"), range(80)))
    assert [child.wait() for child in children] == [0, 0]
    assert len(set(names)) == 50
    stored = list(tmp_path.rglob("*.png"))
    assert len(stored) == 80
    assert all(store.read(path.relative_to(tmp_path).as_posix()) for path in stored)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_only_drafts_of_the_dead_are_swept(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    name = store.put(b"picture", "jpg")
    old, fresh = tmp_path / "tmp" / "old", tmp_path / "tmp" / "fresh"
    old.write_bytes(b"half")
    fresh.write_bytes(b"half")
    past = time.time() - 2 * 86_400
    os.utime(old, (past, past))
    os.utime(store.path(name), (past, past))
    assert store.sweep() == 1
    assert (old.exists(), fresh.exists(), store.read(name)) == (False, True, b"picture")


def test_whoever_begins_to_keep_images_sweeps_first(tmp_path: Path) -> None:
    left = tmp_path / FOLDER / "tmp" / "old"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    ImageKeeper(tmp_path)
    assert not left.exists()


def test_many_are_stored_together_each_under_its_own_name(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    known = store.put(b"picture 3", "jpg")
    files = [(f"picture {number % 6}".encode(), "jpg") for number in range(8)]
    names = store.put_all(files)
    assert names[3] == known and len(set(names)) == 6
    assert [store.read(name) for name in names] == [data for data, _ in files]
    assert not any((tmp_path / "tmp").iterdir())
