"""A command in a terminal of so many columns, and what a person sees of it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from tests.support.cli_help import environment

_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def seen(
    *arguments: str, workspace: Path, columns: int = 80, progress: bool = False, **settings: str
) -> tuple[int, str]:
    """The exit code and the raw text, styles included; with what goes to standard error if asked for."""
    reading, writing = pty.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    clean = {
        name: value for name, value in environment(**settings).items() if name not in ("COLUMNS", "LINES")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "surveyor", "--workspace", str(workspace), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing if progress else subprocess.DEVNULL,
        env={"TERM": "xterm-256color"} | clean,
    )
    os.close(writing)
    data = b""
    try:
        while chunk := os.read(reading, 65_536):
            data += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(reading)
    return process.wait(60), data.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return _STYLE.sub("", text)
