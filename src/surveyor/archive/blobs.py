"""Files kept by their content: each stored once, under its SHA-256, whole or not at all.

A file gets its name only when its bytes are on disk, so a name is a promise. Any
number of processes may put the same content at the same time.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from surveyor import private
from surveyor.archive.errors import ArchiveError, ContentDamaged
from surveyor.archive.files import can_sync_file_systems, sync_file_system, sync_folder, write_all
from surveyor.errors import BadInput

# Half-written files of dead processes stay here, on the same file system as their goal.
_WORKSHOP = "tmp"
# Seconds. No living process takes that long to write one file.
_ABANDONED = 86_400.0
# From so many files on they are written out with all that the file system holds.
_MANY = 4
_NAME = re.compile(r"([0-9a-f]{2})/([0-9a-f]{2})/(\1\2[0-9a-f]{60})\.[a-z0-9]{1,8}")
_LEAF = len("ab/cd")
_EXTENSION = re.compile(r"[a-z0-9]{1,8}")


class BlobStore:
    """Names are paths within `folder`: `ab/cd/<sha256>.<ext>`, and are what a row keeps."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._safe: set[str] = set()  # folders `ab/cd` whose own names this process has synced

    def put(self, data: bytes, extension: str) -> str:
        """Store `data` unless it is there, and return its name once it is safe.

        What is there is compared: a damaged file is replaced.
        """
        return self.put_all([(data, extension)])[0]

    def put_all(self, files: Sequence[tuple[bytes, str]]) -> list[str]:
        """Store content with its extension; returns the names once all of them are safe.

        Many are made safe together by two calls that write out the file system, which cost as much as for
        a few files each their own.
        """
        for _, extension in files:
            if not _EXTENSION.fullmatch(extension):
                raise BadInput(f"{extension[:20]!r} is no file name extension; it should be like jpg")
        names = [_name(sha256(data).hexdigest(), extension) for data, extension in files]
        together = len(files) >= _MANY and can_sync_file_systems()
        workshop = f"{self._folder}/{_WORKSHOP}/{uuid.uuid4().hex}"
        drafts: list[tuple[str, str]] = []
        try:
            for number, ((data, _), name) in enumerate(zip(files, names, strict=True)):
                path = f"{self._folder}/{name}"
                if not _holds(path, data):
                    drafts.append((_draft(f"{workshop}-{number}", data, sync=not together), path))
            if together and drafts:
                sync_file_system(self._folder)
            for draft, path in drafts:
                _in_its_folder(path, partial(os.replace, draft, path))
            self._sync_names({name[:_LEAF] for name in names}, together=together)
        except OSError as error:
            for draft, _ in drafts:
                with contextlib.suppress(OSError):
                    Path(draft).unlink()
            message, where = error.strerror or str(error), error.filename or self._folder
            raise ArchiveError(f"{where} cannot be written: {message}; check space and rights") from error
        return names

    def read(self, name: str) -> bytes:
        """The bytes stored under `name`, verified."""
        hashed = _hash_in(name)
        try:
            data = (self._folder / name).read_bytes()
        except FileNotFoundError:
            if not self._folder.is_dir():
                raise ArchiveError(f"{self._folder} is not there; is the storage mounted?") from None
            raise ContentDamaged(name, "the file is missing") from None
        except OSError as error:
            raise ArchiveError(f"{self._folder / name} cannot be read: {error.strerror or error}") from error
        if sha256(data).hexdigest() != hashed:
            raise ContentDamaged(name, "its content is not the one it is named for")
        return data

    def path(self, name: str) -> Path:
        """The path of `name`, for a web server to send; not verified."""
        _hash_in(name)
        return self._folder / name

    def remove(self, name: str) -> None:
        """Erase what is stored under `name`, if anything is; no row may name it afterwards."""
        _hash_in(name)
        path = self._folder / name
        try:
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                sync_folder(path.parent)
        except OSError as error:
            raise ArchiveError(
                f"{path} cannot be removed: {error.strerror or error}; check rights"
            ) from error

    def sweep(self) -> int:
        """Remove what dead processes left half-written; returns how many files."""
        removed = 0
        for path in self._folder.glob(f"{_WORKSHOP}/*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
                    removed += 1
        return removed

    def _sync_names(self, leaves: Collection[str], *, together: bool) -> None:
        """Sync the names on the way to files, even of files that were there: their writer may not have."""
        if together:
            sync_file_system(self._folder)
        else:
            for leaf in leaves:
                self._sync_way(self._folder / leaf, is_safe=leaf in self._safe)
        self._safe.update(leaves)

    def _sync_way(self, leaf: Path, *, is_safe: bool) -> None:
        sync_folder(leaf)
        if not is_safe:
            sync_folder(leaf.parent)
            sync_folder(self._folder)


def is_name(text: str) -> bool:
    """Whether `text` is a name as `put` gives them."""
    return _NAME.fullmatch(text) is not None


def _draft(path: str, data: bytes, *, sync: bool) -> str:
    try:
        _in_its_folder(path, partial(_write_new, path, data, sync=sync))
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            Path(path).unlink()
        raise
    return path


def _in_its_folder(path: str, act: Callable[[], object]) -> None:
    """Folders are there but for the first file: to look for each every time took longer than to write it."""
    try:
        act()
    except FileNotFoundError:
        _make_folder(Path(path).parent)
        act()


def _make_folder(folder: Path) -> None:
    """One below a folder that is there takes a single call, as nearly all of the first thousands do."""
    try:
        folder.mkdir(private.FOLDER, exist_ok=True)  # another process may be faster
    except FileNotFoundError:
        private.make_folder(folder)


def _write_new(path: str, data: bytes, *, sync: bool) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, private.FILE)
    try:
        write_all(handle, data)
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)


def _holds(path: str, data: bytes) -> bool:
    try:
        there = Path(path)
        return there.stat().st_size == len(data) and there.read_bytes() == data
    except FileNotFoundError:
        return False


def _name(hashed: str, extension: str) -> str:
    return f"{hashed[:2]}/{hashed[2:4]}/{hashed}.{extension}"


def _hash_in(name: str) -> str:
    ours = _NAME.fullmatch(name)
    if ours is None:
        raise BadInput(f"{name[:100]!r} is no name of a stored file")
    return ours[3]
