"""The settings and the profile that a backup brings: looked at before they are obeyed.

A backup may have been made by somebody else. Its settings say where files are written and read and which
database is used; whatever of this leads out of the new workspace is refused, unless a person says that the
settings can be trusted. A profile of one's own is in the backup and lies in the workspace afterwards.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from surveyor import settings
from surveyor.errors import Refused
from surveyor.profiles.files import BUILT_IN

PROFILE = "profile.toml"
# Settings that name a file or a folder, by the last part of their name or by the section of a table.
_PATHS, _PATH_TABLES = ("path", "file", "folder", "dir"), ("secret_files",)
# Whoever these name is given the register, or says what is in it.
_STORES = ("database.url", "frontier.url")
_SECRET = re.compile(r"key|secret|password|token")
_PROFILE_LINE = re.compile(r"^\s*profile\s*=.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Brought:
    """What will be written into the workspace; `shown` is for people, without secrets."""

    text: str | None = None
    profile: bytes | None = None
    shown: dict[str, str] = field(default_factory=dict)


def look_at(text: bytes | None, profile: bytes | None, workspace: Path, *, trust: bool = False) -> Brought:
    """What the backup brings, or why it is not taken."""
    if text is None and profile is None:
        return Brought()
    decoded = _decoded(text or b"")
    if profile is not None:
        decoded = naming_profile(decoded, PROFILE, "the backup's ")
    values = dict(_flat(_parsed(decoded)))
    if not trust:
        _require_inside(values, workspace)
    given = {name: _shown(name, value) for name, value in values.items() if value not in ("", [], {})}
    return Brought(decoded, profile, given)


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(f"the backup's {settings.FILE_NAME} is not UTF-8; nothing was restored") from None


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(
            f"the backup's {settings.FILE_NAME} is not TOML ({error}); nothing was restored"
        ) from None


def naming_profile(text: str, named: str, whose: str = "") -> str:
    """The same settings, naming this profile."""
    values = _parsed(text)
    line = f'profile = "{named}"'
    changed = _PROFILE_LINE.sub(line, text, count=1) if "profile" in values else f"{line}\n{text}"
    if _parsed(changed) != values | {"profile": named}:
        raise Refused(f"{whose}{settings.FILE_NAME} names its profile in a way that cannot be changed")
    return changed


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def _require_inside(values: Mapping[str, Any], workspace: Path) -> None:
    leading = [name for name, value in values.items() if _leads_out(name, value, workspace)]
    if leading:
        shown = ", ".join(f"{name} = {_shown(name, values[name])}" for name in leading)
        raise Refused(
            f"the settings of the backup lead out of the workspace: {shown}; put a {settings.FILE_NAME} of "
            f"your own into {workspace} first, or add --trust-settings if you made it; nothing was restored"
        )


def _leads_out(name: str, value: Any, workspace: Path) -> bool:
    if not isinstance(value, str) or not value or _is_overruled(name):
        return False
    if name in _STORES:
        return True
    if name == "profile":
        return value not in BUILT_IN and not _is_inside(value, workspace)
    return _is_path(name) and not _is_inside(value, workspace)


def _is_overruled(name: str) -> bool:
    return settings.ENV_PREFIX + name.replace(".", "__").upper() in os.environ


def _is_path(name: str) -> bool:
    *sections, last = name.split(".")
    return last.rpartition("_")[2] in _PATHS or any(one in _PATH_TABLES for one in sections)


def _is_inside(path: str, workspace: Path) -> bool:
    base = workspace.absolute().resolve()
    try:
        return (base / path).resolve().is_relative_to(base)
    except (OSError, ValueError, RuntimeError):
        return False


def _shown(name: str, value: Any) -> str:
    if _SECRET.search(name.rpartition(".")[2]) and not _is_path(name):
        return "(hidden)"
    text = str(value)
    try:
        parts = urlsplit(text)
    except ValueError:
        return text
    return text.replace(f":{parts.password}@", ":***@") if parts.password else text
