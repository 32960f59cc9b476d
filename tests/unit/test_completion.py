"""Completion is installed by one command, and knows the commands and their options."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from unittest import mock

import pytest

from tests.support.cli_help import surveyor


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_knows_commands_and_options(shell: str) -> None:
    script = surveyor("completion", "--shell", shell, "--show").out
    assert "domain-status" in script and "max-pages-per-domain" in script


def test_one_command_installs_it(tmp_path: Path) -> None:
    ran = surveyor("completion", "--shell", "bash", HOME=str(tmp_path))
    assert ran.code == 0 and ran.err.startswith("written: ")
    written = Path(ran.err.removeprefix("written: ").partition(";")[0])
    assert tmp_path in written.parents
    with mock.patch.dict(os.environ, {"HOME": str(tmp_path)}):
        ask = 'source "$0"; COMP_WORDS=(surveyor domain-st); COMP_CWORD=1; complete -p surveyor'
        done = subprocess.run(["bash", "-c", ask, str(written)], capture_output=True, text=True, check=True)
    assert "surveyor" in done.stdout
