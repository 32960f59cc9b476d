"""Finds a profile by name or path, reads it, and says in one line what is wrong with it."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from surveyor.errors import BadProfile
from surveyor.profiles import files
from surveyor.profiles.mistakes import every, explained, one_line
from surveyor.profiles.model import Profile
from surveyor.profiles.values import shown


def load(name_or_path: str, base: Path | None = None) -> Profile:
    """A built-in profile by its name, else the file at that path, relative to `base`."""
    return parse(files.read(name_or_path, base), name_or_path)


def parse(data: bytes, asked: str) -> Profile:
    """The profile that a file holds."""
    try:
        return Profile.model_validate(_parsed(data, asked))
    except ValidationError as error:
        raise BadProfile(f"profile {shown(asked)}: {explained(error)}") from None


def read(name_or_path: str, base: Path | None = None) -> dict[str, Any]:
    """What a profile's file says, unchecked."""
    return _parsed(files.read(name_or_path, base), name_or_path)


def faults(name_or_path: str, base: Path | None = None) -> list[str]:
    """Everything that is wrong with a profile's fields, one line each; empty if nothing is."""
    return _faults(read(name_or_path, base))


def faults_of(data: bytes) -> list[str]:
    """As `faults`, of a text that is no file yet."""
    return _faults(_parsed(data, "draft"))


def _faults(said: dict[str, Any]) -> list[str]:
    try:
        Profile.model_validate(said)
    except ValidationError as error:
        return every(error)
    return []


def _parsed(data: bytes, asked: str) -> dict[str, Any]:
    try:
        # Some editors put a byte order mark before UTF-8; it means nothing.
        return tomllib.loads(data.decode("utf-8-sig"), parse_float=Decimal)
    except UnicodeDecodeError:
        raise BadProfile(f"profile {shown(asked)} is not UTF-8; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadProfile(f"profile {shown(asked)} is not valid TOML: {one_line(str(error))}") from None
    except (ValueError, ArithmeticError):
        raise BadProfile(
            f"profile {shown(asked)} holds a number too large to read; write it shorter"
        ) from None
    except RecursionError:
        raise BadProfile(f"profile {shown(asked)} is nested too deeply; is it the right file?") from None
