"""The frontier in Redis or Valkey: what waits and what is taken lives there, what is over in `pages`.

The database commits first; Redis follows, in one step per domain that is made as a whole.
Each transaction that changes a frontier counts up the domain's checkpoint, and each step
its counterpart, so that on opening the two say whether Redis has heard everything, missed
the last group (somebody died in between), or is another one altogether. `rebuild` puts
right what is missing. Steps of an older epoch change nothing.

In Redis a URL that is known and a URL that waits are the same member; only what is over is
kept as a key of its own, in eight bytes. The marks of a URL (attempts, suspicion, what it is
taken for) and its way into the order travel with it; where it was found does not.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import logs
from surveyor.db import Database
from surveyor.errors import FrontierLost, LeaseLost
from surveyor.frontier import due_pages, reconcile
from surveyor.frontier.changes import Applied, DomainChanges, NewUrl, Opened, Taken
from surveyor.frontier.reconcile import Checkpoint, Standing
from surveyor.frontier.redis import steps
from surveyor.frontier.redis.rebuild import Rebuild
from surveyor.frontier.redis.steps import Made, Step, Steps, TakenUrl
from surveyor.names import url_key

# A page that took its process down so often while it was the only one in flight is quarantined.
_CRASHES_ALONE = 3
# Pages that are due, handed over in one go: it takes half a dozen steps, and what a visit leaves waits on.
_DUE_AT_ONCE = 200
# URLs in one step. Redis does nothing else meanwhile: about 20 ms.
_MOST_IN_A_STEP = 5_000

log = logs.get("frontier")


@dataclass(slots=True)
class _Held:
    """What one holder has to remember of a domain; the same size however much waits."""

    epoch: int
    checkpoint: Checkpoint
    waiting: int
    has_revisits: bool
    targets: dict[int, str] = field(default_factory=dict)  # of what is taken, by key
    over: list[tuple[int, str]] = field(default_factory=list)  # finished on opening, sent with the next step
    cut: list[NewUrl] = field(default_factory=list)  # of the group under way
    # What the last step brought, to be counted in the next transaction:
    new: int = 0
    more_waiting: int = 0
    not_taken: int = 0

    def counted(self, want: int = 0) -> Applied:
        found = Applied(self.new, self.more_waiting, want - self.not_taken, (), self.checkpoint.text)
        self.new = self.more_waiting = self.not_taken = 0
        return found

    def note(self, made: Made) -> None:
        self.new += made.new
        self.more_waiting += made.waiting - self.waiting
        self.waiting = made.waiting
        self.targets.update((url_key(url.target), url.target) for url in made.taken)


class RedisFrontier:
    is_outside = True

    def __init__(self, client: Redis | RedisCluster) -> None:
        self._steps = Steps(client)
        self._held: dict[int, _Held] = {}
        self._prepared: dict[int, tuple[str, int]] = {}  # id and group that an opening must find

    # -- opening

    async def prepare(self, db: Database, no: int, epoch: int, standing: Standing | None = None) -> None:
        found, group = await self._steps.standing(no)
        if standing is None:
            async with db.read() as tx:
                standing = await reconcile.standing(tx, no)
        is_asked_for = standing.has_waiting
        if standing.epoch != epoch:
            raise LeaseLost(standing.domain, epoch)
        rebuild, known = Rebuild(db, self._steps, no, epoch), standing.checkpoint
        if known is None or found != known.id or group > known.group:
            if known is not None:
                log.warning("frontier lost; rebuilding it", domain=standing.domain)
            await rebuild.from_nothing(with_links=known is not None, has_rows=standing.has_rows)
            found, group = _new_name(), 0
            await self._steps.seal(no, epoch, found, group)
        elif group < known.group or is_asked_for:
            await self._steps.open(no, epoch)  # steps are made under our epoch
            if group < known.group:
                log.info("frontier is behind; reading on", domain=standing.domain, groups=known.group - group)
                await self._catch_up(rebuild, known.group - group)
                group = known.group
            found = _new_name() if is_asked_for else found
            await self._steps.seal(no, epoch, found, group)
            if is_asked_for:
                await rebuild.from_waiting_rows(found)
        self._prepared[no] = found, group

    async def _catch_up(self, rebuild: Rebuild, groups: int) -> None:
        if groups == 1:
            await rebuild.from_the_last_group()
        else:
            await rebuild.from_what_is_there()

    async def open(self, tx: AsyncConnection, epochs: Mapping[int, int]) -> dict[int, Opened]:
        known = await reconcile.standings(tx, list(epochs))
        found = await self._steps.open_all(list(epochs.items()))
        opened = {
            no: await self._take_over(tx, no, epochs[no], known[no], there)
            for no, there in zip(epochs, found, strict=True)
        }
        await reconcile.set_checkpoints(tx, {no: self._held[no].checkpoint for no in epochs})
        return opened

    async def _take_over(
        self, tx: AsyncConnection, no: int, epoch: int, known: Standing, opened: steps.Opened
    ) -> Opened:
        if (opened.id, opened.group) != self._prepared.get(no):
            raise FrontierLost(no)
        is_new = not (opened.waiting or opened.taken or known.has_rows)
        was_given_up = known.checkpoint is not None and known.checkpoint.is_given_up
        over, poison, back = await self._sorted(tx, no, opened.taken, may_be_poison=not was_given_up)
        await reconcile.quarantine(tx, no, [(url_key(u.target), u.target, u.depth, u.rank) for u in poison])
        over += [(url_key(url.target), url.target) for url in poison]
        await self._return(no, epoch, back, is_suspect=not was_given_up)
        waiting, counted = opened.waiting + len(back), known.checkpoint
        found = waiting + len(poison) - counted.unfinished if counted else 0
        revisits = known.has_taken and await reconcile.has_revisits(tx, no)
        self._held[no] = _Held(
            epoch, Checkpoint(opened.id, opened.group, waiting), waiting, revisits, over=over
        )
        not_handed_over = await reconcile.count_waiting(tx, no) if known.has_waiting else 0
        return Opened(is_new, len(back), len(poison), waiting + not_handed_over, found)

    async def _sorted(
        self, tx: AsyncConnection, no: int, taken: Sequence[TakenUrl], *, may_be_poison: bool
    ) -> tuple[list[tuple[int, str]], list[TakenUrl], list[TakenUrl]]:
        """What the last holder had: over by now, to be quarantined, to go back.

        What is over leaves Redis with the next step and not before this transaction is
        committed; until then it would be in neither.
        """
        rows = await reconcile.rows_of(tx, no, [url_key(url.target) for url in taken])
        finished = {row.key for row in rows if row.is_finished}
        over = [(key, url.target) for url in taken if (key := url_key(url.target)) in finished]
        left = [url for url in taken if url_key(url.target) not in finished]
        poison = [url for url in left if may_be_poison and url.suspect > _CRASHES_ALONE]
        return over, poison, [url for url in left if url not in poison]

    async def _return(self, no: int, epoch: int, back: Sequence[TakenUrl], *, is_suspect: bool) -> None:
        if not back:
            return
        step = Step(no, epoch)
        if is_suspect:
            step.suspect(back)
        else:
            step.put_back(back)
        await self._steps.make(step)

    # -- a group

    async def apply(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> dict[int, Applied]:
        await self._write_cut(tx, changes)
        await reconcile.write_unlinked(tx, changes)
        return {change.no: self._counted(change) for change in changes}

    async def _write_cut(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> None:
        """Cut URLs are rows at once, unless they are known: then they wait, or somebody cut them before."""
        offered = [(change.no, cut) for change in changes if (cut := list(_cut(change)))]
        if not offered:
            return
        rows: list[tuple[int, NewUrl]] = []
        for (no, urls), unknown in zip(offered, await self._steps.unknown(offered, cut=False), strict=True):
            self._held[no].cut = [url for url in urls if url.key in unknown]
            rows += [(no, url) for url in self._held[no].cut]
        await reconcile.write_cut(tx, rows)

    def _counted(self, change: DomainChanges) -> Applied:
        held = self._held[change.no]
        name, group, unfinished, _ = held.checkpoint
        unfinished += held.new - len(change.finished)
        held.checkpoint = Checkpoint(name, group + (not change.is_empty), unfinished)
        return held.counted(change.want)

    async def settle(
        self, db: Database, changes: Sequence[DomainChanges], applied: Mapping[int, Applied]
    ) -> dict[int, Sequence[Taken]]:
        settled: dict[int, list[TakenUrl]] = {change.no: [] for change in changes if change.is_empty}
        steps: list[Step] = []
        for change in changes:
            if not change.is_empty and self._holds(change):
                with _alone(settled, change.no):
                    steps.append(await self._settling(change))
        for step, made in zip(steps, await self._steps.make_all(steps), strict=True):
            if made is not None:
                held = self._held[step.no]
                held.note(made)
                held.not_taken = step.want - len(made.taken)
                settled[step.no] = made.taken
        dry = [step for step in steps if step.no in settled and len(settled[step.no]) < step.want]
        await self._look_again(db, dry, settled)
        return {no: await self._with_past(db, no, taken) for no, taken in settled.items()}

    def _holds(self, change: DomainChanges) -> bool:
        """False once the domain was lost and claimed anew, even by ourselves."""
        return self._held[change.no].epoch == change.epoch

    async def _settling(self, change: DomainChanges) -> Step:
        held = self._held[change.no]
        added = [url for url in change.added if url.cut is None]
        while len(added) > _MOST_IN_A_STEP:  # repeated if we die before the last one
            some = Step(change.no, change.epoch)
            some.offer(added[:_MOST_IN_A_STEP])
            held.note(await self._steps.make(some))
            del added[:_MOST_IN_A_STEP]
        step = Step(change.no, change.epoch, change.want, held.checkpoint.id, held.checkpoint.group)
        step.finish([*held.over, *((key, held.targets.pop(key, "")) for key in change.finished)])
        step.offer(added)
        step.cut([(url.key, url.target) for url in held.cut if url.cut == "depth"])
        step.finish([(url.key, url.target) for url in held.cut if url.cut != "depth"])
        step.give_back(
            [(held.targets.pop(back.key), back) for back in change.given_back if back.key in held.targets]
        )
        held.over, held.cut = [], []
        return step

    async def _look_again(
        self, db: Database, dry: Sequence[Step], settled: dict[int, list[TakenUrl]]
    ) -> None:
        """Before a domain is taken for empty: pages may have been asked for again, or be due."""
        if not dry:
            return
        async with db.read() as tx:
            waiting = await reconcile.with_waiting(tx, [step.no for step in dry])
            due = await due_pages.with_due(tx, [step.no for step in dry if step.no not in waiting])
        for step in dry:
            with _alone(settled, step.no):
                if step.no in due:
                    async with db.write() as tx:
                        await due_pages.wait_again(tx, step.no, step.epoch, max(step.want, _DUE_AT_ONCE))
                if step.no in waiting or step.no in due:
                    left = step.want - len(settled[step.no])
                    settled[step.no] = [*settled[step.no], *await self._take_asked_for(db, step, left)]

    async def _take_asked_for(self, db: Database, dry: Step, want: int) -> list[TakenUrl]:
        no, epoch, held = dry.no, dry.epoch, self._held[dry.no]
        name, group = _new_name(), held.checkpoint.group
        await self._steps.seal(no, epoch, name, group)
        more = await Rebuild(db, self._steps, no, epoch).from_waiting_rows(name)
        # Counted where they were asked for.
        held.checkpoint = Checkpoint(name, group, held.checkpoint.unfinished + more)
        held.waiting += more
        held.has_revisits = True
        made = await self._steps.make(Step(no, epoch, want))
        held.note(made)
        held.not_taken = want - len(made.taken)
        return made.taken

    async def _with_past(self, db: Database, no: int, taken: Sequence[TakenUrl]) -> list[Taken]:
        known: dict[int, reconcile.Known] = {}
        if taken and self._held[no].has_revisits:
            async with db.read() as tx:
                known = await reconcile.known(tx, no, [url_key(url.target) for url in taken])
        return [_taken(url, known) for url in taken]

    # -- the rest

    def close(self, no: int, epoch: int) -> Applied:
        held = self._held.get(no)
        if held is None or held.epoch != epoch:
            return Applied()
        del self._held[no]
        self._prepared.pop(no, None)
        found = held.checkpoint.unfinished + held.new
        held.checkpoint = held.checkpoint._replace(unfinished=found)
        return held.counted()

    async def count_alone(self, tx: AsyncConnection, no: int, key: int) -> None:
        held = self._held[no]
        if target := held.targets.get(key):
            step = Step(no, held.epoch)
            step.alone(target)
            await self._steps.make(step)

    async def give_up(self, tx: AsyncConnection, no: int, epoch: int) -> int:
        # Said in the database: Redis may be what the holder lost, and dead holders are asked no more.
        checkpoint = await reconcile.locked(tx, no, epoch)
        if checkpoint is not None:
            await reconcile.set_checkpoint(tx, no, checkpoint._replace(is_given_up=True))
        return 0  # they wait again when the frontier is opened

    async def reach(self) -> None:
        await self._steps.ping()

    async def count(self, tx: AsyncConnection, no: int) -> int:
        return await self._steps.count(no) + await reconcile.count_waiting(tx, no)

    async def drop(self, tx: AsyncConnection, no: int) -> None:
        # Whether or not this is committed, nothing is found here afterwards, so the database's word counts.
        await reconcile.forget(tx, no)
        await self._steps.wipe(no)


@contextmanager
def _alone(settled: dict[int, list[TakenUrl]], no: int) -> Iterator[None]:
    """A domain that was lost drops out of its group alone."""
    try:
        yield
    except LeaseLost:
        settled.pop(no, None)


def _cut(change: DomainChanges) -> Iterator[NewUrl]:
    """Cut URLs of a group, less those that it also wants."""
    wanted = {url.key for url in change.added if url.cut is None}
    return (url for url in change.added if url.cut is not None and url.key not in wanted)


def _new_name() -> str:
    return secrets.token_hex(6)


def _taken(url: TakenUrl, known: Mapping[int, reconcile.Known]) -> Taken:
    key = url_key(url.target)
    past = known.get(key, reconcile.Known())
    return Taken(key, url.target, url.depth, url.rank, url.attempts, url.suspect, *past, url.kind)
