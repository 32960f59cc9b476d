"""What a command does not need it does not load: a list is there before one looks away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli_help import environment, surveyor

# Each takes longer to load than a list takes to print.
_HEAVY = ("aiohttp", "alembic", "fastapi", "lxml", "PIL", "phonenumbers", "redis", "selectolax")
_STAGES = (
    "surveyor.crawl.worker",
    "surveyor.discover.spam",
    "surveyor.extract.worker",
    "surveyor.judge.panel",
)
_CODE = """
import sys
from surveyor.cli import run
code = run(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "command",
    [
        ["domain-status"],
        ["review"],
        ["approve", "a.example"],
        ["events"],
        ["submit", "b.example"],
    ],
    ids=lambda command: str(command[0]),
)
def test_a_command_that_looks_up_or_decides_loads_neither_client_nor_judges(
    tmp_path: Path, command: list[str]
) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    assert surveyor("submit", "a.example", "--for-review", workspace=tmp_path / "ws").code == 0
    done = subprocess.run(
        [sys.executable, "-c", _CODE, "--workspace", tmp_path / "ws", *command],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert "surveyor.bootstrap" in loaded
    assert loaded & {*_HEAVY, *_STAGES} == set()
