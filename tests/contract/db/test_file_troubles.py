"""A SQLite file that is damaged, a folder that is read-only, a full disk: one line that says what to do."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from surveyor import workspaces
from surveyor.db import Database
from surveyor.errors import BadSettings, DatabaseError, DatabaseUnreachable
from surveyor.settings import DatabaseSettings
from tests.support.full_disk import files_limited_to


async def _count(path: Path) -> None:
    db = Database.open(DatabaseSettings(url=f"sqlite:///{path}"), path.parent)
    try:
        async with db.read() as tx:
            await tx.execute(text("SELECT count(*) FROM domains"))
    finally:
        await db.close()


async def test_a_file_that_is_no_database_is_told_with_its_name_and_the_way_out(tmp_path: Path) -> None:
    file = tmp_path / "surveyor.db"
    file.write_bytes(b"not a database at all, " * 100)
    with pytest.raises(DatabaseError) as told:
        await _count(file)
    assert str(file) in str(told.value) and "`surveyor restore`" in str(told.value)
    assert "\n" not in str(told.value)


async def test_a_file_with_a_damaged_page_is_told_too(tmp_path: Path) -> None:
    file = tmp_path / "surveyor.db"
    with sqlite3.connect(file) as plain:
        plain.execute("CREATE TABLE domains (name TEXT)")
        plain.executemany("INSERT INTO domains VALUES (?)", [("x" * 3000,) for _ in range(50)])
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * 4096 * 20)
    with pytest.raises(DatabaseError, match=r"is damaged: .*`surveyor restore`"):
        await _count(file)


async def test_a_full_disk_is_told_with_what_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "surveyor.db"
    db = Database.open(DatabaseSettings(url=f"sqlite:///{file}"), tmp_path)
    try:
        async with db.write() as tx:
            await tx.execute(text("CREATE TABLE domains (name TEXT)"))
        told = pytest.raises(DatabaseUnreachable, match=r"make room on its disk.*what was committed is kept")
        with told, files_limited_to(200_000):
            async with db.write() as tx:
                for _ in range(400):
                    await tx.execute(text("INSERT INTO domains VALUES (:name)"), {"name": "x" * 4000})
        async with db.read() as tx:
            assert (await tx.execute(text("SELECT count(*) FROM domains"))).scalar_one() == 0
    finally:
        await db.close()


async def test_a_folder_that_does_not_let_us_in_is_told_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "surveyor.db"
    file.mkdir(parents=True)  # as root, permissions refuse nothing; a folder in the file's place does
    with pytest.raises(DatabaseUnreachable, match="make the file and its folder writable"):
        await _count(file)


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not hold root back")
async def test_a_read_only_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "surveyor.db"
    sqlite3.connect(file).execute("CREATE TABLE domains (name TEXT)").connection.close()
    file.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DatabaseUnreachable, match="make the file and its folder writable"):
            await _count(file)
    finally:
        tmp_path.chmod(0o700)


async def test_a_workspace_that_found_no_room_is_made_anew_and_not_taken_for_one(tmp_path: Path) -> None:
    folder = tmp_path / "grants"
    with pytest.raises(BadSettings, match="cannot be written"), files_limited_to(100):
        await workspaces.make(folder, "community")
    assert list(folder.iterdir()) == []
    made = await workspaces.make(folder, "community")
    assert made.is_new and made.profile == "community"
    assert "contact" in (folder / "surveyor.toml").read_text()
