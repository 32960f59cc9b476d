"""Commands that show what extraction found: records, one record's story, contacts, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from cyclopts import Parameter
from rich.text import Text

from surveyor import entry_points
from surveyor.cli import runtime, show
from surveyor.cli.ids import full_id
from surveyor.cli.listing import Column, Json, Limit, Listing
from surveyor.entry_points import Group
from surveyor.errors import UsageError
from surveyor.extract import queries, service
from surveyor.extract.difference import Difference
from surveyor.extract.queries import RecordFilter
from surveyor.names import parse_url, url_key
from surveyor.registry.actors import Actor
from surveyor.registry.store import rows

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.extract.queries import ContactRow, QuarantinedPage, RecordRow, RecordStory

# Fields beside the name that a line of the table has room for.
_IN_LINE = ("deadline", "amount_max", "currency", "phone", "address", "location", "email")
_MOST_OWN = 4  # of a kind that a profile or a plugin brings
_LINE_CHARS = 40


def records(
    domain: Annotated[str | None, Parameter(help="Only of this domain.")] = None,
    *,
    kind: Annotated[str | None, Parameter(help="Only of this kind.")] = None,
    everything: Annotated[
        bool,
        Parameter(name="--all", negative="", help="Also those not published, and those that are gone."),
    ] = False,
    limit: Limit = 50,
    after: Annotated[
        str | None, Parameter(help="Continue after this record, the last one of the previous page.")
    ] = None,
    json: Json = False,
) -> None:
    """List records, the newest first."""

    async def act(workspace: Workspace) -> list[RecordRow]:
        if kind is not None:
            _require_known(workspace, kind)
        start = await _record_id(workspace, after) if after else None
        no = await _number(workspace, domain) if domain else None
        wanted = RecordFilter(no, kind, unpublished=everything, gone=everything)
        return await queries.list_records(workspace.db, wanted, limit + 1, start)

    found = runtime.in_workspace(act)
    more = "" if everything else "; --all shows those not published or gone too"
    _RECORDS.print(found, limit, json=json, empty=f"no such records{more}")


def _require_known(workspace: Workspace, kind: str) -> None:
    known = (*entry_points.names(Group.RECORDS), *workspace.profile.kinds)
    if kind not in known:
        raise UsageError(f"there is no kind of records {show.safe(kind)}; there are {', '.join(known)}")


def _said_in_line(record: RecordRow) -> str:
    from surveyor.profiles.kinds import BUILT_IN  # which loads what reads a profile

    values = {name: value for name, value in record.values.items() if value not in (None, "", [])}
    shown = _IN_LINE if record.kind in BUILT_IN else [name for name in values if name != "name"][:_MOST_OWN]
    return ", ".join(f"{name} {show.cut(_plain(values[name]))}" for name in shown if name in values)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


_RECORDS: Listing[RecordRow] = Listing(
    (
        Column("RECORD", lambda record: str(record.id)),
        Column("DOMAIN", lambda record: show.domain_name(record.domain)),
        Column("KIND", lambda record: record.kind),
        Column("NAME", lambda record: record.name[:_LINE_CHARS] + (" (gone)" if record.gone_at else "")),
        Column("DETAILS", _said_in_line),
    ),
    cursor=lambda record: record.id,
    to_json=queries.record_json,
    order=lambda record: (record.domain, record.kind, record.name),
)


def record(
    record_id: Annotated[str, Parameter(name="RECORD", help="Its id, as `records` shows it.")],
    *,
    json: Json = False,
) -> None:
    """Show one record: its fields with the words they were read from, its pages, what changed."""

    async def act(workspace: Workspace) -> RecordStory:
        wanted = await _record_id(workspace, record_id)
        return await queries.record_story(workspace.db, wanted)

    story = runtime.in_workspace(act)
    data = queries.record_json(story.record) | {
        "pages": [source._asdict() for source in story.sources],
        "changes": [change._asdict() for change in story.changes],
    }
    show.result(data, lambda: _print_story(story), json=json)


def _print_story(story: RecordStory) -> None:
    out, found = show.console(), story.record
    state = "gone" if found.gone_at else "published" if found.published else "not published"
    head = f"{show.safe(found.name)}  {found.kind} of {show.domain_name(found.domain)}, {state}"
    out.print(Text(head, style="bold"))
    width = show.label_width(found.fields)
    for name, one in found.fields.items():
        show.print_line(Text(f"  {name:<{width}}{show.safe(str(one['value']))}"), out)
        show.print_line(Text(f"  {'':<{width}}{one['source']}: {show.safe(one['quote'])}", style="dim"), out)
    out.print(Text("\npages", style="bold"))
    for source in story.sources:
        gone = f", gone since {show.when(source.gone_at)}" if source.gone_at else ""
        seen = f"seen {show.when(source.seen_at)}{gone}, snapshot {source.snapshot_id}"
        show.print_line(Text(f"  {show.safe(source.url)}  {seen}"), out)
    if story.pages > len(story.sources):
        out.print(Text(f"  and {story.pages - len(story.sources):,} more", style="dim"))
    if story.changes:
        out.print(Text("\nchanges", style="bold"))
    for change in story.changes:
        values = f"{show.safe(_said(change.old))} → {show.safe(_said(change.new))}"
        show.print_line(Text(f"  {show.when(change.at)}  {change.field}: {values}"), out)


def _said(value: Any) -> str:
    return "nothing" if value is None else str(value)


def contacts(
    domain: Annotated[str, Parameter(help="A domain or any URL of it.")],
    *,
    everything: Annotated[
        bool, Parameter(name="--all", negative="", help="Also those that are gone.")
    ] = False,
    limit: Limit = 50,
    after: Annotated[
        int | None, Parameter(help="Continue after this contact, the last one of the previous page.")
    ] = None,
    json: Json = False,
) -> None:
    """List the contacts of a domain."""

    async def act(workspace: Workspace) -> list[ContactRow]:
        no = await _number(workspace, domain)
        return await queries.contacts_of(workspace.db, no, limit + 1, after, gone=everything)

    found = runtime.in_workspace(act)
    _CONTACTS.print(found, limit, json=json, empty="no contacts were found on it")


_CONTACTS: Listing[ContactRow] = Listing(
    (
        Column("CONTACT", lambda one: str(one.id), "right"),
        Column("KIND", lambda one: one.kind),
        Column("VALUE", lambda one: one.value),
        Column("NAME", lambda one: one.name),
        Column("ROLE", lambda one: one.role),
    ),
    cursor=lambda one: one.id,
)


def quarantine(
    domain: Annotated[
        str | None, Parameter(name="URL_OR_DOMAIN", help="Only this domain, or this URL with its scheme.")
    ] = None,
    *,
    again: Annotated[
        bool, Parameter(negative="", help="Have them read once more, after the cause was mended.")
    ] = False,
    limit: Limit = 50,
    after: Annotated[
        int | None, Parameter(help="Continue after this one, the last one of the previous page.")
    ] = None,
    json: Json = False,
) -> None:
    """List pages that crashed three readers or could not be written, the newest first."""
    if again and after is not None:
        raise UsageError("--after is for the list; --again takes all, or those of a domain or URL")

    async def act(workspace: Workspace) -> tuple[int, int, list[QuarantinedPage]]:
        db = workspace.db
        no, key = await _place(workspace, domain) if domain else (None, None)
        if again:
            freed = await service.read_again(db, Actor.operator(), no, key)
            return freed, await queries.count_quarantined(db, no, key), []
        return 0, 0, await queries.quarantined(db, limit + 1, after, no, key)

    freed, left, found = runtime.in_workspace(act)
    if again:
        show.result({"waiting": freed, "left": left}, *_freed(freed, left), json=json)
        return
    _QUARANTINE.print(found, limit, json=json, empty="no page is in quarantine")


def _freed(freed: int, left: int) -> list[str]:
    if not freed and not left:
        return ["no page is in quarantine"]
    lines = [f"{show.count(freed, 'page')} to be read again: start `surveyor extract`"] if freed else []
    if left:
        lines.append(
            f"{show.count(left)} stay: their content was not kept (`surveyor recrawl DOMAIN` fetches it "
            "again), or their domain is not approved"
        )
    return lines


_QUARANTINE: Listing[QuarantinedPage] = Listing(
    (
        Column("SNAPSHOT", lambda one: str(one.id), "right"),
        Column("URL", lambda one: one.url),
        Column("WHY", lambda one: one.why),
        Column("SINCE", lambda one: show.when(one.at)),
    ),
    cursor=lambda one: one.id,
)


def diff(
    older: Annotated[int, Parameter(name="OLDER", help="A snapshot: the version before.")],
    newer: Annotated[int, Parameter(name="NEWER", help="Another one: the version after.")],
    *,
    json: Json = False,
) -> None:
    """Show what two versions of a page differ in."""

    found = runtime.in_workspace(lambda workspace: service.differences(workspace.db, older, newer))
    lines = [{"change": line.change, "text": line.text} for line in found.lines]
    data = {"added": found.added, "removed": found.removed, "cut": found.is_cut, "lines": lines}
    show.result(data, lambda: _print_difference(found), json=json)


def _print_difference(found: Difference) -> None:
    if found.is_empty:
        runtime.say("they say the same")
        return
    out = show.console()
    for line in found.marked():
        show.print_line(Text(show.safe(line)), out)
    if found.is_cut:
        runtime.say("the rest is not compared: the texts are too long")


async def _place(workspace: Workspace, text: str) -> tuple[int, int | None]:
    """The number of a domain, and the key of a page where one is named."""
    if "://" not in text:
        return await _number(workspace, text), None
    parsed = parse_url(text, rules=workspace.name_rules)
    return await _number(workspace, parsed.domain), url_key(parsed.target)


async def _number(workspace: Workspace, domain: str) -> int:
    async with workspace.db.read() as tx:
        return await rows.find_no(tx, workspace.domain_name(domain))


async def _record_id(workspace: Workspace, text: str) -> UUID:
    return await full_id(workspace, "records", text, "record", "surveyor records --all")
