"""Reading the archive: one record by its location, or all good records of a file.

What comes back has agreed with its lengths, its checksum and its digests; anything
else is `ContentDamaged`. In a file that was cut off or altered at any byte every
record that is whole is still found: after a bad one the scan goes on at the next gzip
member that is a record of this file.
"""

from __future__ import annotations

import io
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from surveyor.archive.errors import ArchiveError, ContentDamaged
from surveyor.archive.record import MAX_BLOCK, MAX_HEAD, VIEW, BrokenRecord, Capture, Location, decode
from surveyor.archive.writer import SUFFIX, file_id

# How zlib begins a member: deflate, no name, no time.
_MEMBER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
_GZIP = 16 + zlib.MAX_WBITS
# Bytes per read: a typical record in one read, without reading many times what is needed.
_CHUNK = 32 * 1024
_MAX_RECORD = MAX_HEAD + MAX_BLOCK
# Bytes of a record within which it has named its file; it compresses to no more than it is.
_HEAD = 512

Kind = Literal["torn", "damaged"]


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """A whole record, and the SHA-256 of its body."""

    location: Location
    capture: Capture
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes that are no whole record: `torn` if the file ends within one, else `damaged`."""

    location: Location
    kind: Kind
    detail: str


class WarcReader:
    """Reads what any worker wrote into `folder`. Opens the file anew for each call: on shared
    storage an old handle may not see what was appended since."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, location: Location, sha256: bytes | None = None) -> Capture:
        """The capture at `location`; with `sha256`, only if its body is that one."""
        owner = file_id(location.file)
        if owner is None:
            raise ContentDamaged(location, "that is no name of a file of the archive")
        try:
            data, end = _inflate(io.BytesIO(self._bytes_at(location)), 0)
            if end != location.length:
                raise BrokenRecord("its length is not the one stored")
            found = decode(data, owner)
        except BrokenRecord as error:
            raise ContentDamaged(location, str(error)) from None
        if found is None:
            raise ContentDamaged(location, "there is no response at that place")
        if sha256 is not None and found.sha256 != sha256:
            raise ContentDamaged(location, "another content is at that place")
        return found.capture

    def screenshot(self, location: Location) -> bytes | None:
        """Of the page at `location`, directly behind it; None if none was taken."""
        owner = file_id(location.file)
        try:
            with (self._folder / location.file).open("rb") as source:
                found = decode(_inflate(source, location.end)[0], owner) if owner else None
        except (BrokenRecord, FileNotFoundError):
            return None
        except OSError as error:
            raise _unreachable(self._folder / location.file, error) from error
        return found.capture.body if found and found.capture.url.startswith(VIEW) else None

    def files(self) -> list[str]:
        """Names of the WARC files, oldest first by name within each worker."""
        try:
            return sorted(path.name for path in self._folder.iterdir() if path.name.endswith(SUFFIX))
        except OSError as error:
            raise _unreachable(self._folder, error) from error

    def records(self, file: str) -> Iterator[ArchivedRecord]:
        """Every whole response of a file, in order."""
        return (one for one in self.scan(file) if isinstance(one, ArchivedRecord))

    def scan(self, file: str) -> Iterator[ArchivedRecord | Gap]:
        """Responses and gaps of a file, in order, in constant memory per record."""
        owner = file_id(file)
        if owner is None:
            raise ArchiveError(f"{file[:200]!r} was not written by Surveyor; move it out of the archive")
        try:
            with (self._folder / file).open("rb") as source:
                yield from scan(source, file, owner)
        except OSError as error:
            raise _unreachable(self._folder / file, error) from error

    def _bytes_at(self, location: Location) -> bytes:
        if location.length > _MAX_RECORD:
            raise BrokenRecord("it is longer than any record")
        try:
            with (self._folder / location.file).open("rb") as source:
                source.seek(location.offset)
                return source.read(location.length)
        except FileNotFoundError as error:
            if not self._folder.is_dir():
                raise _unreachable(self._folder, error) from error
            raise BrokenRecord("the file is missing") from None
        except OSError as error:
            raise _unreachable(self._folder / location.file, error) from error


def scan(source: BinaryIO, name: str, owner: uuid.UUID) -> Iterator[ArchivedRecord | Gap]:
    """As `WarcReader.scan`, over any seekable source."""
    size = source.seek(0, io.SEEK_END)
    offset = 0
    while offset < size:
        try:
            data, end = _inflate(source, offset)
            found = decode(data, owner)
        except BrokenRecord as error:
            end = _next_member(source, offset + 1, owner) or size
            kind: Kind = "torn" if isinstance(error, _Torn) and end == size else "damaged"
            yield Gap(Location(name, offset, end - offset), kind, str(error))
        else:
            if found is not None:
                yield ArchivedRecord(Location(name, offset, end - offset), found.capture, found.sha256)
        offset = end


class _Torn(BrokenRecord):
    """The bytes ended before the record did."""


def _inflate(source: BinaryIO, offset: int) -> tuple[bytes, int]:
    """The content of the gzip member at `offset`, its checksum verified, and where the member ends."""
    source.seek(offset)
    inflater = zlib.decompressobj(_GZIP)
    parts, room = [], _MAX_RECORD
    while not inflater.eof:
        chunk = source.read(_CHUNK)
        if not chunk:
            raise _Torn("it is cut off")
        try:
            parts.append(inflater.decompress(chunk, room + 1))
        except zlib.error as error:
            raise BrokenRecord(f"it does not inflate ({error})") from None
        room -= len(parts[-1])
        if room < 0:
            raise BrokenRecord("it inflates to more than any record")
    return b"".join(parts), source.tell() - len(inflater.unused_data)


def _next_member(source: BinaryIO, start: int, owner: uuid.UUID) -> int | None:
    """Where the next record of this file begins, whole or not."""
    overlap = len(_MEMBER) - 1
    while True:
        source.seek(start)
        chunk = source.read(_CHUNK)
        place = chunk.find(_MEMBER)
        while place >= 0:
            if _begins_record(source, start + place, owner):
                return start + place
            place = chunk.find(_MEMBER, place + 1)
        if len(chunk) <= overlap:
            return None
        start += len(chunk) - overlap


def _begins_record(source: BinaryIO, offset: int, owner: uuid.UUID) -> bool:
    source.seek(offset)
    try:
        head = zlib.decompressobj(_GZIP).decompress(source.read(_HEAD), _HEAD)
    except zlib.error:
        return False
    return head.startswith(b"WARC/1.1\r\n") and str(owner).encode() in head


def _unreachable(path: Path, error: OSError) -> ArchiveError:
    return ArchiveError(f"{path} cannot be read: {error.strerror or error}; is the storage mounted?")
