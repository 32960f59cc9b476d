"""The WARC files of one worker: responses go in, locations come out, and after `sync` they are safe.

`append` only compresses and places; the disk is asked at `sync`, once per group of
pages. So there is one place where the disk can fail, and one rule for the caller: a
location may be named in a row only after a `sync` that was given it has returned.

A file belongs to one writer for its whole life. A new process begins a new file and
never looks at a torn tail.
"""

from __future__ import annotations

import errno
import re
import threading
import uuid
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from surveyor.archive.errors import ArchiveError
from surveyor.archive.files import AppendFile
from surveyor.archive.record import (
    GZIP_LEVEL,
    Capture,
    Location,
    encode,
    encode_conversion,
    encode_screenshot,
    encode_warcinfo,
)
from surveyor.clock import Clock

SUFFIX = ".warc.gz"
# Characters of the worker's name kept in a file name; host names may be long.
_NAME_LENGTH = 60
_OURS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*-([0-9a-f]{32})\.warc\.gz")


def file_id(name: str) -> uuid.UUID | None:
    """The id that the records of a file must carry, from its name; None if it is no file of ours."""
    ours = _OURS.fullmatch(name)
    return uuid.UUID(ours[1]) if ours else None


class WarcWriter:
    """May be called from any thread: neither compression nor the disk's sync holds up another append."""

    def __init__(
        self, folder: Path, worker_name: str, max_bytes: int, clock: Clock, level: int = GZIP_LEVEL
    ) -> None:
        self._folder = folder
        self._worker = re.sub(r"[^A-Za-z0-9._-]", "-", worker_name)[:_NAME_LENGTH].lstrip("._-") or "worker"
        self._max_bytes = max_bytes
        self._clock = clock
        self._level = level
        self._turn = threading.Lock()  # one sync at a time; taken before _lock
        self._lock = threading.Lock()  # the fields below
        self._current: AppendFile | None = None
        self._id = uuid.uuid4()
        self._files: list[AppendFile] = []  # the current one, and full ones not yet synced and closed
        self._lost: dict[str, int] = {}  # files given up, and how many bytes of them are good

    def append(self, capture: Capture) -> Location:
        """Place a response. The location is a promise only once it is synced.

        Of a conversion the response that it was made of is placed before it, in the same file, and its
        screenshot directly behind it.
        """
        with self._lock:
            file, owner = self._open(), self._id
        members = self._members(capture, owner)
        with self._lock:
            # A record names its file, and another thread may have ended this one meanwhile.
            if self._current is not file:
                file = self._open()
                members = self._members(capture, self._id)
            places = [Location(file.path.name, file.place(member), len(member)) for member in members]
            return places[0 if capture.original is None else 1]

    def _members(self, capture: Capture, owner: uuid.UUID) -> list[bytes]:
        if capture.original is None:
            return [encode(capture, owner, self._level)]
        of = uuid.uuid4()
        original = encode(capture.original, owner, self._level, of)
        members = [original, encode_conversion(capture, of, owner, self._level)]
        if capture.screenshot is not None:
            members.append(encode_screenshot(capture, owner, self._level))
        return members

    def sync(self, promised: Iterable[Location] = ()) -> None:
        """Return once everything appended so far is on disk, or raise `ArchiveError`.

        After an error everything appended since the last good sync is lost, even what
        another thread appended for its next group. Give the group's locations as
        `promised`, and a sync that cannot keep one of them raises too. The next
        `append` begins a new file.
        """
        with self._turn:
            self._sync()
            lost = next((one for one in promised if one.end > self._lost.get(one.file, one.end)), None)
        if lost is not None:
            raise ArchiveError(f"{lost} was lost by an earlier error of the disk; fetch its page again")

    def close(self) -> None:
        """Sync and let go. A closed writer may be used again, and begins a new file."""
        with self._turn:
            with self._lock:
                self._current = None
            self._sync()

    def __enter__(self) -> WarcWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> AppendFile:
        """The file the next record goes to: a new one when there is none or it is full."""
        if self._current is None or self._current.placed >= self._max_bytes:
            self._id = uuid.uuid4()
            now = self._clock.now()
            name = f"{self._worker}-{now:%Y%m%dT%H%M%SZ}-{self._id.hex}{SUFFIX}"
            self._current = AppendFile(self._folder / name)
            self._current.place(encode_warcinfo(name, self._id, now, self._level))
            self._files.append(self._current)
        return self._current

    def _sync(self) -> None:
        try:
            with self._lock:
                full = [file for file in self._files if file is not self._current]
                spilled = [(file, file.spill()) for file in self._files]
            for file, size in spilled:
                file.sync(size)
            for file in full:
                file.close()
        except OSError as error:
            self._give_up()
            raise ArchiveError(_message(self._folder, error)) from error
        with self._lock:
            self._files = self._files[len(full) :]

    def _give_up(self) -> None:
        with self._lock:
            for file in self._files:
                file.abandon()
                self._lost[file.path.name] = file.safe
            self._files, self._current = [], None


def _message(folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"no space left for the archive in {folder}; make room, the crawl goes on from there"
    return f"the archive in {folder} cannot be written: {error.strerror or error}; check the disk"
