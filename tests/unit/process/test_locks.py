"""Lock files of workers: who lives is never taken for dead, who died is known at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from surveyor.errors import Refused
from surveyor.process.locks import WorkerLock, is_dead

_HOLD = """
import sys, time
from pathlib import Path
from surveyor.process.locks import WorkerLock
lock = WorkerLock(Path(sys.argv[1]), sys.argv[2])
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workers"


def _holder(folder: Path, worker: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", _HOLD, str(folder), worker], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_worker_without_a_file_is_dead(folder: Path) -> None:
    assert is_dead(folder, "never-was")


def test_another_process_is_alive_until_it_is_killed(folder: Path) -> None:
    with _holder(folder, "w") as process:
        for _ in range(5):
            assert not is_dead(folder, "w")
        with pytest.raises(Refused, match="a worker named w is at work already"):
            WorkerLock(folder, "w")
        assert not is_dead(folder, "w"), "being refused did not hurt it"
        process.kill()
        process.wait()
        assert is_dead(folder, "w")
        assert list(folder.iterdir()) == [], "its file is cleared away"
        assert is_dead(folder, "w")


def test_one_that_may_be_elsewhere_is_dead_only_where_this_boot_of_this_machine_left_its_file(
    folder: Path,
) -> None:
    assert not is_dead(folder, "elsewhere", may_be_elsewhere=True), "it may be on another machine"
    with _holder(folder, "w") as process:
        assert not is_dead(folder, "w", may_be_elsewhere=True)
        process.kill()
        process.wait()
        left = folder / "w.lock"
        (folder / "of-another-machine.lock").write_bytes(b"x" * len(left.read_bytes()))
        assert not is_dead(folder, "of-another-machine", may_be_elsewhere=True)
        assert is_dead(folder, "w", may_be_elsewhere=True) and not left.exists()
    lock = WorkerLock(folder, "me")
    assert not is_dead(folder, "me", may_be_elsewhere=True)
    assert _seen_as_dead_from_outside(folder, "me") == "False", "the look did not drop the lock"
    lock.close()


def test_ones_own_look_does_not_drop_ones_own_lock(folder: Path) -> None:
    lock = WorkerLock(folder, "me")
    assert not is_dead(folder, "me")
    assert not is_dead(Path(os.path.relpath(folder)), "me"), "nor under another spelling of the folder"
    assert _seen_as_dead_from_outside(folder, "me") == "False"
    lock.close()
    assert is_dead(folder, "me")


def test_a_name_is_held_once_within_a_process(folder: Path) -> None:
    lock = WorkerLock(folder, "me")
    with pytest.raises(Refused, match="under another name"):
        WorkerLock(folder, "me")
    assert _seen_as_dead_from_outside(folder, "me") == "False"
    lock.close()
    WorkerLock(folder, "me").close()


def test_closing_twice_does_not_close_somebody_elses_file(folder: Path) -> None:
    lock = WorkerLock(folder, "me")
    lock.close()
    second = WorkerLock(folder, "you")
    lock.close()
    assert _seen_as_dead_from_outside(folder, "you") == "False"
    second.close()


def test_a_forked_child_neither_holds_nor_removes_its_parents_lock(folder: Path) -> None:
    lock = WorkerLock(folder, "parent")
    child = os.fork()
    if child == 0:
        lock.close()
        os._exit(1 if is_dead(folder, "parent") else 0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert _seen_as_dead_from_outside(folder, "parent") == "False"
    lock.close()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "ü ber", "nul\tl", "." * 3])
def test_no_name_leads_out_of_the_folder(folder: Path, name: str) -> None:
    lock = WorkerLock(folder, name)
    assert lock.path.parent == folder.resolve()
    lock.close()


def _seen_as_dead_from_outside(folder: Path, worker: str) -> str:
    code = (
        "import sys; from pathlib import Path; from surveyor.process.locks import is_dead;"
        "print(is_dead(Path(sys.argv[1]), sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), worker], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
