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
    "import sys; from surveyor.render.folders import BrowserFolder;"
    "folder = BrowserFolder(); print(folder.path, flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def filled(folder: BrowserFolder) -> BrowserFolder:
    (folder.path / "profile").mkdir()
    (folder.path / "profile" / "Cookies").touch()
    return folder


def test_a_folder_goes_with_its_browser_and_takes_the_profile_along(temporary: Path) -> None:
    filled(BrowserFolder()).remove()
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_what_a_killed_worker_left_is_swept_and_that_of_a_living_one_stays(temporary: Path) -> None:
    living = filled(BrowserFolder())
    worker = subprocess.Popen(
        [sys.executable, "-c", _HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    try:
        assert worker.stdout is not None
        left = Path(worker.stdout.readline().strip())
        sweep()
        assert left.is_dir()
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
    sweep()
    assert list(temporary.iterdir()) == [living.path]
    living.remove()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_what_a_worker_left_that_was_killed_before_its_lock_is_swept_when_it_is_old(temporary: Path) -> None:
    young, old = temporary / "surveyor-browser-young", temporary / "surveyor-browser-old"
    foreign = temporary / "surveyor-documents"
    for each in (young, old, foreign):
        each.mkdir()
        if each is not young:
            os.utime(each, (0, 0))
    sweep()
    assert set(temporary.iterdir()) == {young, foreign}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at on Linux only")
def test_a_folder_whose_browser_still_ends_is_left_to_the_next_sweep(temporary: Path) -> None:
    left = temporary / "surveyor-browser-left"
    left.mkdir()
    (left / "lock").touch()
    line = [sys.executable, "-c", "print(flush=True); input()", f"--user-data-dir={left}/profile"]
    browser = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert browser.stdout is not None and browser.stdout.readline()
    sweep()
    assert left.is_dir()
    browser.communicate(b"\n")
    sweep()
    assert not left.exists()
