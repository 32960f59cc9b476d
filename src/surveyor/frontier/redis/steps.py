"""One method for each script: what a step of one domain's frontier takes and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster

from surveyor.errors import FrontierLost, FrontierUnreachable, LeaseLost
from surveyor.frontier.changes import KINDS, GivenBack, NewUrl, UrlKind
from surveyor.frontier.reconcile import Row
from surveyor.frontier.redis import scripts
from surveyor.frontier.redis.scripts import Argument, Call
from surveyor.process.tasks import Batch

# A place is rank, depth and order of discovery in one number that a double keeps exactly: 3, 10 and
# 40 bits. The scripts know the same; what is deeper or later than fits shares the last place.
_DEPTH, _RANK = 1 << 40, 1 << 50
_DEEPEST, _LAST_RANK = (_RANK // _DEPTH) - 1, 7


class _Ended(IntEnum):
    """How a step ended, as the scripts say it."""

    STALE = 0
    LOST = 1
    MADE = 2


def place(rank: int, depth: int) -> int:
    """The first place of a rank and a depth."""
    return min(rank, _LAST_RANK) * _RANK + min(depth, _DEEPEST) * _DEPTH


class TakenUrl(NamedTuple):
    """A URL that was taken, as Redis keeps it."""

    target: str
    rank: int
    depth: int
    attempts: int
    suspect: int
    kind: UrlKind


class Made(NamedTuple):
    """What a step came to."""

    new: int
    waiting: int
    unfinished: list[int]  # keys that were not known to be finished
    taken: list[TakenUrl]


class Opened(NamedTuple):
    id: str  # empty while it is being rebuilt
    group: int
    waiting: int
    taken: list[TakenUrl]


@dataclass(slots=True)
class Step:
    """Changes to one domain, made all together. With an id it settles the group of that number."""

    no: int
    epoch: int
    want: int = 0
    id: str = ""
    group: int = 0
    changes: list[Argument] = field(default_factory=list)

    def _add(self, kind: str, rows: Sequence[tuple[Argument, ...]]) -> None:
        if rows:
            self.changes += (kind, len(rows), *chain.from_iterable(rows))

    def finish(self, urls: Sequence[tuple[int, str]]) -> None:
        self._add("finished", urls)

    def offer(self, urls: Iterable[NewUrl]) -> None:
        self._add(
            "offered", [(url.key, url.target, place(url.rank, url.depth), int(url.kind)) for url in urls]
        )

    def cut(self, urls: Sequence[tuple[int, str]]) -> None:
        """Too deep; what was cut for another reason is finished."""
        self._add("cut", urls)

    def ask(self, rows: Iterable[Row]) -> None:
        self._add(
            "asked",
            [(r.key, r.target, place(r.rank, r.depth), r.attempts, r.suspect, r.kind) for r in rows],
        )

    def give_back(self, urls: Iterable[tuple[str, GivenBack]]) -> None:
        self._add("given_back", [(target, back.attempts, int(back.to_the_end)) for target, back in urls])

    def put_back(self, urls: Iterable[TakenUrl]) -> None:
        """To its place, as it was."""
        self._add("given_back", [(url.target, url.attempts, 0) for url in urls])

    def suspect(self, urls: Iterable[TakenUrl]) -> None:
        self._add("suspect", [(url.target,) for url in urls])

    def alone(self, target: str) -> None:
        self._add("alone", [(target,)])

    @property
    def call(self) -> Call:
        return Call("change", self.no, (self.epoch, self.id, self.group, self.want, *self.changes))


class Steps:
    """The frontiers in one Redis.

    Steps that many domains need at the same moment, as when they are opened, share a message there and back.
    """

    def __init__(self, client: Redis | RedisCluster) -> None:
        self._client = client
        # What fails there is never repeated here: a step whose answer was lost may have been made.
        self._calls = Batch(partial(scripts.run_all, client), FrontierUnreachable)
        self._standings = Batch(self._read_standings, FrontierUnreachable)

    async def make_all(self, steps: Sequence[Step]) -> list[Made | None]:
        """Make each; None where the epoch is another one by now."""
        replies = await scripts.run_all(self._client, [step.call for step in steps])
        return [_made(step, reply) for step, reply in zip(steps, replies, strict=True)]

    async def make(self, step: Step) -> Made:
        made = _made(step, await self._calls.ask(step.call))
        if made is None:
            raise LeaseLost(f"domain number {step.no}", step.epoch)
        return made

    async def open(self, no: int, epoch: int) -> Opened:
        return (await self.open_all([(no, epoch)]))[0]

    async def open_all(self, places: Sequence[tuple[int, int]]) -> list[Opened]:
        """Open domains (number, epoch) in one message there and back."""
        replies = await scripts.run_all(self._client, [Call("open", no, (epoch,)) for no, epoch in places])
        return [_opened(no, reply) for (no, _), reply in zip(places, replies, strict=True)]

    async def standing(self, no: int) -> tuple[str, int]:
        """Id and group; an empty id if there is no whole frontier."""
        return await self._standings.ask(no)

    async def _read_standings(self, numbers: Sequence[int]) -> list[tuple[str, int]]:
        pipeline = self._client.pipeline(transaction=False)
        for no in numbers:
            pipeline.hmget(scripts.facts_key(no), ["id", "group"])
        with scripts.translated():
            found = await pipeline.execute()
        return [((name or b"").decode(), int(group or 0)) for name, group in found]

    async def unknown(self, urls: Sequence[tuple[int, Sequence[NewUrl]]], *, cut: bool) -> list[set[int]]:
        """Per domain the keys that nobody has spoken of yet; `cut`: also those that are too deep."""
        calls = [
            Call("unknown", no, [int(cut), *(value for url in found for value in (url.key, url.target))])
            for no, found in urls
        ]
        return [set(map(int, reply)) for reply in await scripts.run_all(self._client, calls)]

    async def wipe(self, no: int, epoch: int | None = None) -> None:
        await self._calls.ask(Call("wipe", no, () if epoch is None else (epoch,)))

    async def seal(self, no: int, epoch: int, name: str, group: int) -> None:
        """The frontier is whole, and stands at this group."""
        if await self._calls.ask(Call("seal", no, (epoch, name, group))) == _Ended.STALE:
            raise LeaseLost(f"domain number {no}", epoch)

    async def ping(self) -> None:
        """Whether all nodes answer; `FrontierUnreachable` if not."""
        with scripts.translated():
            if isinstance(self._client, RedisCluster):
                await self._client.ping(target_nodes=RedisCluster.ALL_NODES)
            else:
                await self._client.ping()

    async def count(self, no: int) -> int:
        with scripts.translated():
            return int(await self._client.zcard(f"{scripts.facts_key(no)}:waiting"))


def _opened(no: int, reply: list[Any]) -> Opened:
    if not reply:
        raise FrontierLost(no)
    name, group, waiting, taken = reply
    return Opened(name.decode(), group, waiting, _taken_urls(taken))


def _made(step: Step, reply: list[Any]) -> Made | None:
    if reply[0] == _Ended.LOST:
        raise FrontierLost(step.no)
    if reply[0] == _Ended.STALE:
        return None
    _, new, waiting, unfinished, taken = reply
    return Made(new, waiting, [int(key) for key in unfinished], _taken_urls(taken))


def _taken_urls(flat: list[bytes]) -> list[TakenUrl]:
    values = iter(flat)
    found = []
    while triple := tuple(islice(values, 3)):
        target, score, marks = triple
        rank, rest = divmod(int(float(score)), _RANK)
        attempts, suspect, kind = map(int, marks.split())
        found.append(TakenUrl(target.decode(), rank, rest // _DEPTH, attempts, suspect, KINDS[kind]))
    return found
