"""Completion of commands and options by the shell, installed with one command."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from surveyor.cli import runtime
from surveyor.errors import Refused


def completion(
    *,
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None, Parameter(help="The shell; by default the one you are using.")
    ] = None,
    show: Annotated[bool, Parameter(negative="", help="Print the script instead.")] = False,
) -> None:
    """Install completion for your shell; it works in the next one you open."""
    from surveyor.cli.app import app_of

    app = app_of()
    try:
        if show:
            runtime.answer(app.generate_completion(shell=shell))
            return
        runtime.say(f"written: {app.install_completion(shell=shell)}; open a new shell to use it")
    except (RuntimeError, ValueError, OSError) as error:
        raise Refused(f"completion cannot be installed: {error}; --shell names bash, zsh or fish") from None
