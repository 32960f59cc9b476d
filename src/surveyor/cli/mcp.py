"""The register for assistants: the Model Context Protocol over standard input and output."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.errors import UsageError

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

# As names of people are.
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


def mcp(
    *,
    allow_decisions: Annotated[
        bool, Parameter(negative="", help="Let the assistant submit, approve and reject as a reviewer.")
    ] = False,
    name: Annotated[
        str, Parameter(help="Whose decisions these are: events name the actor mcp:NAME.")
    ] = "assistant",
) -> None:
    """Answer an assistant that speaks the Model Context Protocol, until it closes standard input."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"--name takes up to 64 of a-z, 0-9 and . _ @ + -, not {show.safe(name[:80])}")
    if sys.stdin.isatty():
        runtime.say("an assistant starts this command and speaks to it; Ctrl-D ends it")
    runtime.in_workspace(lambda workspace: _serve(workspace, name, allow_decisions))


async def _serve(workspace: Workspace, name: str, allow_decisions: bool) -> None:
    from surveyor.mcp import serve

    await serve(workspace, name, _send, allow_decisions=allow_decisions, read_from=sys.stdin.fileno())


def _send(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
