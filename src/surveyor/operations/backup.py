"""One file with everything: settings, profile, all rows of one moment, and the archive. While workers run.

Content is on disk before the row that names it is committed, so rows are read first and files copied
after: no row of the backup names what is not in it. The file appears under its name only when it is
whole, and the last thing in it says what must be there.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

import orjson

from surveyor import __version__, private, settings
from surveyor.db import Database, dump, schema
from surveyor.errors import Refused
from surveyor.operations.brought import PROFILE

MANIFEST: Final = "manifest.json"
TABLES, ARCHIVE = "tables/", "archive/"
# Says how the file is laid out; another number is another layout.
LAYOUT = 1

Progress = Callable[[str, int], None]


@dataclass(slots=True)
class BackedUp:
    """What went into a backup."""

    file: str
    rows: int = 0
    archive_files: int = 0
    bytes: int = 0
    members: dict[str, dict[str, Any]] = field(default_factory=dict)


async def backup(
    db: Database, workspace: Path, archive: Path, profile: Path | None, target: Path, progress: Progress
) -> BackedUp:
    """Write the file. `progress` hears of each table with its rows, and of files."""
    done = BackedUp(str(target))
    partial = _place(target)
    try:
        with (
            private.opened(partial) as raw,
            tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            revision = await _tables(db, tar, done, progress)
            _settings(tar, done, workspace, profile)
            _archive(tar, done, archive, progress)
            _finish(tar, done, revision, db.dialect_name)
            tar.close()
            raw.flush()
            os.fsync(raw.fileno())
            done.bytes = raw.tell()
        partial.rename(target)
    except OSError as error:
        raise Refused(f"{target} cannot be written: {error.strerror}; is there room on the disk?") from None
    finally:
        partial.unlink(missing_ok=True)
    return done


def _place(target: Path) -> Path:
    """Where the file grows until it is whole."""
    if target.exists():
        raise Refused(f"{target} is there already; name another file, or remove it")
    if not target.parent.is_dir():
        raise Refused(f"{target.parent} is no folder; make it first, or name another file")
    return target.with_name(target.name + ".partial")


async def _tables(db: Database, tar: tarfile.TarFile, done: BackedUp, progress: Progress) -> str:
    async with dump.one_moment(db) as tx:
        for table in dump.tables():
            with tempfile.TemporaryFile() as spool:
                with gzip.GzipFile(fileobj=spool, mode="wb", compresslevel=3, mtime=0) as packed:
                    rows = await dump.dump(tx, table, packed.write)
                size = spool.tell()
                spool.seek(0)
                _add(tar, done, f"{TABLES}{table.name}.jsonl.gz", spool, size, rows=rows)
            done.rows += rows
            progress(table.name, rows)
    revision = await schema.current(db)
    assert revision is not None  # the workspace was opened with a current schema
    return revision


def _settings(tar: tarfile.TarFile, done: BackedUp, workspace: Path, profile: Path | None) -> None:
    for name, path in ((settings.FILE_NAME, workspace / settings.FILE_NAME), (PROFILE, profile)):
        if path is not None and path.is_file():
            data = path.read_bytes()
            _add(tar, done, name, io.BytesIO(data), len(data))


def _archive(tar: tarfile.TarFile, done: BackedUp, archive: Path, progress: Progress) -> None:
    if not archive.is_dir():
        return
    for path in sorted(archive.rglob("*")):
        try:
            with path.open("rb") as source:
                # Files grow while we copy: what is added now belongs to rows that are not in the backup.
                size = os.fstat(source.fileno()).st_size
                _add(tar, done, f"{ARCHIVE}{path.relative_to(archive).as_posix()}", source, size)
        except (IsADirectoryError, FileNotFoundError):
            continue
        done.archive_files += 1
        progress("archive", done.archive_files)


def _finish(tar: tarfile.TarFile, done: BackedUp, revision: str, engine: str) -> None:
    manifest = {
        "layout": LAYOUT,
        "program": __version__,
        "schema": revision,
        "engine": engine,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "members": done.members,
    }
    data = orjson.dumps(manifest, option=orjson.OPT_INDENT_2)
    _write(tar, MANIFEST, io.BytesIO(data), len(data))


def _add(tar: tarfile.TarFile, done: BackedUp, name: str, source: IO[bytes], size: int, **more: int) -> None:
    reader = Hashing(source)
    _write(tar, name, reader, size)
    done.members[name] = {"bytes": size, "sha256": reader.hexdigest(), **more}


def _write(tar: tarfile.TarFile, name: str, source: Any, size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    tar.addfile(entry, source)


class Hashing:
    """Reads from a source and keeps the hash of what was read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source, self._hash = source, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self._hash.update(data)
        return data

    def hexdigest(self) -> str:
        return self._hash.hexdigest()
