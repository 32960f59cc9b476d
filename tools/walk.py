"""Prints how many files and functions of the package one piece of work touches: `python -m tools.walk`.

A reader who follows the work through the code has to open as many. The walks run in a workspace of their
own on the small web, in this process; what runs in other processes is not followed. `--beside TREE` walks
through another checkout too, counted alike. `--list` names the functions, with how long they are and who
called them.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import surveyor
from surveyor import cli
from surveyor.smallweb import in_thread

_PACKAGE = str(Path(surveyor.__path__[0]))
_HOST = "rila-horizons.example"
_PAGE = b"<html lang=en><title>Seed Grants</title><h1>Seed Grants</h1><p>EUR 5,000. Deadline 1 May 2027."


class Tracer:
    """Functions of the package that were called while it was on, in every thread."""

    def __init__(self) -> None:
        self.callers: dict[CodeType, set[str]] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # Lambdas and comprehensions are read where they stand; the body of a class runs when it is loaded.
        is_function = code.co_name[0] != "<" and code.co_flags & inspect.CO_OPTIMIZED
        if event == "call" and is_function and code.co_filename.startswith(_PACKAGE):
            caller = frame.f_back.f_code.co_qualname if frame.f_back else ""
            self.callers.setdefault(code, set()).add(caller)

    @contextmanager
    def on(self) -> Iterator[None]:
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def counts(self) -> tuple[int, int]:
        return len({code.co_filename for code in self.callers}), len(self.callers)

    def listing(self) -> Iterator[str]:
        for code in sorted(self.callers, key=lambda code: (code.co_filename, code.co_firstlineno)):
            lines = [line for _, _, line in code.co_lines() if line is not None]
            place = f"{code.co_filename.removeprefix(_PACKAGE)}:{code.co_firstlineno}"
            length = max(lines) - code.co_firstlineno + 1
            yield f"{place} {code.co_qualname} {length} < {', '.join(sorted(self.callers[code]))}"


def _run(workspace: Path, *arguments: str) -> None:
    stdout = os.dup(1)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            code = cli.run(["--workspace", str(workspace), *arguments])
        finally:
            sys.stdout.flush()
            os.dup2(stdout, 1)
            os.close(stdout)
    if code:
        raise SystemExit(f"surveyor {' '.join(arguments)} ended with code {code}")


def _ingest(workspace: Path) -> None:
    (workspace / "seeds.txt").write_text(f"{_HOST}\n")
    _run(workspace, "ingest-seeds", str(workspace / "seeds.txt"), "--for-review")


def _approve(workspace: Path) -> None:
    _run(workspace, "approve", _HOST)


def _crawl(workspace: Path) -> None:
    _run(workspace, "crawl", "--max-pages", "3", "--no-extract")


def _greet(workspace: Path) -> None:
    """What the process that reads pages is given when it starts."""
    from surveyor.extract import messages
    from surveyor.extract.profile_view import ProfileView
    from surveyor.profiles import loader

    view = ProfileView.of(loader.load("funding"))
    (workspace / "greeting").write_bytes(messages.pack_profile_view(view))


def _read(workspace: Path) -> None:
    """What the process that reads pages does with one, without the process."""
    from surveyor.extract import child, messages
    from surveyor.extract.reading import Reader
    from surveyor.extract.values import Page

    reader = Reader(*messages.unpack_profile_view((workspace / "greeting").read_bytes()))
    page = Page(f"https://{_HOST}/grants", _PAGE, "text/html", datetime.now(UTC).date())
    child.answer(reader, messages.pack_page(page))


def _export(workspace: Path) -> None:
    _run(workspace, "export", "domains", "--out", str(workspace / "domains.csv"), "--force")


def _search(workspace: Path) -> None:
    _run(workspace, "search", "grants for culture")


# In an order in which each finds what it needs.
WALKS: dict[str, Callable[[Path], None]] = {
    "ingest": _ingest,
    "approve": _approve,
    "crawl of three pages": _crawl,
    "read one page": _read,
    "export": _export,
    "search with judging": _search,
}


def walk(wanted: list[str]) -> dict[str, Tracer]:
    found = {}
    with tempfile.TemporaryDirectory() as folder, in_thread() as web:
        os.environ.update(web.environment(delay_seconds=0.01))
        workspace = Path(folder) / "walk"
        _run(workspace.parent, "init", str(workspace), "--profile", "funding")
        with suppress(ImportError):  # another tree calls the reading of a page otherwise
            _greet(workspace)
        for name, act in WALKS.items():
            tracer = Tracer()
            try:
                with tracer.on():
                    act(workspace)
            except ImportError:
                continue
            if not wanted or name in wanted:
                found[name] = tracer
    return found


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--beside"]:
        tree, arguments = arguments[1], arguments[2:]
        sys.stdout.write(f"{tree}\n")
        sys.stdout.flush()
        environment = os.environ | {"PYTHONPATH": str(Path(tree, "src").resolve())}
        subprocess.run([sys.executable, "-m", "tools.walk", *arguments], env=environment, check=True)  # noqa: S603 - itself
        sys.stdout.write("here\n")
    wanted = [argument for argument in arguments if argument != "--list"]
    for name, tracer in walk(wanted).items():
        files, functions = tracer.counts()
        sys.stdout.write(f"{name:<22} {files:>4} files {functions:>5} functions\n")
        if "--list" in arguments:
            sys.stdout.writelines(f"  {line}\n" for line in tracer.listing())


if __name__ == "__main__":
    main(sys.argv[1:])
