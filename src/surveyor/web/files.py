"""The rows of a list as a file, and the lists that a person keeps: the same for every list."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from surveyor.errors import NotFound
from surveyor.export import writers
from surveyor.export.columns import Column
from surveyor.people.saved import Saved, SavedKind, saved_by
from surveyor.web import access
from surveyor.web.state import state_of
from surveyor.web.table import View

_FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


def download(
    name: str, kind: str, columns: Sequence[Column], rows: AsyncIterator[list[dict[str, Any]]]
) -> Response:
    """All of them, as they are read."""
    media = _FORMATS.get(kind)
    if media is None:
        raise NotFound(f"a list is {' or '.join(_FORMATS)}, not {kind[:20]!r}")
    headers = {"content-disposition": f'attachment; filename="{name}.{kind}"', "cache-control": "no-store"}
    return StreamingResponse(_written(kind, columns, rows), media_type=media, headers=headers)


async def _written(
    kind: str, columns: Sequence[Column], rows: AsyncIterator[list[dict[str, Any]]]
) -> AsyncIterator[bytes]:
    page = io.BytesIO()
    writer = writers.made(kind, page, columns)
    async for some in rows:
        writer.write(some)
        yield page.getvalue()
        page.seek(0)
        page.truncate()
    writer.close()
    yield page.getvalue()


async def kept(request: Request, view: View) -> list[Saved]:
    """The saved lists of this kind of the current user."""
    user = access.who(request).user
    if user is None:
        return []
    found = await saved_by(state_of(request).db, user, SavedKind.VIEW)
    return [one for one in found if one.value.partition("?")[0] == view.shape.path]
