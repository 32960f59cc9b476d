"""The command that prints a stored page: its text, the records it tells of, its versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import NotFound
from surveyor.extract import look
from surveyor.names import parse_url, url_key
from surveyor.registry.store import rows

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.extract.look import ReadVersion, VersionStory


@dataclass(frozen=True, slots=True)
class _StoredPage:
    url: str
    newest: VersionStory
    versions: list[ReadVersion]


def page(
    url: Annotated[str, Parameter(name="URL", help="A page of a domain in the register, with its scheme.")],
    *,
    json: Json = False,
) -> None:
    """Print a stored page: its text, the records it tells of, its versions."""

    async def act(workspace: Workspace) -> _StoredPage:
        return await _stored(workspace, url)

    found = runtime.in_workspace(act)
    if json:
        show.print_json(_as_json(found))
        return
    version = found.newest.version
    out = show.console()
    show.print_line(Text(show.safe(f"{found.url}: {version.title or 'no title'}")), out)
    show.print_line(
        f"  version {version.id}, {version.extract_state}, seen {show.when(version.last_seen_at)}", out
    )
    for one in found.newest.records:
        show.print_line(Text(show.safe(f"  {one.kind}: {one.name}")), out)
    for older in found.versions[1:]:
        show.print_line(f"  before: version {older.id}, first seen {show.when(older.first_seen_at)}", out)
    show.print_line("", out)
    for line in (found.newest.markdown or "no text is kept of this version").splitlines():
        show.print_line(Text(show.safe(line)), out)


async def _stored(workspace: Workspace, url: str) -> _StoredPage:
    """The newest version that was read, or the newest of all."""
    parsed = parse_url(url, rules=workspace.name_rules)
    async with workspace.db.read() as tx:
        domain = await rows.find(tx, parsed.domain)
    key = url_key(parsed.target)
    versions = await look.versions_of(workspace.db, domain.no, key) if domain is not None else []
    if not versions:
        raise NotFound(f"no version of {url} is stored; `surveyor why {url}` says why")
    read = next((one for one in versions if one.has_text), versions[0])
    return _StoredPage(url, await look.version_story(workspace.db, read.id), versions)


def _as_json(found: _StoredPage) -> dict[str, Any]:
    version = found.newest.version
    return {
        "url": found.url,
        "snapshot": version.id,
        "title": version.title,
        "language": version.language,
        "relevance": version.relevance,
        "is_relevant": version.is_relevant,
        "text": found.newest.markdown,
        "records": [{"id": one.id, "kind": one.kind, "name": one.name} for one in found.newest.records],
        "versions": [
            {"snapshot": one.id, "first_seen_at": one.first_seen_at, "last_seen_at": one.last_seen_at}
            for one in found.versions
        ],
    }
