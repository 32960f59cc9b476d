"""Erasing responses: what lay there is overwritten in place, and the file stays a sound WARC file.

No other record moves, so no row that names one has to change, and a worker may go on appending
to the same file meanwhile. An erased record is blanks of the same length.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from surveyor.archive.errors import ArchiveError
from surveyor.archive.files import sync_data, write_all
from surveyor.archive.reader import ArchivedRecord, Gap, WarcReader
from surveyor.archive.record import VIEW, Location, encode_erased
from surveyor.archive.writer import file_id
from surveyor.clock import SystemClock

_GZIP = 16 + zlib.MAX_WBITS
# Bytes within which a record has named its URL, packed and unpacked.
_HEAD = 16 * 1024
_TARGET = re.compile(rb"^WARC-Target-URI: ([!-~]+)\r$", re.MULTILINE)


def erase_where(folder: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Erase every record of a URL that is wanted, file by file; yields each file with how many.

    Files are searched, not rows: also what a killed worker wrote and no row names is found.
    """
    reader = WarcReader(folder)
    for name in reader.files() if folder.is_dir() else []:
        if file_id(name) is not None:
            found = [one for one in reader.scan(name) if _is_wanted(folder, one, is_wanted)]
            _erase(folder, name, found)
            yield name, len(found)


def _is_wanted(folder: Path, one: ArchivedRecord | Gap, is_wanted: Callable[[str], bool]) -> bool:
    url = one.capture.url if isinstance(one, ArchivedRecord) else _url_in(folder, one.location)
    return url is not None and is_wanted(url.removeprefix(VIEW))


def _url_in(folder: Path, place: Location) -> str | None:
    """The URL of a record that is torn or damaged, as far as it can still be read."""
    with (folder / place.file).open("rb") as source:
        source.seek(place.offset)
        try:
            head = zlib.decompressobj(_GZIP).decompress(source.read(_HEAD), _HEAD)
        except zlib.error:
            return None
    found = _TARGET.search(head)
    return found[1].decode("ascii", "replace") if found else None


def _erase(folder: Path, name: str, found: list[ArchivedRecord | Gap]) -> None:
    owner = file_id(name)
    if owner is None or not found:
        return
    try:
        handle = os.open(folder / name, os.O_WRONLY | os.O_CLOEXEC)
        try:
            for one in found:
                os.lseek(handle, one.location.offset, os.SEEK_SET)
                length = one.location.length
                # What was no whole record becomes none: zeros, which every reader passes over.
                is_whole = isinstance(one, ArchivedRecord)
                write_all(
                    handle, encode_erased(owner, SystemClock().now(), length) if is_whole else bytes(length)
                )
            sync_data(handle)
        finally:
            os.close(handle)
    except OSError as error:
        message = error.strerror or str(error)
        raise ArchiveError(
            f"{folder / name} cannot be written: {message}; check rights, then forget again"
        ) from error
