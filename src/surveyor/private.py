"""Files and folders for their owner alone: a register holds contacts, notes and keys."""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

FILE, FOLDER = 0o600, 0o700
_OTHERS = 0o077


def make_folder(folder: Path) -> None:
    """Make it and what is missing above it; what is there keeps its rights."""
    missing = takewhile(lambda one: not one.exists(), (folder, *folder.parents))
    for one in reversed(list(missing)):
        one.mkdir(mode=FOLDER, exist_ok=True)


def opened(path: Path) -> BinaryIO:
    """A new or emptied file to write to."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE), "wb")


def write(path: Path, data: bytes) -> None:
    """The file has all of it, or is as it was; one that is a link stays a link."""
    path = path.resolve()
    draft = path.with_name(f".{path.name}.new")
    try:
        with opened(draft) as file:
            file.write(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def is_open_to_others(path: Path) -> bool:
    """Whether anybody but its owner may read or change it; where there are no such rights, nobody may."""
    return os.name == "posix" and bool(path.stat().st_mode & _OTHERS)
