"""What a browser keeps on disk: one folder of ours and its profile, removed with it.

Its driver removes what it made, unless it is killed; then we do. Where the worker was killed with it, the
next browser on the machine does: the lock on a folder is free then, however its worker ended.
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
# How the driver names the folders that it makes; nothing else is ever removed.
_PROFILE_NAME: Final = "playwright_chromiumdev_profile-"
_LOCK, _PROFILE = "lock", "profile"
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

    def remember(self, profile: Path | None) -> None:
        """The folder that the driver made for the browser, so that it can be removed in its place."""
        if profile is not None and profile.name.startswith(_PROFILE_NAME):
            (self.path / _PROFILE).symlink_to(profile)

    def remove(self) -> None:
        _remove(self.path)
        os.close(self._lock)


def sweep() -> None:
    """Remove the folders of browsers whose worker is gone; one that still ends is left to the next sweep."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_NAME}*"):
        with suppress(OSError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                if fcntl is not None and folder.lstat().st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    profile = _profile(folder)
                    if profile is None or not is_used(profile):
                        _remove(folder)
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    profile = _profile(folder)
    for each in (folder,) if profile is None else (profile, folder):
        for _ in range(_TRIES):
            shutil.rmtree(each, ignore_errors=True)
            if not each.exists():
                break
            time.sleep(_PAUSE)


def _profile(folder: Path) -> Path | None:
    with suppress(OSError):
        profile = (folder / _PROFILE).readlink()
        return profile if profile.name.startswith(_PROFILE_NAME) else None
    return None
