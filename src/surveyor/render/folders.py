"""What a browser keeps on disk: one folder with its profile and its temporary files, removed with it.

Where the worker was killed, the next browser on the machine removes it: the lock on a folder is free then,
however its worker ended.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from surveyor.render.memory import is_used

try:
    import fcntl
except ImportError:  # no such locks here: nobody can tell whose folder it is, so it stays
    fcntl = None  # type: ignore[assignment]

_NAME: Final = "surveyor-browser-"
_LOCK: Final = "lock"
# Seconds within which a folder is locked by who made it.
_BIRTH: Final = 60.0
# A browser that was killed may write its last file while its folder is being removed: tries, and seconds.
_TRIES, _PAUSE = 20, 0.05


class BrowserFolder:
    """For a thread: files are touched."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_NAME))
        self._lock = os.open(self.path / "new", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (self.path / "new").rename(self.path / _LOCK)  # under this name it is never seen unlocked

    def remove(self) -> None:
        _remove(self.path)
        os.close(self._lock)


def sweep() -> None:
    """Remove the folders of browsers whose worker is gone; one that still ends is left to the next sweep."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_NAME}*"):
        with suppress(OSError):
            if not (folder / _LOCK).exists():
                _remove_unborn(folder)
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                if fcntl is not None and folder.lstat().st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if not is_used(folder):
                        _remove(folder)
            finally:
                os.close(lock)


def _remove_unborn(folder: Path) -> None:
    """One whose worker was killed before it could lock it; a living one does so within its first moment."""
    made = folder.lstat()
    if made.st_uid == os.geteuid() and time.time() - made.st_mtime > _BIRTH:
        _remove(folder)


def _remove(folder: Path) -> None:
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break
        time.sleep(_PAUSE)
