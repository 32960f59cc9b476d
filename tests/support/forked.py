"""Processes that begin with everything imported: a start costs half a second else, and one of Scrapy seconds.

They are real processes, with their own database connections, locks and death; forked by a server that has
imported the programs and done nothing with them.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import runpy
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

from surveyor.process import failpoints

_PRELOADED = (
    "tests.support.forked",
    "surveyor.cli.crawl",
    "surveyor.cli.extract",
    "surveyor.cli.judge",
    "surveyor.cli.refresh",
    "surveyor.crawl.worker",
    "scrapy.cmdline",
    "scrapy.crawler",
    "surveyor.contrib.scrapy.addon",
)


class Forked:
    """A program with what it said, as far as tests need a `Popen`."""

    def __init__(self, module: str, arguments: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(_PRELOADED))
        self._said = [tempfile.NamedTemporaryFile() for _ in ("out", "err")]  # noqa: SIM115
        files = [said.name for said in self._said]
        self._process: BaseProcess = context.Process(
            target=_run, args=(module, list(arguments), dict(env), str(cwd), files)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """As the kernel would, when memory runs out."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            self.kill()
            raise TimeoutError(*(said.read() for said in self._said))
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Until it ends; what it said on standard output and standard error."""
        self.wait(timeout)
        out, err = (said.read() for said in self._said)
        return out, err


def _run(module: str, arguments: list[str], env: dict[str, str], cwd: str, files: list[str]) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for stream, name in enumerate(files, start=1):
        file = os.open(name, os.O_WRONLY)
        os.dup2(file, stream)
        os.close(file)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    importlib.reload(failpoints)  # it reads the environment once
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
