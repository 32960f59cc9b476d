"""Opens a seed list: a file (plain, gz or zip of one), standard input, or a Redis sorted set.

Lines come as bytes, one by one, with what was read of the whole so far, so that a
million lines need no memory and a progress bar has something to show.
"""

from __future__ import annotations

import gzip
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from surveyor.errors import BadInput

# A longer line is no domain; reading no further keeps a file without line ends from filling memory.
LINE_LIMIT = 10_000
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass
class SeedSource:
    """An open list. `name` is what the domains' source says unless told otherwise."""

    name: str
    stream: IO[bytes]
    total_bytes: int | None
    _raw: IO[bytes]

    def read_bytes(self) -> int:
        """How far we are in the file, as stored (compressed bytes for a compressed one)."""
        return self._raw.tell() if self.total_bytes is not None else 0

    def lines(self) -> Iterator[bytes]:
        try:
            first = True
            while line := self.stream.readline(LINE_LIMIT):
                if first:
                    line, first = _without_mark(line), False
                yield line
                if len(line) >= LINE_LIMIT and not line.endswith(b"\n"):
                    self._skip_rest_of_line()
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            raise BadInput(f"{self.name} cannot be read to its end: {error}") from None

    def _skip_rest_of_line(self) -> None:
        while (rest := self.stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
            pass

    def close(self) -> None:
        self.stream.close()


def open_source(where: str) -> SeedSource:
    """`-` is standard input; anything else is a file. Compression is told by its bytes, not its name."""
    if where == "-":
        return SeedSource("stdin", sys.stdin.buffer, None, sys.stdin.buffer)
    path = Path(where)
    try:
        raw = path.open("rb")
    except IsADirectoryError:
        raise BadInput(f"{where} is a folder; name a file") from None
    except FileNotFoundError:
        raise BadInput(
            f"{where} does not exist; name a file, `-` for standard input, or redis://host:port/db"
        ) from None
    except OSError as error:
        raise BadInput(f"{where} cannot be read: {error.strerror}") from None
    head = raw.read(4)
    raw.seek(0)
    size = path.stat().st_size
    name = path.name.split(".")[0]
    if head.startswith(b"\x1f\x8b"):
        return SeedSource(name, cast(IO[bytes], gzip.GzipFile(fileobj=raw)), size, raw)
    if head.startswith(b"PK\x03\x04"):
        return SeedSource(name, _only_member(where, raw), size, raw)
    return SeedSource(name, raw, size, raw)


def _only_member(where: str, raw: IO[bytes]) -> IO[bytes]:
    try:
        archive = zipfile.ZipFile(raw)
    except zipfile.BadZipFile as error:
        raise BadInput(f"{where} is not a sound zip file: {error}") from None
    members = [info for info in archive.infolist() if not info.is_dir()]
    if len(members) != 1:
        raise BadInput(f"{where} holds {len(members)} files; a zip of seeds holds one")
    return archive.open(members[0])


def _without_mark(line: bytes) -> bytes:
    if line.startswith(_UTF16):
        raise BadInput("the list is UTF-16; save it as UTF-8")
    return line.removeprefix(b"\xef\xbb\xbf")
