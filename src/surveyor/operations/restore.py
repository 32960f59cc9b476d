"""A workspace out of a backup: checked as a whole before the first row, and in one transaction.

No worker of the time before may go on as if nothing had happened: every epoch is raised, every claim is over,
sessions of people end. What was claimed when the backup was made is found as after a crash.
"""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import orjson
from sqlalchemy import Table

from surveyor import private, settings
from surveyor.archive.files import make_folder
from surveyor.db import Database, dump, schema
from surveyor.errors import Refused
from surveyor.operations import brought, store
from surveyor.operations.backup import ARCHIVE, LAYOUT, MANIFEST, TABLES, Hashing, Progress
from surveyor.operations.brought import PROFILE

_CHUNK = 1024 * 1024
# More leases than were ever given out between a backup and the moment it is restored.
_RAISED_BY = 1_000_000
_NAME = re.compile(
    rf"{TABLES}[a-z_]{{1,60}}\.jsonl\.gz|{re.escape(settings.FILE_NAME)}|{re.escape(PROFILE)}|"
    rf"{ARCHIVE}(?:[A-Za-z0-9_-][A-Za-z0-9._-]{{0,200}}/){{0,4}}[A-Za-z0-9_-][A-Za-z0-9._-]{{0,250}}"
)


@dataclass(slots=True)
class Restored:
    """What came out of a backup."""

    made_at: str
    rows: int = 0
    archive_files: int = 0


def check(source: Path) -> dict[str, Any]:
    """Read the whole file and compare it with what it says of itself; returns its manifest."""
    seen: dict[str, tuple[int, str]] = {}
    manifest: dict[str, Any] | None = None
    with _opened(source) as tar:
        for entry in tar:
            data = tar.extractfile(entry)
            if data is None or not (entry.name == MANIFEST or _NAME.fullmatch(entry.name)):
                raise Refused(
                    f"{source} holds {entry.name[:80]!r}, which no backup has; nothing was restored"
                )
            if entry.name == MANIFEST:
                manifest = orjson.loads(data.read())
                continue
            if entry.name in seen:
                raise Refused(f"{source} holds {entry.name} twice; nothing was restored")
            reader, size = Hashing(data), 0
            while part := reader.read(_CHUNK):
                size += len(part)
            seen[entry.name] = (size, reader.hexdigest())
    if manifest is None:
        raise Refused(f"{source} is cut off; nothing was restored")
    wanted = _wanted(source, manifest)
    if wrong := sorted(name for name in wanted.keys() | seen.keys() if wanted.get(name) != seen.get(name)):
        raise Refused(f"{source} is damaged at {wrong[0]}; nothing was restored")
    return manifest


def _wanted(source: Path, manifest: Any) -> dict[str, tuple[int, str]]:
    try:
        if manifest["layout"] != LAYOUT:
            raise Refused(f"{source} was made by another version ({manifest.get('program')}); use that one")
        _ = str(manifest["schema"]), datetime.fromisoformat(manifest["made_at"])
        return {name: (member["bytes"], member["sha256"]) for name, member in manifest["members"].items()}
    except (KeyError, TypeError, AttributeError, ValueError):
        raise Refused(f"{source} says nothing that can be read of itself; nothing was restored") from None


def prepare(source: Path, workspace: Path, *, trust: bool = False) -> dict[str, str]:
    """Settings and profile come first, those that are there already are stronger. Says what was brought."""
    found: dict[str, bytes] = {}
    with _opened(source) as tar:
        for entry in tar:
            if entry.name in (settings.FILE_NAME, PROFILE) and not (workspace / entry.name).exists():
                data = tar.extractfile(entry)
                assert data is not None  # checked before
                found[entry.name] = data.read()
    if (workspace / settings.FILE_NAME).exists():
        kept = brought.Brought(None, found.get(PROFILE))
    else:
        kept = brought.look_at(found.get(settings.FILE_NAME), found.get(PROFILE), workspace, trust=trust)
    text = None if kept.text is None else kept.text.encode()
    for name, content in ((settings.FILE_NAME, text), (PROFILE, kept.profile)):
        if content is not None:
            private.make_folder(workspace)
            private.write(workspace / name, content)
    return kept.shown


async def restore(
    db: Database, source: Path, archive: Path, manifest: dict[str, Any], progress: Progress
) -> Restored:
    """Files first, then all rows at once; on a database that has none."""
    await _require_room(db, archive, manifest["schema"])
    done = Restored(manifest["made_at"])
    with _opened(source) as tar:
        members = {entry.name: entry for entry in tar}
        for name, entry in members.items():
            if name.startswith(ARCHIVE):
                _unpack(tar, entry, archive / name.removeprefix(ARCHIVE))
                done.archive_files += 1
                progress("archive", done.archive_files)
        named = {name: table for table in dump.tables() if (name := _member(table)) in members}
        async with db.write() as tx, dump.without_triggers(db, tx, named.values()):
            for name, table in named.items():
                data = tar.extractfile(members[name])
                assert data is not None  # checked before
                with gzip.GzipFile(fileobj=data) as lines:
                    rows = await dump.load(tx, table, iter(lines), partial(_anew, table.name, done.made_at))
                done.rows += rows
                progress(table.name, rows)
            await dump.count_on(db, tx, named.values())
    await schema.upgrade(db)
    return done


def _member(table: Table) -> str:
    return f"{TABLES}{table.name}.jsonl.gz"


def _anew(table: str, moment: str, row: dict[str, Any]) -> bool:
    """Change what is no longer true of a row; False if the row is to be left out."""
    if table == "domain_crawl":
        row["lease_epoch"] += _RAISED_BY
        if row["claimed_by"] is not None:
            row["due_at"] = row["claim_expires_at"] = moment
    elif table == "workers":
        row["stopped_at"] = row["stopped_at"] or moment
    elif table == "listener_cursors":
        row["held_by"] = row["held_until"] = None
    elif table == "events":
        row["tx"] = 0  # numbers of transactions mean nothing in another database
    elif table == "register":
        return bool(row["name"] != "events_fed_below")
    return table not in ("web_sessions", "parts")


async def _require_room(db: Database, archive: Path, revision: str) -> None:
    schema.require_known(revision)
    found = await schema.current(db)
    if found is None:
        await schema.upgrade(db, revision)
    else:
        async with db.read() as tx:
            if await store.has_rows(tx):
                raise Refused(f"{db.shown_url} is not empty; restore into a new workspace or database")
        if found != revision:
            await schema.downgrade(db, "base")
            await schema.upgrade(db, revision)
    if _is_used(archive):
        raise Refused(f"{archive} is not empty; restore into a new workspace")


def _is_used(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _unpack(tar: tarfile.TarFile, entry: tarfile.TarInfo, target: Path) -> None:
    data = tar.extractfile(entry)
    assert data is not None  # checked before
    try:
        if not target.parent.is_dir():
            make_folder(target.parent)
        with private.opened(target) as file:
            while part := data.read(_CHUNK):
                file.write(part)
    except OSError as error:
        raise Refused(f"{target} cannot be written: {error.strerror}; is there room on the disk?") from None


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    raw: IO[bytes]
    try:
        with source.open("rb") as raw, tarfile.open(fileobj=raw, mode="r:") as tar:
            yield tar
    except OSError as error:
        raise Refused(f"{source} cannot be read: {error.strerror or error}") from None
    except (tarfile.TarError, orjson.JSONDecodeError, EOFError):
        raise Refused(f"{source} is no backup, or is cut off; nothing was restored") from None
