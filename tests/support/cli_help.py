"""Runs commands as a person would; in this process, because a start costs a second, or in their own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from surveyor import cli
from tests.support.forked import Forked


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, f"no JSON; exit code {self.code}: {self.err}"
        return json.loads(self.out)


# A crawl that meets a page without text would start a browser, which takes seconds.
NO_BROWSER = ("SURVEYOR_CRAWL__RENDER", "never")


def environment(**settings: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")}
    return clean | dict([NO_BROWSER]) | settings


def surveyor(*arguments: str | Path, workspace: Path | None = None, stdin: str = "", **settings: str) -> Ran:
    """Run a command to its end, with what it printed."""
    with mock.patch.dict(os.environ, environment(**settings), clear=True), _streams(stdin) as (out, err):
        code = cli.run(_whole(arguments, workspace))
    return Ran(code, out.getvalue().decode(), err.getvalue().decode())


def start(
    *arguments: str | Path, workspace: Path | None = None, stdin: int | None = None, **settings: str
) -> subprocess.Popen[bytes]:
    """Start a command in a process of its own, to be interrupted or killed."""
    return subprocess.Popen(
        [sys.executable, "-m", "surveyor", *_whole(arguments, workspace)],
        env=environment(**settings),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_hear_interrupts,
    )


def fork(*arguments: str | Path, workspace: Path | None = None, **settings: str) -> Forked:
    """The same without the time to load, for a command that is left alone until it ends."""
    return Forked("surveyor", _whole(arguments, workspace), environment(**settings), Path.cwd())


def _hear_interrupts() -> None:
    """Whoever was started in the background ignores interrupts, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _whole(arguments: tuple[str | Path, ...], workspace: Path | None) -> list[str]:
    place = ["--workspace", str(workspace)] if workspace else []
    return [*place, *map(str, arguments)]


@contextmanager
def _streams(stdin: str) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, err = io.BytesIO(), io.BytesIO()
    texts = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for raw in (out, err)]
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with (
        mock.patch.object(sys, "stdin", given),
        mock.patch.object(sys, "stdout", texts[0]),
        mock.patch.object(sys, "stderr", texts[1]),
    ):
        yield out, err
    for text in texts:
        text.detach()
