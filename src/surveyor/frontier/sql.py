"""The frontier in the database itself: waiting and taken rows of `pages`.

Changes are made inside the group's transaction, so the frontier and `pages` can never
disagree, whatever dies when.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Integer, and_, bindparam, case, delete, or_, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, now
from surveyor.db.bulk import insert_new, update_many
from surveyor.db.dialect import among
from surveyor.db.tables import pages
from surveyor.db.types import BigId
from surveyor.frontier import due_pages, reconcile
from surveyor.frontier.changes import KINDS, Applied, DomainChanges, Opened, Taken
from surveyor.frontier.reconcile import Standing

_p = pages.c
# A page that took its process down so often while it was the only one in flight is quarantined.
_CRASHES_ALONE = 3
_COLUMNS = ("domain_no", "key", "target", "state", "depth", "rank", "seq", "found_on", "kind", "reason")
# Discoveries of one epoch in a row; later epochs come after.
_SEQ_BITS = 32
# Pages whose links are read back in one go; a few milliseconds of work.
_PAGES_AT_ONCE = 50
# Known URLs looked up in one statement.
_KEYS_AT_ONCE = 512


@dataclass(eq=False)
class SqlFrontier:
    is_outside = False

    _seq: dict[tuple[int, int], int] = field(default_factory=dict)
    # Opened under this epoch without a row of `pages`, and not changed since.
    _empty: dict[int, int] = field(default_factory=dict)

    async def prepare(self, db: Database, no: int, epoch: int, standing: Standing | None = None) -> None:
        """What waited in Redis, before the settings changed, waits here now."""
        if standing is None:
            async with db.read() as tx:
                standing = await reconcile.standing(tx, no)
        if standing.checkpoint is None:
            return
        after: int | None = None
        while True:
            async with db.write() as tx:
                await reconcile.locked(tx, no, epoch)
                rows = await reconcile.rows_after(tx, no, after, _PAGES_AT_ONCE)
                found = await reconcile.linked_from(tx, no, [row.key for row in rows if row.was_looked_at])
                await self._add(tx, self._rows([DomainChanges(no, epoch, found)]))
            if not rows:
                break
            after = rows[-1].key
        async with db.write() as tx:
            await reconcile.take_back(tx, no, epoch)

    async def open(self, tx: AsyncConnection, epochs: Mapping[int, int]) -> dict[int, Opened]:
        found = await reconcile.standings(tx, list(epochs))
        for no, epoch in epochs.items():
            self._empty.pop(no, None)  # of an opening that was rolled back
            if not found[no].has_rows:
                self._empty[no] = epoch
        return {
            no: await self._take_over(tx, no) if found[no].has_taken else Opened(not found[no].has_rows, 0, 0)
            for no in epochs
        }

    async def _take_over(self, tx: AsyncConnection, no: int) -> Opened:
        mine = _p.domain_no == no
        left = (await tx.execute(select(_p.key, _p.suspect).where(*reconcile.taken(no)))).all()
        poison = [key for key, suspect in left if suspect > _CRASHES_ALONE]
        back = [key for key, suspect in left if suspect <= _CRASHES_ALONE]
        if poison:
            values: dict[str, Any] = {
                "state": "ended",
                "reason": "poison",
                "taken_epoch": None,
                "fetched_at": now(),
            }
            await tx.execute(update(pages).where(mine, _p.key.in_(poison)).values(values))
        if back:
            suspected = case((_p.suspect == 0, 1), else_=_p.suspect)
            values = {"state": "waiting", "taken_epoch": None, "suspect": suspected}
            await tx.execute(update(pages).where(mine, _p.key.in_(back)).values(values))
        return Opened(False, len(back), len(poison))

    async def apply(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> dict[int, Applied]:
        rows = self._rows(changes)
        new = await self._add(tx, rows)
        if any(change.given_back for change in changes):
            await self._give_back(tx, changes)
        taken = await self._take(tx, changes, rows)
        applied = {}
        for change in changes:
            added, (urls, due) = new.get(change.no, 0), taken.get(change.no, _NOTHING)
            waiting = added + len(change.given_back) - len(urls) + due
            applied[change.no] = Applied(added, waiting, len(urls), urls)
        return applied

    async def settle(
        self, db: Database, changes: Sequence[DomainChanges], applied: Mapping[int, Applied]
    ) -> dict[int, Sequence[Taken]]:
        return {no: done.taken for no, done in applied.items()}

    def _rows(self, changes: Sequence[DomainChanges]) -> list[tuple[Any, ...]]:
        return _once(
            (
                change.no,
                url.key,
                url.target,
                "ended" if url.cut else "waiting",
                url.depth,
                url.rank,
                self._next(change),
                url.found_on,
                int(url.kind),
                url.cut,
            )
            for change in changes
            for url in change.added
        )

    async def _add(self, tx: AsyncConnection, rows: Sequence[tuple[Any, ...]]) -> dict[int, int]:
        if not rows:
            return {}
        added = await insert_new(tx, pages, _COLUMNS, rows, ("domain_no", "key"))
        counts: dict[int, int] = {}
        nearer: list[tuple[Any, ...]] = []
        for row in rows:
            no, key, cut = row[0], row[1], row[-1]
            if cut is None:
                if (no, key) in added:
                    counts[no] = counts.get(no, 0) + 1
                else:
                    nearer.append(row)
        for no, revived in (await self._bring_nearer(tx, nearer) if nearer else {}).items():
            counts[no] = counts.get(no, 0) + revived
        return counts

    async def _bring_nearer(self, tx: AsyncConnection, known: Sequence[tuple[Any, ...]]) -> dict[int, int]:
        """Known URLs that are wanted come nearer; what only depth had cut waits now. Returns how many do.

        What waits as a page and turns out to be a sitemap or a feed waits as that.
        """
        nearest: dict[tuple[int, int], tuple[int, int]] = {
            (row[0], row[1]): (row[4], row[-2]) for row in known
        }
        rows: list[tuple[Any, ...]] = []
        revived: dict[int, int] = {}
        async for no, key, state, depth, kind in _movable(tx, list(nearest)):
            near, offered = nearest[no, key]
            if state == "ended":
                revived[no] = revived.get(no, 0) + 1
                depth = near
            elif near >= depth and offered <= kind:
                continue
            rows.append((min(near, depth), max(offered, kind), no, key))
        waiting = "state = 'waiting', reason = NULL, depth = {}, kind = {}"
        await update_many(tx, pages, waiting, rows, "domain_no = {} AND key = {}")
        return revived

    async def _give_back(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> None:
        at_the_end: list[tuple[Any, ...]] = []
        at_its_place: list[tuple[Any, ...]] = []
        for change in changes:
            for back in change.given_back:
                if back.to_the_end:
                    at_the_end.append((back.attempts, self._next(change), change.no, back.key))
                else:
                    at_its_place.append((back.attempts, change.no, back.key))
        where = "domain_no = {} AND key = {}"
        # Whoever gives back is alive: a crash that was counted beforehand did not happen.
        calm = "suspect = CASE WHEN suspect > 0 THEN 1 ELSE 0 END"
        waiting = f"state = 'waiting', taken_epoch = NULL, {calm}, attempts = {{}}"
        await update_many(tx, pages, f"{waiting}, seq = {{}}", at_the_end, where)
        await update_many(tx, pages, waiting, at_its_place, where)

    async def _take(
        self, tx: AsyncConnection, changes: Sequence[DomainChanges], added: Sequence[tuple[Any, ...]]
    ) -> dict[int, _TakenRows]:
        """What waits first, then pages whose next visit has come."""
        wanting = [change for change in changes if change.want > 0]
        # Of a domain that had no row, what was added just now is all that waits.
        new = {change.no for change in changes if self._empty.pop(change.no, None) == change.epoch}
        asked = [(change.no, change.want) for change in wanting if change.no not in new]
        waited = _waiting_of(new, added) | await _first_waiting(tx, asked)
        short = [no for no, want in asked if len(waited[no]) < want]
        with_due = await due_pages.with_due(tx, short) if short else set()
        taken: dict[int, _TakenRows] = {}
        marks: list[tuple[Any, ...]] = []
        for change in wanting:
            urls = waited[change.no][: change.want]
            left = change.want - len(urls) if change.no in with_due else 0
            due = await _due(tx, change.no, left) if left else []
            taken[change.no] = _TakenRows([*urls, *due], len(due))
            marks += [(change.epoch, change.no, url.key) for url in taken[change.no].urls]
        await update_many(
            tx, pages, "state = 'taken', taken_epoch = {}", marks, "domain_no = {} AND key = {}"
        )
        return taken

    def _next(self, change: DomainChanges) -> int:
        """A number larger than all of this epoch so far, and of earlier ones."""
        place = (change.no, change.epoch)
        number = self._seq[place] = self._seq.get(place, 0) + 1
        return (change.epoch << _SEQ_BITS) + number

    def close(self, no: int, epoch: int) -> Applied:
        self._seq.pop((no, epoch), None)
        self._empty.pop(no, None)
        return Applied()

    async def count_alone(self, tx: AsyncConnection, no: int, key: int) -> None:
        one = (_p.domain_no == no, _p.key == key)
        await tx.execute(update(pages).where(*one).values(suspect=_p.suspect + 1))

    async def give_up(self, tx: AsyncConnection, no: int, epoch: int) -> int:
        mine = (*reconcile.taken(no), _p.taken_epoch == epoch)
        calm = case((_p.suspect > 0, 1), else_=0)
        values = {"state": "waiting", "taken_epoch": None, "suspect": calm}
        found = await tx.execute(update(pages).where(*mine).values(values).returning(_p.key))
        return len(found.all())

    async def reach(self) -> None:
        """It is where the database is."""

    async def count(self, tx: AsyncConnection, no: int) -> int:
        return await reconcile.count_waiting(tx, no)

    async def drop(self, tx: AsyncConnection, no: int) -> None:
        await tx.execute(delete(pages).where(_p.domain_no == no, _p.state.in_(("waiting", "taken"))))


def _once(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Each URL once, though several pages of a group found it: wanted before cut, on the shortest way."""
    best: dict[tuple[int, int], tuple[Any, ...]] = {}
    for row in rows:
        present = best.setdefault((row[0], row[1]), row)
        if present is not row and _goodness(row) < _goodness(present):
            best[row[0], row[1]] = row
    return list(best.values())


def _goodness(row: tuple[Any, ...]) -> tuple[bool, int, int]:
    return row[-1] is not None, -row[-2], row[4]


async def _movable(
    tx: AsyncConnection, known: Sequence[tuple[int, int]]
) -> AsyncIterator[tuple[int, int, str, int, int]]:
    """Of these URLs, the ones that a shorter way would change: number, key, state, depth, kind."""
    by_domain: dict[int, list[int]] = {}
    for no, key in known:
        by_domain.setdefault(no, []).append(key)
    changes = or_(_p.state == "waiting", and_(_p.state == "ended", _p.reason == "depth"))
    for no, keys in by_domain.items():
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            some = among(_p.key, keys[start : start + _KEYS_AT_ONCE])
            query = select(_p.key, _p.state, _p.depth, _p.kind).where(_p.domain_no == no, some, changes)
            for key, state, depth, kind in await tx.execute(query):
                yield no, key, state, depth, kind


class _TakenRows(NamedTuple):
    urls: list[Taken]
    due: int  # of these, pages that did not wait


_NOTHING = _TakenRows([], 0)


def _taken(
    key: int, target: str, depth: int, rank: int, attempts: int, suspect: int, kind: int, *known: Any
) -> Taken:
    return Taken(key, target, depth, rank, attempts, suspect, *reconcile.to_known(*known), KINDS[kind])


_UNKNOWN = (None,) * len(reconcile.KNOWN)


def _waiting_of(numbers: Collection[int], added: Sequence[tuple[Any, ...]]) -> dict[int, list[Taken]]:
    """What waits of these domains if nothing else does, in the order in which it is taken."""
    found: dict[int, list[Taken]] = {no: [] for no in numbers}
    mine = [row for row in added if row[0] in found and row[3] == "waiting"]
    for no, key, target, _, depth, rank, *_, kind, _ in sorted(
        mine, key=lambda row: (row[5], row[4], row[6])
    ):
        found[no].append(_taken(key, target, depth, rank, 0, 0, kind, *_UNKNOWN))
    return found


async def _due(tx: AsyncConnection, no: int, limit: int) -> list[Taken]:
    keys = await due_pages.due(tx, no, limit)
    if not keys:
        return []
    found = await tx.execute(select(*_TAKEN).where(_p.domain_no == no, among(_p.key, keys)))
    urls = {url.key: url for url in (_taken(*row) for row in found)}
    return [urls[key] for key in keys]


_TAKEN = (_p.key, _p.target, _p.depth, _p.rank, _p.attempts, _p.suspect, _p.kind, *reconcile.KNOWN)
# Domains asked in one statement: a handful of texts serves all groups, each prepared once.
_DOMAINS_AT_ONCE = (32, 8, 1)


@cache
def _next_of(domains: int) -> Any:
    """What so many domains have waiting, each in its order and as many as it wants."""
    arms = [
        select(_p.domain_no, *_TAKEN)
        .where(_p.domain_no == bindparam(f"no{place}", type_=BigId), reconcile.IS_WAITING)
        .order_by(_p.rank, _p.depth, _p.seq)
        .limit(bindparam(f"want{place}", type_=Integer))
        for place in range(domains)
    ]
    return arms[0] if domains == 1 else union_all(*(select(arm.subquery()) for arm in arms))


async def _first_waiting(tx: AsyncConnection, wanted: Sequence[tuple[int, int]]) -> dict[int, list[Taken]]:
    """URLs that wait, of each domain (number, how many): by rank, then breadth first."""
    found: dict[int, list[Taken]] = {no: [] for no, _ in wanted}
    start = 0
    while start < len(wanted):
        size = next(size for size in _DOMAINS_AT_ONCE if size <= len(wanted) - start)
        values: dict[str, int] = {}
        for place, (no, want) in enumerate(wanted[start : start + size]):
            values |= {f"no{place}": no, f"want{place}": want}
        for no, *row in await tx.execute(_next_of(size), values):
            found[no].append(_taken(*row))
        start += size
    return found
