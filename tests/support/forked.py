"""Processes that begin with everything imported: a start of Scrapy beside the register costs seconds else.

They are real processes, with their own database connections, locks and death; forked by a server that has
imported the programs and done nothing with them.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

_PRELOADED = (
    "scrapy.cmdline",
    "scrapy.crawler",
    "surveyor.contrib.scrapy.addon",
    "surveyor.cli",
    "surveyor.crawl.worker",
)


class Forked:
    """A program with its log, as far as tests need a `Popen`."""

    def __init__(
        self, module: str, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, log: Path
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(_PRELOADED))
        self._log = log
        self._process: BaseProcess = context.Process(
            target=_run, args=(module, list(arguments), dict(env), str(cwd), str(log))
        )
        self._process.start()

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    @property
    def is_running(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        """As the kernel would, when memory runs out."""
        self._process.kill()

    def wait(self, seconds: float) -> str:
        """Until it ends; returns what it said."""
        self._process.join(seconds)
        said = self._log.read_text()
        if self.is_running:
            self._process.kill()
            raise TimeoutError(said)
        return said


def _run(module: str, arguments: list[str], env: dict[str, str], cwd: str, log: str) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
