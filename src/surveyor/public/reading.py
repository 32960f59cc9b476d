"""Reads one document that is in memory, in a process of its own, as extraction does; stores nothing."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from surveyor.bootstrap.workers import page_readers
from surveyor.errors import SurveyorError
from surveyor.extract import messages
from surveyor.extract.values import Page, Reading
from surveyor.names import parse_url
from surveyor.process.children import ChildDied

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


class Unreadable(SurveyorError):
    """The page stopped its reader."""


async def read_document(
    workspace: Workspace, body: bytes, url: str, content_type: str | None = None, seen_on: date | None = None
) -> Reading:
    """What is read of it with the workspace's profile, as if it had been fetched from `url`."""
    address = parse_url(url, rules=workspace.name_rules).text
    page = Page(address, body, content_type, seen_on or datetime.now(UTC).date())
    async with page_readers(workspace) as readers:
        try:
            return messages.unpack_reading(await readers.ask(messages.pack_page(page)))
        except (ChildDied, messages.ReadingFailed) as error:
            raise Unreadable(f"the document cannot be read: {error}") from None
