"""Makes workspaces: a folder with settings, a migrated database and a bound profile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from surveyor import private, settings
from surveyor.bootstrap.workspace import Workspace
from surveyor.db import Database, schema
from surveyor.errors import BadSettings, UsageError
from surveyor.profiles import files, loader
from surveyor.registry import service

_TEMPLATE = """\
# Settings of this Surveyor workspace. The environment is stronger:
# SURVEYOR_CRAWL__DELAY_SECONDS=5 sets delay_seconds in [crawl].

profile = "{profile}"

[net]
# Sent with every request, so that the owner of a site can reach you.
contact = ""

[database]
# Empty: SQLite in this folder. For many workers: postgresql://user@host/name
url = ""
"""


@dataclass(frozen=True, slots=True)
class Made:
    path: Path
    profile: str
    is_new: bool
    replaced_profile: str | None
    languages: tuple[str, ...]


async def make(folder: Path, profile: str | None) -> Made:
    """Make it, or bring an existing one up to date. Nothing that is there is overwritten."""
    file = folder / settings.FILE_NAME
    is_new = not file.exists()
    if not is_new and profile is not None and settings.load(folder).profile != profile:
        raise UsageError(f"{file} names another profile; change it there, then run `surveyor init` again")
    loaded_profile = loader.load(profile, Path()) if profile else None
    if is_new:
        _write(folder, file, _named(profile or "funding"))
    loaded = settings.load(folder)
    present = loaded_profile or loader.load(loaded.profile, folder)
    db = Database.open(loaded.database, folder)
    try:
        await schema.upgrade_register(loaded.database, folder)
        replaced = await service.bind_profile(db, present.name, present.hash)
        workspace = Workspace(folder, loaded, db)
        workspace.profile = present
        await workspace.profile_head()  # the register keeps it from here on
        if not db.is_sqlite:
            db.mark(folder)
    finally:
        await db.close()
    return Made(folder, present.name, is_new, replaced, present.languages)


def _named(profile: str) -> str:
    """A path is kept whole, because the workspace may lie elsewhere."""
    return profile if profile in files.BUILT_IN else str(Path(profile).absolute())


def _write(folder: Path, file: Path, profile: str) -> None:
    escaped = profile.replace("\\", "\\\\").replace('"', '\\"')
    try:
        private.make_folder(folder)
        private.write(file, _TEMPLATE.format(profile=escaped).encode())
    except OSError as error:
        raise BadSettings(f"{folder} cannot be written: {error.strerror}; choose another folder") from None
