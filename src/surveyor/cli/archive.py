"""Commands about the stored responses."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from surveyor.archive.cdxj import Indexed, write_index
from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import BadInput, Refused

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

app = App(name="archive", help="Manage the stored responses.", version_flags=[])


@app.command
def index(
    *,
    output: Annotated[
        Path | None, Parameter(help="Where to write the index; by default index.cdxj beside the WARC files.")
    ] = None,
    json: Json = False,
) -> None:
    """Write an index (CDXJ) of the WARC files, for pywb and other tools that replay them."""

    async def act(workspace: Workspace) -> tuple[Path, Indexed]:
        if not workspace.archive_folder.is_dir():
            raise Refused(
                "nothing is archived yet; `surveyor crawl` writes WARC files unless crawl.archive is off"
            )
        target = output or workspace.archive_folder / "index.cdxj"
        return target, _write(workspace.archive_folder, target)

    target, done = runtime.in_workspace(act)
    damaged = f"; {show.count(done.damaged)} not whole and left out" if done.damaged else ""
    files = f"{show.count(done.records, 'response')} of {show.count(done.files, 'WARC file')}"
    text = f"{files} in {show.safe(str(target))}{damaged}"
    show.result(asdict(done) | {"output": str(target)}, text, json=json)


def _write(folder: Path, target: Path) -> Indexed:
    """Whole or not at all: a reader never sees half an index."""
    beside = target.with_name(f".{target.name}.part")
    try:
        with beside.open("wb") as out, show.progress(None) as bar:
            task = bar.add_task("indexing")
            done = write_index(
                folder,
                out,
                lambda now: bar.update(task, description=f"{show.count(now.records)} responses indexed"),
            )
            out.flush()
            os.fsync(out.fileno())
        beside.replace(target)
    except OSError as error:
        raise BadInput(f"{target} cannot be written: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)
    return done
