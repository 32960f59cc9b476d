"""Commands that put a workspace into one file, and make one out of it."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from surveyor import logs
from surveyor.cli import runtime, show
from surveyor.cli.listing import Json

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

# Files of the archive between two words of progress.
_PROGRESS_FILES = 1_000


def backup(
    file: Annotated[Path, Parameter(help="Where to write it; must not exist.")], *, json: Json = False
) -> None:
    """Write settings, profile, all rows and the archive into one file. Workers may run meanwhile."""

    async def act(workspace: Workspace) -> Any:
        from surveyor.operations import backup as making
        from surveyor.profiles import files

        name = workspace.settings.profile
        own = None if name in files.BUILT_IN else workspace.path / name
        return await making.backup(
            workspace.db, workspace.path, workspace.archive_folder, own, file, _progress(json)
        )

    done = runtime.in_workspace(act)
    size, files = f"{done.bytes / 1_000_000:,.1f} MB", show.count(done.archive_files, "file")
    text = f"{file}: {show.count(done.rows, 'row')}, {files} of the archive, {size}"
    show.result({name: value for name, value in asdict(done).items() if name != "members"}, text, json=json)


def restore(
    file: Annotated[Path, Parameter(help="What `surveyor backup` wrote.")],
    *,
    trust_settings: Annotated[
        bool,
        Parameter(help="Accept settings of the backup that name places outside the workspace.", negative=""),
    ] = False,
    json: Json = False,
) -> None:
    """Restore a workspace from a backup. Its settings are shown, and kept where there are none yet.

    Settings that name files out of the workspace, or another database, are refused: the backup may be
    somebody else's. To move to PostgreSQL, set SURVEYOR_DATABASE__URL, or database.url of the new
    workspace, before.
    """
    from surveyor.operations import restore as making

    manifest = making.check(file)
    folder = runtime.options.workspace or Path(os.environ.get("SURVEYOR_WORKSPACE") or ".")
    brought = making.prepare(file, folder, trust=trust_settings)
    if brought and not json:
        runtime.say("settings of the backup, kept in the workspace:")
        for name, value in brought.items():
            runtime.say(f"  {name} = {logs.clean(value)}")

    async def act(workspace: Workspace) -> Any:
        return await making.restore(workspace.db, file, workspace.archive_folder, manifest, _progress(json))

    done = runtime.in_workspace(act, any_schema=True)
    moment = show.when(datetime.fromisoformat(done.made_at))
    rows, files = show.count(done.rows, "row"), show.count(done.archive_files, "file")
    text = f"restored as of {moment}: {rows}, {files} of the archive"
    show.result(asdict(done) | {"settings": brought}, text, json=json)


def _progress(silent: bool) -> Any:
    def progress(what: str, count: int) -> None:
        if not silent and count and (what != "archive" or count % _PROGRESS_FILES == 0):
            runtime.say(f"  {what}: {count:,}")

    return progress
