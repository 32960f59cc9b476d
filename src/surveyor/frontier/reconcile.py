"""What a frontier outside the database reads from it: `pages`, `page_links` and its checkpoint.

While URLs wait elsewhere, `pages` has the finished ones, the ones that were cut, and those
that must not be forgotten whatever happens there: a row in state `waiting` is still to be
handed over, one in state `taken` was handed over and is not fetched yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, literal_column, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time
from surveyor.db.bulk import converter, insert_new, update_many, upsert_many
from surveyor.db.dialect import among
from surveyor.db.tables import domain_crawl, domains, page_links, pages, register
from surveyor.errors import LeaseLost
from surveyor.frontier.changes import RANK_FIRST, RANK_NORMAL, DomainChanges, NewUrl, unpack_links
from surveyor.frontier.revisits import Past
from surveyor.names import url_key

_p, _c = pages.c, domain_crawl.c
# Rows read before a domain is taken to have some of a kind: a frontier that moved has millions.
_MOST_LOOKED_AT = 1_000

# Before the id of a frontier in a checkpoint.
_GIVEN_UP = "~"

# States of URLs that nobody is about to fetch.
OVER = ("done", "ended")

# Written out, because a partial index serves only statements that name the state themselves.
IS_WAITING: ColumnElement[bool] = _p.state == literal_column("'waiting'")
IS_TAKEN: ColumnElement[bool] = _p.state == literal_column("'taken'")


def taken(no: int) -> tuple[ColumnElement[bool], ...]:
    """Rows of the domain that are taken, however many others it has.

    By their keys, which the index has: read by their state, SQLite would walk through all rows.
    """
    return _p.domain_no == no, _p.key.in_(select(_p.key).where(_p.domain_no == no, IS_TAKEN))


class Checkpoint(NamedTuple):
    """Which frontier the database knows, and how far it saw it."""

    id: str
    group: int = 0  # transactions that changed it
    unfinished: int = 0  # URLs waiting or taken that pages_discovered has counted
    is_given_up: bool = False  # by a holder that lived: nothing it had taken is a suspect

    @property
    def text(self) -> str:
        return f"{_GIVEN_UP if self.is_given_up else ''}{self.id}:{self.group}:{self.unfinished}"

    @classmethod
    def read(cls, text: str | None) -> Checkpoint | None:
        if text is None:
            return None
        is_given_up = text.startswith(_GIVEN_UP)
        name, _, counts = text.removeprefix(_GIVEN_UP).partition(":")
        group, _, unfinished = counts.partition(":")
        known = group.isdecimal() and unfinished.isdecimal()
        return cls(name, int(group), int(unfinished), is_given_up) if known else cls(text)


class Standing(NamedTuple):
    domain: str
    epoch: int
    checkpoint: Checkpoint | None  # None: all that waits is in `pages`
    has_rows: bool
    has_waiting: bool
    has_taken: bool


def any_row(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(_p.key).where(_p.domain_no == _c.no, *conditions).correlate(domain_crawl).exists()


_STANDING = select(
    _c.no,
    domains.c.domain,
    _c.lease_epoch,
    _c.frontier_checkpoint_id,
    any_row(),
    any_row(IS_WAITING),
    any_row(IS_TAKEN),
).join_from(domain_crawl, domains)


async def standings(tx: AsyncConnection, numbers: Sequence[int]) -> dict[int, Standing]:
    found = await tx.execute(_STANDING.where(among(_c.no, numbers)))
    return {no: Standing(name, epoch, Checkpoint.read(text), *has) for no, name, epoch, text, *has in found}


async def standing(tx: AsyncConnection, no: int) -> Standing:
    return (await standings(tx, [no]))[no]


async def set_checkpoints(tx: AsyncConnection, checkpoints: Mapping[int, Checkpoint]) -> None:
    rows = [(checkpoint.text, no) for no, checkpoint in checkpoints.items()]
    await update_many(tx, domain_crawl, "frontier_checkpoint_id = {}", rows, "no = {}")


async def set_checkpoint(tx: AsyncConnection, no: int, checkpoint: Checkpoint | None) -> None:
    text = checkpoint.text if checkpoint else None
    await tx.execute(update(domain_crawl).where(_c.no == no).values(frontier_checkpoint_id=text))


# --- rows of pages


class Row(NamedTuple):
    key: int
    target: str
    state: str
    reason: str | None
    depth: int
    rank: int
    attempts: int
    suspect: int
    kind: int
    was_looked_at: bool  # False: never answered; it waits, was cut, or failed

    @property
    def is_finished(self) -> bool:
        """Nobody is to ask for it, however near it is found."""
        return self.state in ("done", "ended") and not self.is_cut_by_depth

    @property
    def may_have_links(self) -> bool:
        return self.is_finished and self.was_looked_at

    @property
    def is_cut_by_depth(self) -> bool:
        return self.state == "ended" and self.reason == "depth" and not self.was_looked_at

    @property
    def is_asked_for(self) -> bool:
        return self.state in ("waiting", "taken")


_ROW = select(
    _p.key,
    _p.target,
    _p.state,
    _p.reason,
    _p.depth,
    _p.rank,
    _p.attempts,
    _p.suspect,
    _p.kind,
    _p.fetched_at.is_not(None).label("was_looked_at"),
)


async def rows_after(
    tx: AsyncConnection, no: int, after: int | None, limit: int, *, only_taken: bool = False
) -> list[Row]:
    """The domain's rows in the order of keys."""
    keys = select(_p.key).where(_p.domain_no == no).order_by(_p.key).limit(limit)
    if after is not None:
        keys = keys.where(_p.key > after)
    if only_taken:
        keys = keys.where(IS_TAKEN)
    query = _ROW.where(_p.domain_no == no, _p.key.in_(keys)).order_by(_p.key)
    return [Row(*row) for row in await tx.execute(query)]


async def rows_of(tx: AsyncConnection, no: int, keys: Sequence[int]) -> list[Row]:
    if not keys:
        return []
    query = _ROW.where(_p.domain_no == no, among(_p.key, keys))
    return [Row(*row) for row in await tx.execute(query)]


async def has_revisits(tx: AsyncConnection, no: int) -> bool:
    """Whether pages that were fetched before may have been handed over: they have validators."""
    keys = select(_p.key).where(_p.domain_no == no, IS_TAKEN).limit(_MOST_LOOKED_AT)
    query = select(_p.fetched_at.is_not(None)).where(_p.domain_no == no, _p.key.in_(keys))
    found = (await tx.execute(query)).scalars().all()
    return len(found) == _MOST_LOOKED_AT or any(found)


async def with_waiting(tx: AsyncConnection, numbers: Sequence[int]) -> set[int]:
    """Which of these domains have rows to move."""
    query = select(_p.domain_no).where(among(_p.domain_no, numbers), IS_WAITING).distinct()
    return set((await tx.execute(query)).scalars())


async def count_waiting(tx: AsyncConnection, no: int) -> int:
    query = select(func.count()).select_from(pages).where(_p.domain_no == no, IS_WAITING)
    return int((await tx.execute(query)).scalar_one())


class Known(NamedTuple):
    """What a request is made with: the validators of the last answer, and what that showed."""

    etag: str | None = None
    last_modified: str | None = None
    past: Past | None = None


KNOWN = (_p.etag, _p.last_modified, _p.fetched_at, _p.content_hash, _p.reason)


def to_known(
    etag: str | None,
    last_modified: str | None,
    fetched_at: datetime | None,
    content_hash: bytes | None,
    reason: str | None,
) -> Known:
    past = None if fetched_at is None else Past(fetched_at, content_hash, reason)
    return Known(etag, last_modified, past)


async def known(tx: AsyncConnection, no: int, keys: Sequence[int]) -> dict[int, Known]:
    query = select(_p.key, *KNOWN).where(_p.domain_no == no, among(_p.key, keys))
    return {key: to_known(*rest) for key, *rest in await tx.execute(query)}


# --- what is written


async def locked(tx: AsyncConnection, no: int, epoch: int) -> Checkpoint | None:
    """The checkpoint, the domain's to the end of the transaction; `LeaseLost` if it is another epoch's."""
    query = select(_c.lease_epoch, _c.frontier_checkpoint_id).where(_c.no == no).with_for_update()
    present, text = (await tx.execute(query)).one()
    if present != epoch:
        raise LeaseLost(f"domain number {no}", epoch)
    return Checkpoint.read(text)


async def next_waiting(tx: AsyncConnection, no: int, limit: int) -> list[Row]:
    """Rows to move, in the order in which they would be taken."""
    query = _ROW.where(_p.domain_no == no, IS_WAITING).order_by(_p.rank, _p.depth, _p.seq)
    return [Row(*row) for row in await tx.execute(query.limit(limit))]


async def hand_over(
    tx: AsyncConnection, no: int, epoch: int, keys: Sequence[int], name: str | None = None
) -> None:
    """These rows wait elsewhere now, under that name. They were counted when they were first seen."""
    checkpoint = await locked(tx, no, epoch)
    if checkpoint is not None:
        more = checkpoint.unfinished + len(keys)
        await set_checkpoint(tx, no, checkpoint._replace(id=name or checkpoint.id, unfinished=more))
    rows = [(epoch, no, key) for key in keys]
    where = "domain_no = {} AND key = {} AND state = 'waiting'"
    await update_many(tx, pages, "state = 'taken', taken_epoch = {}", rows, where)


_COLUMNS = ("domain_no", "key", "target", "state", "depth", "rank", "seq", "reason", "taken_epoch", "kind")


async def write_cut(tx: AsyncConnection, changes: Sequence[tuple[int, NewUrl]]) -> None:
    """Known, and not to be fetched."""
    rows = [
        (no, url.key, url.target, "ended", url.depth, url.rank, 0, url.cut, None, int(url.kind))
        for no, url in changes
    ]
    await insert_new(tx, pages, _COLUMNS, rows, ("domain_no", "key"))


async def write_unlinked(tx: AsyncConnection, changes: Sequence[DomainChanges]) -> None:
    """URLs that no page links to are kept here too, and sitemaps and feeds: links do not say what they are.

    Nothing else could bring them back.
    """
    urls = [
        (change, url)
        for change in changes
        for url in change.added
        if (url.found_on is None or url.kind) and url.cut is None
    ]
    if not urls:
        return
    rows = [(c.no, u.key, u.target, "taken", u.depth, u.rank, 0, None, c.epoch, int(u.kind)) for c, u in urls]
    await insert_new(tx, pages, _COLUMNS, rows, ("domain_no", "key"))
    # Known ones come nearer, and what only depth had cut is wanted now.
    nearer = [(c.epoch, u.depth, u.depth, u.kind, u.kind, c.no, u.key, u.depth, u.kind) for c, u in urls]
    await update_many(tx, pages, _NEARER, nearer, _MOVABLE)


_NEARER = (
    "state = 'taken', reason = NULL, taken_epoch = {}, "
    "depth = CASE WHEN depth > {} THEN {} ELSE depth END, "
    "kind = CASE WHEN kind < {} THEN {} ELSE kind END"
)
_MOVABLE = (
    "domain_no = {} AND key = {} AND (depth > {} OR kind < {}) "
    "AND (state = 'taken' OR (state = 'ended' AND reason = 'depth' AND fetched_at IS NULL))"
)


async def quarantine(tx: AsyncConnection, no: int, urls: Sequence[tuple[int, str, int, int]]) -> None:
    """Pages (key, target, depth, rank) that took their process down once too often."""
    if not urls:
        return
    moment = converter(tx, _p.fetched_at)(await current_time(tx))
    columns = ("domain_no", "key", "target", "state", "depth", "rank", "seq", "reason", "fetched_at")
    rows = [(no, key, target, "ended", depth, rank, 0, "poison", moment) for key, target, depth, rank in urls]
    replaced = ("state", "reason", "fetched_at")
    await upsert_many(tx, pages, columns, rows, ("domain_no", "key"), replaced, "taken_epoch = NULL")


async def forget(tx: AsyncConnection, no: int) -> None:
    await tx.execute(delete(pages).where(_p.domain_no == no, _p.state.in_(("waiting", "taken"))))
    await set_checkpoint(tx, no, None)


async def take_back(tx: AsyncConnection, no: int, epoch: int) -> None:
    """From now on all that waits is in `pages` again; what was found there meanwhile is counted."""
    checkpoint = await locked(tx, no, epoch)
    await tx.execute(update(pages).where(*taken(no)).values(state="waiting", taken_epoch=None))
    waiting = await count_waiting(tx, no)
    counted = checkpoint.unfinished if checkpoint else waiting
    values = {
        "frontier_checkpoint_id": None,
        "frontier_size": waiting,
        "pages_discovered": _c.pages_discovered + waiting - counted,
    }
    await tx.execute(update(domain_crawl).where(_c.no == no).values(values))


# --- what fetched pages link to


async def linked_from(tx: AsyncConnection, no: int, keys: Sequence[int]) -> list[NewUrl]:
    """The URLs that these pages brought when they were fetched, as they were offered then."""
    query = (
        select(page_links.c.key, page_links.c.links, _p.state, _p.status, _p.reason, _p.depth)
        .join_from(
            page_links, pages, and_(page_links.c.domain_no == _p.domain_no, page_links.c.key == _p.key)
        )
        .where(page_links.c.domain_no == no, page_links.c.key.in_(keys))
    )
    return [url for row in await tx.execute(query) for url in _offers(*row)]


def _offers(
    key: int, links: bytes, state: str, status: int | None, reason: str | None, depth: int
) -> Iterator[NewUrl]:
    rank, depth = RANK_NORMAL, depth + 1
    if state == "ended" and status is not None and 300 <= status < 400:
        if reason != "redirect":
            return  # it led nowhere that was wanted
        rank, depth = RANK_FIRST, depth - 1  # another name of the same page
    for target in unpack_links(links)[0]:
        yield NewUrl(url_key(target), target, depth, rank, key)


# --- whose frontier it is


async def register_mark(db: Database, tx: AsyncConnection, fresh: str) -> str:
    """The mark that tells this register from others that might use the same server."""
    row = {"name": "frontier_mark", "value": fresh}
    await tx.execute(db.insert(register).values(row).on_conflict_do_nothing(index_elements=["name"]))
    query = select(register.c.value).where(register.c.name == "frontier_mark")
    return str((await tx.execute(query)).scalar_one())
