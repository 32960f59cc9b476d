"""Ids as people type them: whole, or the end of one as the tables show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from surveyor.cli import show
from surveyor.errors import NotFound, UsageError

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


async def full_id(workspace: Workspace | Any, table: str, text: str, what: str, listed_by: str) -> UUID:
    """The id that was meant; one line says what to do where there is none, or more than one."""
    try:
        return UUID(text)
    except ValueError:
        from surveyor.db import short_ids

    given = show.safe(text[:80])
    if not short_ids.is_ending(text):
        raise UsageError(f"{given} is no id of a {what}; `{listed_by}` lists them")
    async with workspace.db.read() as tx:
        found = await short_ids.ending_in(tx, table, text)
    if not found:
        raise NotFound(f"there is no {what} {given}; `{listed_by}` lists them")
    if len(found) > 1:
        raise UsageError(f"more than one {what} ends in {given}; `{listed_by} --json` has whole ids")
    return found[0]
