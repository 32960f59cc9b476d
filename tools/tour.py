"""Replays the commands a Markdown file shows, so that what it shows is what they print.

A block marked `console` holds lines that begin with `$ `, each followed by what it prints. All blocks
of a file are one session in one empty folder, most with the small web before them.
`python -m tools.tour` writes the files anew; the tests compare `normal` forms, in which times, ids and the
machine's own figures are blanks.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from surveyor import cli
from surveyor.smallweb import in_thread

ROOT = Path(__file__).parents[1]
FILES = (
    "README.md",
    "docs/operating.md",
    "docs/how-to/crawl-my-own-list.md",
    "docs/how-to/find-funders-in-greece.md",
    "docs/how-to/take-your-data-out.md",
)
_ALONE = ("docs/operating.md",)  # what nothing is asked for

_BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
_DELAY = 0.02  # seconds between two requests to one invented site
_WHO = "ada"  # the person of the tour; commands tell who ran them
_HOME = f"/home/{_WHO}"
_VARYING = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "TIME"),
    (r"\b\d{4}-\d\d-\d\d\b", "DATE"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}", "ID"),
    (r"^[0-9a-f]{8}(?=  )", "ID"),  # the short one of a list
    (r"[\d.,]+ GB free", "SPACE"),
    (r"of the archive, [\d.,]+ MB", "SIZE"),
    (r"Python [\d.]+", "PYTHON"),
    (r"sqlite +[\d.]+", "SQLITE"),
    (r"\), [0-9a-f]{12}$", "HASH"),
    (r"[\d.]+ s apart", "SECONDS"),
    (r"schema +\d\w*", "REVISION"),
    (r" in [\d.]+ s \([\d.]+/s\), [\d.]+ MB", "SPEED"),
    (r"judged in [\d,]+ ms", "SPEED"),
    (r"for “[^”]+”", "QUERY"),  # they are asked at once, so which of them found it first is chance
    (r"^reading the last pages .*\n", ""),  # told only where it takes a while
    (r" +$", ""),
)


def replayed(text: str, *, on_the_small_web: bool = False) -> str:
    """The text with the output of every command as it is now."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        web = stack.enter_context(in_thread()) if on_the_small_web else None
        settings = web.environment(delay_seconds=_DELAY) if web else {}
        session = _Session(Path(folder).resolve(), settings)
        return _BLOCK.sub(lambda block: "".join(session.lines(block[1])), text)


def of_file(name: str) -> str:
    """The file as it would be written now."""
    present = (ROOT / name).read_text(encoding="utf-8")
    return replayed(present, on_the_small_web=name not in _ALONE)


def normal(text: str) -> str:
    for pattern, name in _VARYING:
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    # Rows that begin with an id stand in its order, which is chance within a millisecond.
    return re.sub(
        r"(?:^ID .*\n)+", lambda rows: "".join(sorted(rows[0].splitlines(True))), text, flags=re.MULTILINE
    )


class _Session:
    """A shell that knows `cd`, runs `surveyor` within this process and leaves the rest to bash."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._home = self._here = folder
        self._settings = settings

    def lines(self, block: str) -> Iterator[str]:
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                yield line
                yield self._run(line[2:].strip()).replace(str(self._home), _HOME)

    def _run(self, command: str) -> str:
        words = shlex.split(command)
        if words[0] == "cd":
            self._here /= words[1]
            return ""
        with _environment(self._settings), chdir(self._here):
            whole = words[0] == "surveyor" and not set(words) & {"|", ">", "<"}
            return _surveyor(words[1:]) if whole else _bash(command)


def _surveyor(arguments: list[str]) -> str:
    """Both streams in the order of printing, as a terminal would show them. A start costs a second, so
    it is not a process of its own."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        cli.run(arguments)
    return _trimmed(raw.getvalue())


def _bash(command: str) -> str:
    # A command may be shown to fail; what it printed tells.
    ran = subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", command], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return _trimmed(ran.stdout)


def _trimmed(printed: bytes) -> str:
    return "".join(f"{line.rstrip()}\n" for line in printed.decode().splitlines())


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """As the tour's person has it: our commands on the path, and no settings from outside but these."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("SURVEYOR_"):
            del os.environ[name]
    commands = f"{Path(sys.executable).parent}{os.pathsep}{before.get('PATH', os.defpath)}"
    os.environ.update(settings, LOGNAME=_WHO, PATH=commands, PYTHONUTF8="1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main() -> int:
    for name in FILES:
        path = ROOT / name
        present, now = path.read_text(encoding="utf-8"), of_file(name)
        if normal(now) != normal(present):
            path.write_text(now, encoding="utf-8")
            print(f"wrote {name}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
