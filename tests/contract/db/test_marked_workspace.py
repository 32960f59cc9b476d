"""A workspace whose register is in PostgreSQL never gets a second one on SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor import doctor, workspaces
from surveyor.bootstrap.workspace import open_workspace
from surveyor.db.engine import DEFAULT_FILE, MARK_FILE
from surveyor.errors import BadSettings

_VARIABLE = "SURVEYOR_DATABASE__URL"


async def test_a_shell_without_the_address_is_refused_with_what_is_missing(
    empty_db_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(_VARIABLE, empty_db_url)
    await workspaces.make(tmp_path, None)
    monkeypatch.delenv(_VARIABLE)
    if empty_db_url.startswith("sqlite"):
        assert not (tmp_path / MARK_FILE).exists(), "a file elsewhere is no reason"
        return
    for act in (_open(tmp_path), _open(tmp_path, any_schema=True), workspaces.make(tmp_path, None)):
        with pytest.raises(BadSettings, match=r"in PostgreSQL \(.*\), .* set SURVEYOR_DATABASE__URL"):
            await act
    assert not (tmp_path / DEFAULT_FILE).exists(), "no second register"
    checks = {check.name: check for check in await doctor.examine(tmp_path)}
    assert checks["database"].result == "fail" and _VARIABLE in checks["database"].message
    (tmp_path / MARK_FILE).unlink()
    await workspaces.make(tmp_path, None)  # begun anew, because somebody wanted it


async def test_a_workspace_from_before_is_marked_by_the_first_command_that_opens_it(
    empty_db_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(_VARIABLE, empty_db_url)
    await workspaces.make(tmp_path, None)
    (tmp_path / MARK_FILE).unlink(missing_ok=True)
    await _open(tmp_path)
    marked = (tmp_path / MARK_FILE).exists()
    assert marked is empty_db_url.startswith("postgresql")
    if marked:
        assert "@" not in (tmp_path / MARK_FILE).read_text(), "neither user nor password"


async def test_an_address_that_is_given_is_followed_whatever_the_mark_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / MARK_FILE).write_text("db.example/surveyor\n")
    monkeypatch.setenv(_VARIABLE, f"sqlite:///{tmp_path}/moved.db")
    await workspaces.make(tmp_path, None)
    await _open(tmp_path)


async def _open(folder: Path, *, any_schema: bool = False) -> None:
    async with open_workspace(folder, any_schema=any_schema):
        pass
