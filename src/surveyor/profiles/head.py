"""What a profile yields, read from its first lines: a list of domains need not wait for all its words."""

from __future__ import annotations

import tomllib
from pathlib import Path

from surveyor.profiles import files

_YIELDS = ("records", "images")


def yields(name_or_path: str, base: Path | None = None) -> str:
    """As `Profile.yields`. A mistake at the head is reported as for the whole profile."""
    head = files.read(name_or_path, base).partition(b"\n[")[0]
    try:
        found = tomllib.loads(head.decode("utf-8-sig")).get("yield", _YIELDS[0])
    except (ValueError, RecursionError):
        found = None
    if found in _YIELDS:
        return str(found)
    from surveyor.profiles import loader

    return loader.load(name_or_path, base).yields
