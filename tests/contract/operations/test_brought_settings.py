"""What a backup of somebody else brings: shown, and refused where it leads out of the new workspace."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as sampling
from hypothesis import strategies as st
from pydantic import BaseModel

from surveyor import doctor, private, settings, workspaces
from surveyor.archive import Capture, WarcWriter
from surveyor.bootstrap.workspace import open_workspace
from surveyor.clock import SystemClock
from surveyor.errors import Refused
from surveyor.operations import backup, brought, restore
from surveyor.profiles import files
from surveyor.settings import Settings

FUNDING = Path(files.__file__).with_name("funding.toml")


async def _backup(folder: Path, target: Path) -> Path:
    async with open_workspace(folder) as workspace:
        name = workspace.settings.profile
        own = None if name in files.BUILT_IN else folder / name
        args = (workspace.db, folder, workspace.archive_folder, own, target)
        await backup.backup(*args, lambda *_: None)
    return target


async def _restore(source: Path, folder: Path, **options: Any) -> dict[str, str]:
    manifest = restore.check(source)
    shown = restore.prepare(source, folder, **options)
    async with open_workspace(folder, any_schema=True) as workspace:
        await restore.restore(workspace.db, source, workspace.archive_folder, manifest, lambda *_: None)
    return shown


@pytest.fixture
async def source(tmp_path: Path) -> Path:
    await workspaces.make(tmp_path / "w", "funding")
    return tmp_path / "w"


HOSTILE = [
    '[archive]\npath = "{out}"',
    '[archive]\npath = "../escaped"',
    '[archive]\npath = "a/../../escaped"',
    '[providers.searxng]\nkey_file = "/etc/hostname"',
    '[model]\nkey_file = "../../key"',
    '[listeners.secret_files]\nhook = "/etc/hostname"',
    '[database]\nurl = "sqlite:///{out}/x.db"',
    '[database]\nurl = "postgresql://somebody:hunter2@192.0.2.1/theirs"',
    '[frontier]\nurl = "redis://192.0.2.1/0"',
]


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_settings_that_lead_out_of_the_workspace_are_refused_and_nothing_is_written(
    hostile: str, source: Path, tmp_path: Path
) -> None:
    file, out = await _backup(source, tmp_path / "b.tar"), tmp_path / "outside"
    bad = _with_settings(file, f'profile = "funding"\n{hostile.format(out=out)}\n', tmp_path / "bad.tar")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Refused, match="lead out of the workspace") as told:
        await _restore(bad, tmp_path / "new")
    assert "hunter2" not in str(told.value) and "--trust-settings" in str(told.value)
    assert sorted(tmp_path.rglob("*")) == before


async def test_settings_that_a_person_trusts_are_obeyed_and_shown(source: Path, tmp_path: Path) -> None:
    file, out = await _backup(source, tmp_path / "b.tar"), tmp_path / "outside"
    text = f'profile = "funding"\n[archive]\npath = "{out}"\n[net]\ncontact = "me@example.org"\n'
    shown = await _restore(_with_settings(file, text, tmp_path / "far.tar"), tmp_path / "new", trust=True)
    assert shown == {"profile": "funding", "archive.path": str(out), "net.contact": "me@example.org"}
    assert settings.load(tmp_path / "new").archive.path == str(out)


async def test_settings_that_are_there_already_are_stronger(source: Path, tmp_path: Path) -> None:
    file = await _backup(source, tmp_path / "b.tar")
    bad = _with_settings(file, '[archive]\npath = "/somewhere"\n', tmp_path / "bad.tar")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "surveyor.toml").write_text('profile = "funding"\n', encoding="utf-8")
    assert await _restore(bad, tmp_path / "new") == {}
    assert settings.load(tmp_path / "new").archive.path == "archive"


@pytest.mark.parametrize("is_absolute", [True, False])
async def test_a_profile_of_ones_own_makes_a_working_workspace(is_absolute: bool, tmp_path: Path) -> None:
    own = (tmp_path if is_absolute else tmp_path / "w") / "mine.toml"
    own.parent.mkdir(exist_ok=True)
    own.write_bytes(FUNDING.read_bytes().replace(b'name = "funding"', b'name = "mine"', 1))
    await workspaces.make(tmp_path / "w", str(own))
    if not is_absolute:
        file = tmp_path / "w" / "surveyor.toml"
        text = file.read_text(encoding="utf-8").replace(str(own), "mine.toml")
        file.write_text(text, encoding="utf-8")
    source = await _backup(tmp_path / "w", tmp_path / "b.tar")
    own.unlink()
    shown = await _restore(source, tmp_path / "new")
    assert shown["profile"] == "profile.toml"
    checks = {check.name: check for check in await doctor.examine(tmp_path / "new")}
    assert checks["profile"].result == checks["register"].result == "ok", checks


def _with_settings(source: Path, text: str, target: Path) -> Path:
    """The same backup with other settings, as whole as before."""
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for entry in old:
            data = old.extractfile(entry)
            assert data is not None
            content = data.read()
            if entry.name == "surveyor.toml":
                content = text.encode()
            if entry.name == "manifest.json":
                told = orjson.loads(content)
                digest = hashlib.sha256(text.encode()).hexdigest()
                told["members"]["surveyor.toml"] = {"bytes": len(text.encode()), "sha256": digest}
                content = orjson.dumps(told)
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
    return target


def _texts(model: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _texts(field.annotation, f"{before}{name}.")
        else:
            yield before + name


def test_every_setting_that_sounds_like_a_file_is_looked_at(tmp_path: Path) -> None:
    sounds = [
        n for n in _texts(Settings) if any(w in n.rpartition(".")[2] for w in ("path", "file", "folder"))
    ]
    assert "archive.path" in sounds and "model.key_file" in sounds
    for name in sounds:
        if name != "profile":
            known = f"{name}.any" if name.endswith("files") else name
            assert brought._leads_out(known, "/etc/hostname", tmp_path), name


@sampling(max_examples=150, deadline=None)
@given(
    before=st.lists(
        st.sampled_from(["# profile = 1", "", 'x = "profile = 2"', "y = [1,\n2]"]), unique=True, max_size=3
    ),
    profile=st.one_of(
        st.none(), st.text(st.characters(codec="utf-8", exclude_characters="'\r\n"), max_size=30)
    ),
    after=st.sampled_from(
        ["", "[net]\ncontact = 'a'", "[a]\nprofile = 3", "[[b]]\nz = '''\nprofile = 4\n'''"]
    ),
)
def test_naming_the_profile_beside_it_changes_nothing_else(
    before: list[str], profile: str | None, after: str
) -> None:
    text = "\n".join([*before, *([] if profile is None else [f"profile = '{profile}'"]), after]) + "\n"
    try:
        old = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert tomllib.loads(brought.naming_profile(text, brought.PROFILE)) == old | {"profile": brought.PROFILE}


def _modes(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): stat.S_IMODE(p.stat().st_mode) for p in [folder, *folder.rglob("*")]}


async def test_files_of_a_workspace_and_its_backup_are_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        folder = tmp_path / "made" / "w"
        await workspaces.make(folder, "funding")
        async with open_workspace(folder) as workspace:
            with WarcWriter(workspace.archive_folder, "test", 1_000_000, SystemClock()) as writer:
                writer.append(Capture("https://a.example/", datetime.now(UTC), 200, (), b"hello"))
            async with workspace.db.write() as tx:
                await tx.exec_driver_sql("CREATE TABLE left_open (x INTEGER)")
            modes = _modes(folder)
        file = await _backup(folder, tmp_path / "b.tar")
        await _restore(file, tmp_path / "new")
    finally:
        os.umask(before)
    assert any(name.endswith(".db-wal") for name in modes) and any("archive/" in name for name in modes)
    for known in (modes, _modes(tmp_path / "new")):
        assert {name: mode for name, mode in known.items() if mode & 0o077} == {}
    assert stat.S_IMODE(file.stat().st_mode) == private.FILE


async def test_doctor_says_which_files_others_may_read_and_what_to_run(source: Path) -> None:
    async def rights() -> doctor.Check:
        return next(check for check in await doctor.examine(source) if check.name == "rights")

    assert (await rights()).result == "ok"
    source.chmod(0o755)
    assert (await rights()).result == "ok"
    (source / "surveyor.toml").chmod(0o644)
    found = await rights()
    assert found.result == "warn" and "surveyor.toml" in found.message and "chmod -R go-rwx" in found.message
