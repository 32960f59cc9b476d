"""A file that appears under its name only when it is whole: it grows beside it and is renamed at the end.

Whatever stops the writing, an interrupt, a full disk, an error of the database: what stood under the name
before still does, and nothing else is left.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

from surveyor.archive.files import sync_folder
from surveyor.errors import Refused, UsageError
from surveyor.export import writers
from surveyor.export.values import Format, Stream

_PACKED = ".gz"
# The default of gzip itself.
_GZIP_LEVEL = 6


def format_of(file: Path, given: str | None) -> str:
    """The format that was given, else what the name says."""
    name = file.name.lower()
    found = given or writers.of_ending(Path(name.removesuffix(_PACKED)).suffix)
    if found is None:
        raise UsageError(f"{file} says no format; end it with .csv, .jsonl or .parquet, or add --format")
    if found == Format.PARQUET and name.endswith(_PACKED):
        raise UsageError(f"Parquet is packed already; name the file without {_PACKED}")
    return found


@contextmanager
def growing(file: Path, *, force: bool) -> Iterator[Stream]:
    """Write to the stream; leaving the block without an error puts the file in its place."""
    place = Path(os.path.realpath(file))  # a link stays a link
    check(file, force=force)
    partial = place.with_name(f".{place.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as raw:
            with _packed(raw) if file.name.lower().endswith(_PACKED) else nullcontext(raw) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        check(file, force=force)
        partial.rename(place)
        sync_folder(place.parent)
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}; {_advice(error)}") from None
    finally:
        with suppress(OSError):  # what went wrong is reported already
            partial.unlink(missing_ok=True)


def _packed(raw: IO[bytes]) -> gzip.GzipFile:
    return gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0)


def check(file: Path, *, force: bool) -> None:
    """Refuse what could not be replaced, or was not to be."""
    if not file.exists():
        return
    if not file.is_file():
        raise Refused(f"{file} is no plain file; name another one")
    if not force:
        raise Refused(f"{file} is there already; name another file, or add --force")


def _advice(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "make its folder first"
    if isinstance(error, PermissionError):
        return "name a file in a folder of yours"
    return "is there room on the disk?"
