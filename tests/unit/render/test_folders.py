"""Folders of browsers are removed by whoever can: their worker, or the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from surveyor.render.folders import BrowserFolder, sweep

_HOLD = (
    "import sys; from pathlib import Path; from surveyor.render.folders import BrowserFolder;"
    "folder = BrowserFolder(); folder.remember(Path(sys.argv[1])); print(folder.path, flush=True);"
    "sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def profile(folder: Path, name: str = "playwright_chromiumdev_profile-a") -> Path:
    made = folder / name
    made.mkdir()
    (made / "Cookies").touch()
    return made


def test_a_folder_goes_with_its_browser_and_takes_the_profile_along(temporary: Path) -> None:
    folder = BrowserFolder()
    folder.remember(profile(temporary))
    folder.remove()
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_what_a_killed_worker_left_is_swept_and_that_of_a_living_one_stays(temporary: Path) -> None:
    living, held = BrowserFolder(), profile(temporary)
    worker = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(held)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    try:
        assert worker.stdout is not None
        left = Path(worker.stdout.readline().strip())
        sweep()
        assert left.is_dir() and held.is_dir()
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
    sweep()
    assert list(temporary.iterdir()) == [living.path]
    living.remove()


def test_only_what_the_driver_made_is_taken_along(temporary: Path) -> None:
    foreign = profile(temporary, "documents")
    folder = BrowserFolder()
    folder.remember(foreign)
    (folder.path / "profile").symlink_to(foreign)
    folder.remove()
    assert foreign.is_dir()
