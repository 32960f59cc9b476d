"""A stored page for people and programs: the newest text that was read, its records, its versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surveyor.db import Database
from surveyor.errors import NotFound
from surveyor.extract import queries
from surveyor.extract.queries import ReadVersion, VersionStory


@dataclass(frozen=True, slots=True)
class StoredPage:
    newest: VersionStory
    """The newest version that was read, or the newest of all."""
    versions: list[ReadVersion]


async def stored_page(db: Database, domain_no: int, key: int) -> StoredPage:
    versions = await queries.versions_of(db, domain_no, key)
    if not versions:
        raise NotFound("no version of this page is stored")
    read = next((one for one in versions if one.has_text), versions[0])
    return StoredPage(await queries.version_story(db, read.id), versions)


def page_json(found: StoredPage, *, has_screenshot: bool) -> dict[str, Any]:
    """One object for programs."""
    version = found.newest.version
    return {
        "snapshot": version.id,
        "title": version.title,
        "language": version.language,
        "relevance": version.relevance,
        "is_relevant": version.is_relevant,
        "text": found.newest.markdown,
        "has_screenshot": has_screenshot,
        "records": [{"id": one.id, "kind": one.kind, "name": one.name} for one in found.newest.records],
        "versions": [
            {"snapshot": one.id, "first_seen_at": one.first_seen_at, "last_seen_at": one.last_seen_at}
            for one in found.versions
        ],
    }
