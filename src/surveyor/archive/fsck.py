"""Checking a whole archive: reads every byte, changes nothing, holds one record at a time.

A torn record is what a crash leaves at the end of a file; no row names it. A damaged
one may be named by a row, whose page has to be fetched again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from surveyor.archive.blobs import BlobStore, is_name
from surveyor.archive.errors import ArchiveError, ContentDamaged
from surveyor.archive.reader import ArchivedRecord, WarcReader
from surveyor.archive.writer import SUFFIX, file_id

# Faults listed one by one per file; a disk that lost a region makes thousands alike.
_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file: how many records in it are good, torn and damaged, and the first faults in words.

    `foreign`: a WARC file Surveyor did not write; it was not looked into.
    """

    file: str
    good: int = 0
    torn: int = 0
    damaged: int = 0
    foreign: bool = False
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The sums over all files, and the reports of those that are not all good."""

    files: int
    good: int
    torn: int
    damaged: int
    foreign: int
    bad: tuple[FileReport, ...]

    @property
    def clean(self) -> bool:
        return self.damaged == 0


def fsck(folder: Path) -> Report:
    """Check everything below `folder`: WARC files and stored images, in whatever folders they lie."""
    files = good = torn = damaged = foreign = 0
    bad = []
    for one in check(folder):
        files += 1
        good, torn, damaged = good + one.good, torn + one.torn, damaged + one.damaged
        foreign += one.foreign
        if one.torn or one.damaged or one.foreign:
            bad.append(one)
    return Report(files, good, torn, damaged, foreign, tuple(bad))


def check(folder: Path) -> Iterator[FileReport]:
    """As `fsck`, file by file, for a progress display."""
    if not folder.is_dir():
        raise ArchiveError(f"{folder} is not there; is the storage mounted?")
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        if path.name.endswith(SUFFIX):
            yield _check_warc(path, name)
        elif is_name("/".join(path.parts[-3:])):
            yield _check_blob(path, name)


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        folders.sort()
        yield from (Path(parent, name) for name in sorted(names))


def _refuse(error: OSError) -> None:
    raise ArchiveError(f"{error.filename} cannot be read: {error.strerror}") from error


def _check_warc(path: Path, name: str) -> FileReport:
    if file_id(path.name) is None:
        return FileReport(name, foreign=True)
    counts = {"good": 0, "torn": 0, "damaged": 0}
    faults: list[str] = []
    for one in WarcReader(path.parent).scan(path.name):
        counts["good" if isinstance(one, ArchivedRecord) else one.kind] += 1
        if not isinstance(one, ArchivedRecord) and len(faults) < _MOST_FAULTS:
            faults.append(f"{one.location}: {one.detail}")
    return FileReport(name, counts["good"], counts["torn"], counts["damaged"], faults=tuple(faults))


def _check_blob(path: Path, name: str) -> FileReport:
    try:
        BlobStore(path.parents[2]).read("/".join(path.parts[-3:]))
    except ContentDamaged as error:
        return FileReport(name, damaged=1, faults=(error.detail,))
    return FileReport(name, good=1)
