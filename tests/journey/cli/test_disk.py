"""No room, no permission, a slip of the hand, an interrupt while loading: one line each, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli_help import environment, surveyor


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    assert surveyor("init", folder).code == 0
    assert surveyor("ingest-seeds", "-", workspace=folder, stdin="example.org\n").code == 0
    return folder


@pytest.mark.parametrize("arguments", [["--help"], ["export", "domains"], ["domain-status", "--json"]])
def test_output_that_does_not_fit_is_one_line_that_says_what_to_do(
    workspace: Path, arguments: list[str]
) -> None:
    command = [sys.executable, "-m", "surveyor", *arguments]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            command,
            env=environment(SURVEYOR_WORKSPACE=str(workspace)),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert "no space left on device; make room or name another place, then run it again" in line


def test_a_full_disk_under_the_log_does_not_stop_the_work(workspace: Path) -> None:
    command = [sys.executable, "-m", "surveyor", "crawl", "--json"]
    closed = {
        "SURVEYOR_NET__HOSTS": '{"example.org": "127.0.0.1:1"}',
        "SURVEYOR_NET__ALLOW": '["127.0.0.0/8"]',
    }
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            command,
            env=environment(SURVEYOR_WORKSPACE=str(workspace), **closed),
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            timeout=120,
        )
    assert ran.returncode == 0 and json.loads(ran.stdout)["domains"] == 1


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--depth", "-1", "a depth is 0 to 1,000, not -1"),
        ("--depth", "99999999999999", "a depth is 0 to 1,000, not 99999999999999"),
        ("--delay", "nan", "a delay in seconds is 0 to 86,400, not nan"),
        ("--delay", "inf", "a delay in seconds is 0 to 86,400, not inf"),
        ("--max-pages", "0", "a number of pages per run is 1 to 10,000,000, not 0"),
        ("--every-hours", "-3", "a number of hours between two visits is 1 to 87,600, not -3"),
    ],
)
def test_a_limit_that_cannot_be_is_refused_in_one_line(
    workspace: Path, option: str, value: str, told: str
) -> None:
    ran = surveyor("domain-edit", "example.org", option, value, workspace=workspace)
    assert ran.code != 0 and told in ran.err and "CHECK" not in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_folder_in_which_nothing_can_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = surveyor("init", tmp_path / "file" / "ws")
    assert ran.code != 0 and len(ran.err.splitlines()) == 1 and "cannot be written" in ran.err


def test_a_damaged_register_is_one_line_that_says_what_to_do(workspace: Path) -> None:
    (workspace / "surveyor.db").write_bytes(b"rubbish " * 1000)
    for leftover in workspace.glob("surveyor.db-*"):
        leftover.unlink()
    ran = surveyor("domain-status", workspace=workspace)
    assert ran.code == 1 and "is damaged" in ran.err and "`surveyor restore`" in ran.err
    assert len(ran.err.splitlines()) == 1


_INTERRUPTED_WHILE_LOADING = """
import sys
class Interrupts:
    def find_spec(self, name, *_):
        if name == "cyclopts":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
from surveyor import cli
sys.exit(cli.run(["up"]))
"""


def test_an_interrupt_while_the_program_loads_is_no_traceback() -> None:
    command = [sys.executable, "-c", _INTERRUPTED_WHILE_LOADING]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (130, "interrupted\n")
