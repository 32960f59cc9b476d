"""Another profile for a workspace: written beside its settings, the one before it kept to be taken back.

The file is first, the register second: whoever dies between the two leaves a workspace whose commands say
that its profile is another one and what to run. Other machines have files of their own.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from surveyor import private, settings
from surveyor.db import Database
from surveyor.errors import NotFound, ProfileMismatch, Refused
from surveyor.operations.brought import PROFILE, naming_profile
from surveyor.profiles import files, loader
from surveyor.profiles.model import Profile
from surveyor.registry import service
from surveyor.registry.actors import Actor

FOLDER = "profiles"
_KEPT = re.compile(r"(\d{8}-\d{6}-\d{6})-([a-z0-9-]{1,60})-([0-9a-f]{12})\.toml")
_SHOWN = 10


class Kept(NamedTuple):
    """A profile that was the workspace's once."""

    file: str
    name: str
    hash: str  # its first twelve digits
    until: datetime


def text_of(workspace: Path, named: str) -> bytes:
    """What the file of the present profile says."""
    return files.read(named, workspace)


def kept(workspace: Path) -> list[Kept]:
    """Those that were replaced here, the latest first."""
    folder = workspace / FOLDER
    names = sorted((each.name for each in folder.iterdir()), reverse=True) if folder.is_dir() else []
    found = [(name, match) for name in names if (match := _KEPT.fullmatch(name))]
    return [
        Kept(name, match[2], match[3], datetime.strptime(match[1], "%Y%m%d-%H%M%S-%f").replace(tzinfo=UTC))
        for name, match in found[:_SHOWN]
    ]


def kept_text(workspace: Path, file: str) -> bytes:
    if not _KEPT.fullmatch(file) or not (workspace / FOLDER / file).is_file():
        raise NotFound("that profile is not kept here any more")
    return (workspace / FOLDER / file).read_bytes()


def require_seen(present: Profile, seen_hash: str) -> Profile:
    """The present profile, if it is the one that somebody compared with."""
    if present.hash != seen_hash:
        raise ProfileMismatch("the profile was changed meanwhile; compare with the present one first")
    return present


async def activate(db: Database, workspace: Path, text: bytes, seen: Profile, by: Actor) -> str:
    """Make this the workspace's profile; returns how the settings name it from now on.

    `seen` is the one it was compared with. A built-in profile goes by its name again.
    """
    if settings.ENV_PREFIX + "PROFILE" in os.environ:
        raise Refused(f"the environment names the profile ({settings.ENV_PREFIX}PROFILE); change it there")
    loaded = loader.parse(text, "draft")
    if loaded.hash == seen.hash:
        raise Refused("the draft says what the present profile says; nothing was changed")
    file = workspace / settings.FILE_NAME
    before, named = file.read_bytes(), _built_in(loaded) or PROFILE
    own = workspace / PROFILE
    own_before = own.read_bytes() if own.is_file() else None
    _keep(workspace, settings.load(workspace).profile, seen)
    if named == PROFILE:
        private.write(own, text)
    private.write(file, naming_profile(before.decode("utf-8-sig"), named).encode())
    try:
        await service.change_profile(db, loaded.name, loaded.hash, seen.hash, by)
    except BaseException:
        private.write(file, before)
        if own_before is not None:
            private.write(own, own_before)
        raise
    return named


def _built_in(profile: Profile) -> str | None:
    is_that = profile.name in files.BUILT_IN and loader.load(profile.name).hash == profile.hash
    return profile.name if is_that else None


def _keep(workspace: Path, named: str, seen: Profile) -> None:
    present = files.read(named, workspace)
    if loader.parse(present, named).hash != seen.hash:
        raise Refused("the file of the profile was changed meanwhile; load the page again")
    private.make_folder(workspace / FOLDER)
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    private.write(workspace / FOLDER / f"{moment}-{seen.name}-{seen.hash[:12]}.toml", present)
