"""The whole main job on this machine: six stages over invented sites, without internet, keys or servers.

Everything is in a folder of its own, on SQLite, and is gone afterwards unless it is to be kept. Settings of
the caller are put aside, so that a demo never touches a register that means something to somebody.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from surveyor.cli import runtime
from surveyor.errors import UsageError


def demo(
    *,
    profile: Annotated[
        Literal["funding", "community", "images"], Parameter(help="What is looked for.")
    ] = "funding",
    yes: Annotated[
        bool, Parameter(negative="", help="Decide as the sites' curator would, without asking.")
    ] = False,
    once: Annotated[bool, Parameter(negative="", help="End after the report; no admin.")] = False,
    keep: Annotated[
        Path | None, Parameter(help="Make the workspace in this new folder and leave it.")
    ] = None,
    port: Annotated[int, Parameter(help="Port of the admin; 0, or one that is taken: a free one.")] = 8400,
) -> int:
    """See all six stages work on invented sites, then look around in the admin."""
    if runtime.options.workspace is not None:
        raise UsageError("the demo makes a workspace of its own; --keep DIR says where, --workspace does not")
    if keep is not None and keep.exists():
        raise UsageError(f"{keep} exists; name a folder that does not")
    if not 0 <= port <= 65_535:
        raise UsageError(f"a port is 0 to 65,535, not {port}")
    asks = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    with _folder(keep) as folder, redirect_stderr(sys.stdout):
        # One stream, so that commands and their output stay in order for any reader.
        _tell(folder / profile, profile, asks=asks, confirmed=yes, port=None if once else port)
        if keep is not None:
            runtime.answer(f"Kept: surveyor --workspace {keep / profile} domain-status")
    return 0


def _tell(workspace: Path, profile: str, *, asks: bool, confirmed: bool, port: int | None) -> None:
    from surveyor.cli import demo_admin, demo_report
    from surveyor.cli.demo_scene import Scene
    from surveyor.cli.demo_story import Story
    from surveyor.smallweb import in_thread

    with in_thread() as web, Scene(workspace, web) as scene:
        story = Story(scene, web, profile, asks=asks)
        scene.say(story.foreword())
        if not asks and not confirmed:
            scene.say("There is no terminal to ask at: the sites' curator decides, as with --yes.")
        story.tell()
        demo_report.report(scene)
        if port is not None:
            demo_admin.serve(scene, port)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Where the workspace goes: a new folder that stays, or one that is gone afterwards."""
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="surveyor-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
