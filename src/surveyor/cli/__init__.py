"""The command line: parse, call one function, show."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from surveyor import __version__
from surveyor.cli import commands, runtime


def main() -> None:
    """The program's entry; ends the process with the exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    if list(arguments) in ([], ["--help"], ["-h"]):
        print(commands.overview())  # noqa: T201
        return 0
    if list(arguments) == ["--version"]:
        print(f"surveyor {__version__}")  # noqa: T201
        return 0
    from cyclopts import CycloptsError

    from surveyor.cli.app import app

    try:
        code = app.meta(list(arguments))
        return code if isinstance(code, int) else 0
    except CycloptsError as error:
        return runtime.usage_error(str(error))
    except KeyboardInterrupt:
        return runtime.interrupted()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BrokenPipeError:
        return runtime.broken_pipe()
    except Exception as error:
        return runtime.failed(error)
