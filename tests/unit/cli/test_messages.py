"""Messages for a person fit their terminal; a pipe gets them whole."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys

import pytest

from surveyor.cli import named, runtime
from surveyor.errors import BadInput

LONG = "3 lines: 1 new domain queued for review, 1 already known, 1 page below start pages queued, 1 bad"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


def said_on_a_terminal(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    out = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr", out)
        patched.setattr(os, "get_terminal_size", lambda _: os.terminal_size((60, 24)))
        runtime.say(text)
    return out.getvalue()


def test_a_long_message_goes_on_between_two_words_and_is_indented(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = said_on_a_terminal(LONG, monkeypatch).splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert lines[1].startswith("    ")
    assert " ".join(line.strip() for line in lines) == LONG


def test_a_hint_with_a_command_stays_one_line_so_that_it_can_be_pasted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hint = "next: surveyor --workspace a-folder-with-a-long-name ingest-seeds FILE-WITH-A-LONG-NAME"
    assert said_on_a_terminal(hint, monkeypatch) == hint + "\n"


def test_a_pipe_gets_a_message_whole(capsys: pytest.CaptureFixture[str]) -> None:
    runtime.say(LONG)
    assert capsys.readouterr().err == LONG + "\n"


HOSTILE = "ws\x1b[2J\x9b31m\u202e\nnext\udcff"


@pytest.mark.parametrize(
    "error", [BadInput(HOSTILE), ValueError(HOSTILE), OSError(errno.EACCES, "no", HOSTILE)]
)
def test_an_error_that_quotes_a_name_is_one_line_and_steers_no_terminal(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    runtime.failed(error)
    runtime.usage_error(HOSTILE)
    shown = capsys.readouterr().err
    assert shown.count("\n") == 2 and all(line.isprintable() for line in shown.splitlines())


def test_a_terminal_without_our_signs_shows_the_nearest_ones() -> None:
    code = (
        "from surveyor.cli import _say_what_can_be_said as begin; begin();"
        "print('  └─ “Carpați” – Σ … → ç ½ e\u0301')"
    )
    plain = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    said = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, check=True)
    assert said.stdout.decode() == '  `- "Carpati" - ? ... -> c 1/2 e\n'


def test_whoever_types_is_told_how_to_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = Terminal("a.example\n")
    monkeypatch.setattr("sys.stdin", typed)
    assert named.read(["-"], None) == ["a.example"]
    assert "Ctrl-D ends it" in capsys.readouterr().err
