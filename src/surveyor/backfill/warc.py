"""WARC files of any tool: the addresses, times and statuses of their responses, and their contents if wanted.

Read from the front, compressed or not, record by record; contents are passed over unless somebody wants
them, and then one at a time is held. A file that ends within a record, as a crash leaves it, counts up to
there; after a record whose length is wrong it goes on with the next that begins on a line of its own.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from surveyor import logs

_GZIP, _VERSION = b"\x1f\x8b", b"WARC/"
_LINE = 64 * 1024  # bytes of a header line; longer ones are cut
_CHUNK = 1 << 20
LARGEST = 20_000_000  # bytes of a response whose content is read; longer ones count without it
_MOST_DIGITS = 18  # of a length or a status; more are damage, and thousands of them no number to Python
_HAD = {b"response", b"revisit"}

log = logs.get("backfill")


def is_warc(path: Path) -> bool:
    """By its first bytes, unpacked if they are packed."""
    try:
        with _opened(path) as source:
            return source.read(len(_VERSION)) == _VERSION
    except (OSError, EOFError, zlib.error):
        return False


def read_answers(path: Path, *, contents: bool = False) -> Iterator[dict[str, Any]]:
    """url, status and crawled_at of each response; with `contents` also `http`, the bytes that were sent."""
    try:
        with _opened(path) as source:
            yield from _records(source, contents, path.name)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        log.warning("the file ends within a record; read up to there", file=path.name, error=str(error))


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def _records(source: IO[bytes], contents: bool, name: str) -> Iterator[dict[str, Any]]:
    has_warned = False
    while line := source.readline(_LINE):
        if not line.startswith(_VERSION):
            if line.strip() and not has_warned:
                has_warned = True
                log.warning("bytes between records skipped: a length is wrong", file=name)
            continue
        head = _head(source)
        length = _length(head)
        first = source.readline(min(_LINE, length)) if length else b""
        rest = length - len(first)
        wanted = contents and head.get(b"warc-type") == b"response" and length <= LARGEST
        http = first + _whole(source, rest) if wanted else None
        _pass_over(source, 0 if wanted else rest)
        url = head.get(b"warc-target-uri", b"").strip(b"<>").decode("utf-8", "replace")
        if head.get(b"warc-type") in _HAD and url.startswith(("http://", "https://")):
            when = head.get(b"warc-date", b"").decode("ascii", "replace")
            yield {"url": url, "status": _status(first), "crawled_at": when, "http": http}


def _length(head: dict[bytes, bytes]) -> int:
    return _number(head.get(b"content-length", b"")) or 0


def _number(digits: bytes) -> int | None:
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else None


def _whole(source: IO[bytes], length: int) -> bytes:
    found = source.read(length)
    if len(found) < length:
        raise EOFError("the last record is cut off")
    return found


def _head(source: IO[bytes]) -> dict[bytes, bytes]:
    found = {}
    while line := source.readline(_LINE).strip():
        name, _, value = line.partition(b":")
        found[name.strip().lower()] = value.strip()
    return found


def _status(line: bytes) -> int:
    """Of `HTTP/1.1 200 OK`; a record without one stands for something that was had."""
    words = line.split(None, 2)
    status = _number(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") else None
    return 200 if status is None else status


def _pass_over(source: IO[bytes], length: int) -> None:
    while length > 0:
        passed = len(source.read(min(length, _CHUNK)))
        if not passed:
            raise EOFError("the last record is cut off")
        length -= passed
