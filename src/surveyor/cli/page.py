"""The command that prints a stored page: its text, the records it tells of, its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import NotFound
from surveyor.extract.stored_page import StoredPage, page_json, stored_page
from surveyor.names import parse_url, url_key
from surveyor.registry.store import rows

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace


def page(
    url: Annotated[str, Parameter(name="URL", help="A page of a domain in the register, with its scheme.")],
    *,
    json: Json = False,
) -> None:
    """Print a stored page: its text, the records it tells of, its versions."""

    async def act(workspace: Workspace) -> StoredPage:
        return await _stored(workspace, url)

    found = runtime.in_workspace(act)
    if json:
        show.print_json({"url": url} | page_json(found))
        return
    version = found.newest.version
    out = show.console()
    show.print_line(Text(show.safe(f"{url}: {version.title or 'no title'}")), out)
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


async def _stored(workspace: Workspace, url: str) -> StoredPage:
    parsed = parse_url(url, rules=workspace.name_rules)
    async with workspace.db.read() as tx:
        domain = await rows.find(tx, parsed.domain)
    try:
        if domain is not None:
            return await stored_page(workspace.db, domain.no, url_key(parsed.target))
    except NotFound:
        pass
    raise NotFound(f"no version of {url} is stored; `surveyor why {url}` says why")
