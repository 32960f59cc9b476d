"""Finds the file of a profile by name or path, and reads it as bytes."""

from __future__ import annotations

from pathlib import Path

from surveyor.errors import BadProfile
from surveyor.profiles.values import shown

BUILT_IN: tuple[str, ...] = ("funding", "community", "images")

_MAX_BYTES = 1_000_000  # ten times the largest built-in; more is some other file


def read(name_or_path: str, base: Path | None = None) -> bytes:
    """A built-in profile by its name, else the file at that path, relative to `base`."""
    if name_or_path in BUILT_IN:
        path = Path(__file__).with_name(f"{name_or_path}.toml")
    else:
        path = (base or Path()) / name_or_path
    try:
        # A device or a pipe might never end.
        if not path.is_file():
            raise FileNotFoundError
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        known = ", ".join(BUILT_IN)
        raise BadProfile(
            f"there is no profile {shown(name_or_path)}: use {known}, or the path of your own TOML file"
            f" (no file {shown(str(path))})"
        ) from None
    except OSError as error:
        raise BadProfile(
            f"profile {shown(name_or_path)} cannot be read: {error.strerror}; check the path and its rights"
        ) from None
    if len(data) > _MAX_BYTES:
        raise BadProfile(f"profile {shown(name_or_path)} is over {_MAX_BYTES:,} bytes; is it the right file?")
    return data
