"""What must pass before anything lands names every test that needed a second try."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_DEV = """#!/usr/bin/env bash
[ "$1" = lint ] && exit 0
shift
processes="${{SURVEYOR_TEST_PROCESSES:-2}}"
exec "{python}" -m pytest -q -n "$processes" --dist loadgroup --rootdir . "$@" tests_here.py
"""
_TESTS = """
from pathlib import Path
import pytest

def test_well(): pass

@pytest.mark.xdist_group("kept together")
def test_on_a_busy_machine():
    first = Path("was_here")
    if not first.exists():
        first.touch()
        raise AssertionError("too late")

def test_broken(): assert {broken}
"""


@pytest.mark.parametrize("broken", [True, False])
def test_a_test_that_passed_only_on_the_second_try_is_named_at_the_end(tmp_path: Path, broken: bool) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(_ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "dev").write_text(_DEV.format(python=sys.executable))
    (tmp_path / "dev").chmod(0o755)
    (tmp_path / "tests_here.py").write_text(_TESTS.format(broken=not broken))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([tmp_path / ".ci" / "run"], capture_output=True, text=True, env=clean)
    told = done.stdout.splitlines()
    at = told.index("passed only on the second try: 1")
    assert told[at + 1] == "  tests_here.py::test_on_a_busy_machine"
    assert told[at + 2 :] == (["failed twice: 1", "  tests_here.py::test_broken"] if broken else [])
    assert (done.returncode != 0) is broken
