"""The command that prints a stored page: its text, the records it mentions, its versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.crawl import queries
from surveyor.errors import BadInput, NotFound
from surveyor.extract.stored_page import StoredPage, page_json, stored_page
from surveyor.names import parse_url, url_key
from surveyor.registry.store import rows

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


def page(
    url: Annotated[str, Parameter(name="URL", help="A page of a domain in the register, with its scheme.")],
    *,
    screenshot: Annotated[
        Path | None, Parameter(help="Write a PNG of it to this file instead, drawn here if none was kept.")
    ] = None,
    json: Json = False,
) -> None:
    """Print a stored page: its text, the records it mentions, its versions."""
    if screenshot is not None:
        _save_screenshot(url, screenshot)
        return

    async def act(workspace: Workspace) -> tuple[StoredPage, bytes | None]:
        found = await _stored(workspace, url)
        return found, await _screenshot(workspace, found)

    found, picture = runtime.in_workspace(act)
    data = {"url": url} | page_json(found, has_screenshot=picture is not None)
    show.result(data, lambda: _print(url, found, has_screenshot=picture is not None), json=json)


def _print(url: str, found: StoredPage, *, has_screenshot: bool) -> None:
    version = found.newest.version
    out = show.console()
    show.print_line(Text(show.safe(f"{url}: {version.title or 'no title'}")), out)
    show.print_line(
        f"  version {version.id}, {version.extract_state}, seen {show.when(version.last_seen_at)}", out
    )
    if has_screenshot:
        show.print_line("  a screenshot is kept; --screenshot FILE writes it", out)
    for one in found.newest.records:
        show.print_line(Text(show.safe(f"  {one.kind}: {one.name}")), out)
    for older in found.versions[1:]:
        show.print_line(f"  before: version {older.id}, first seen {show.when(older.first_seen_at)}", out)
    show.print_line("", out)
    for line in (found.newest.markdown or "no text is kept of this version").splitlines():
        show.print_line(Text(show.safe(line) if line else ""), out)


async def _screenshot(workspace: Workspace, found: StoredPage) -> bytes | None:
    return await queries.screenshot(workspace.db, workspace.archive_folder, found.newest.version.id)


def _save_screenshot(url: str, file: Path) -> None:
    async def act(workspace: Workspace) -> tuple[bytes, str]:
        found = await _stored(workspace, url)
        if (kept := await _screenshot(workspace, found)) is not None:
            return kept, "as it was shown in the crawl"
        drawn = await _drawn(workspace, url, found)
        return drawn, "drawn from the stored page, without scripts, images or any request"

    picture, how = runtime.in_workspace(act)
    try:
        file.write_bytes(picture)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}") from None
    runtime.say(f"{file}: {how}")


async def _drawn(workspace: Workspace, url: str, found: StoredPage) -> bytes:
    from surveyor.render import RenderFailed
    from surveyor.render.stored import draw

    version = found.newest.version
    _, body = await queries.raw(workspace.db, workspace.archive_folder, version.id)
    try:
        return await draw(workspace.settings, url, body, version.content_type or "text/html")
    except RenderFailed as error:
        raise BadInput(f"{url} could not be drawn: {error.reason}") from None


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
