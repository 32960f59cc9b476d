"""Files that survive a power cut: an append-only file that knows how much of it is safe.

An error of the disk is final for a file. After a failed sync the kernel may have
dropped the pages and called them clean, so a second sync that succeeds proves nothing;
the file is cut back to what an earlier sync promised, and left.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from surveyor import private

# Bytes kept in memory before they are given to the kernel: a few system calls per group
# of pages, and a bound when the pages are large.
SPILL = 1024 * 1024

# The size of an appended file is data to fdatasync, the time stamps are not. macOS lacks it.
sync_data = getattr(os, "fdatasync", os.fsync)


def sync_folder(folder: Path) -> None:
    """Make names created in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Create `folder` and its parents, each name synced in its parent."""
    missing = [folder, *folder.parents]
    missing = missing[: next(place for place, one in enumerate(missing) if one.exists())]
    for one in reversed(missing):
        one.mkdir(mode=private.FOLDER, exist_ok=True)
        sync_folder(one.parent)


def write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


@dataclass(slots=True, eq=False)
class AppendFile:
    """A new file that is only ever appended to. It is created by the first bytes written.

    `placed` bytes were accepted, of which `safe` are known to be on disk. `place` never
    raises: an error of the disk is kept, and raised by `spill`. One thread may `sync`
    while another places; all else is the owner's to keep apart.
    """

    path: Path
    placed: int = 0
    safe: int = 0
    _handle: int | None = None
    _pending: list[bytes] = field(default_factory=list)
    _waiting: int = 0
    _failure: OSError | None = None

    def place(self, data: bytes) -> int:
        """Take `data` and say at which offset it will lie; writes only when much is waiting."""
        offset = self.placed
        self.placed += len(data)
        if self._failure is None:
            self._pending.append(data)
            self._waiting += len(data)
            if self._waiting >= SPILL:
                with contextlib.suppress(OSError):
                    self.spill()
        return offset

    def spill(self) -> int:
        """Hand everything placed to the kernel; returns how much that is."""
        if self._failure is not None:
            raise self._failure
        data, self._pending, self._waiting = b"".join(self._pending), [], 0
        try:
            write_all(self._open(), data)
        except OSError as error:
            self._failure = error
            raise
        return self.placed

    def sync(self, spilled: int) -> None:
        """Wait until the first `spilled` bytes, and the name of the file, are on disk."""
        if spilled == self.safe:
            return
        sync_data(self._open())
        if not self.safe:
            sync_folder(self.path.parent)
        self.safe = spilled

    def close(self) -> None:
        if self._handle is not None:
            handle, self._handle = self._handle, None
            os.close(handle)

    def abandon(self) -> None:
        """Cut away what is not safe, as far as the disk lets us; readers skip what remains."""
        if self._handle is None:
            return
        with contextlib.suppress(OSError):
            if self.safe:
                os.ftruncate(self._handle, self.safe)
            else:
                self.path.unlink()
        with contextlib.suppress(OSError):
            self.close()

    def _open(self) -> int:
        if self._handle is None:
            make_folder(self.path.parent)
            # O_EXCL: two workers never share a file, whatever they call themselves.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            self._handle = os.open(self.path, flags, private.FILE)
        return self._handle


@cache
def _syncfs() -> Any:
    """Linux's call to write out one file system; none where it is missing, or hides errors."""
    release = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if sys.platform != "linux" or release is None or (int(release[1]), int(release[2])) < (5, 8):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


def can_sync_file_systems() -> bool:
    return _syncfs() is not None


def sync_file_system(folder: Path) -> None:
    """Everything written to the file system of this folder so far is on disk, content and names."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if _syncfs()(handle) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(handle)
