"""Anything that may happen to a frontier, in any order, held against a simple model: nothing vanishes.

Processes die before a commit, between the commit and the frontier's hearing of it, and after;
Redis forgets everything, or what it heard last; pages are asked for again. The model knows
only what was committed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from surveyor.crawl import service
from surveyor.db import Database
from surveyor.frontier.changes import UrlKind
from surveyor.settings import DatabaseSettings
from tests.contract.frontier.world import Counters, Visit, World
from tests.support.registry_help import ADMIN
from tests.support.size import size

LIMIT = 3  # links from the start page
TARGETS = [f"/{letter}" for letter in "abcdefghijklmnop"]
LISTS = {"/n": UrlKind.SITEMAP, "/o": UrlKind.NESTED_SITEMAP, "/p": UrlKind.FEED}


def kind_of(target: str) -> UrlKind:
    return LISTS.get(target, UrlKind.PAGE)


@dataclass
class Url:
    """What we believe of one known URL."""

    depth: int
    state: str = "waiting"  # waiting, taken, over, cut
    is_counted: bool = True  # False while it is known only as cut, and once it turned out to be a list
    least: int = LIMIT + 1  # the shortest way ever found; a rebuilt frontier may know it before others do
    links: frozenset[str] = frozenset()  # seen on it; here pages lose none when they are fetched again
    was_crawled: bool = False


@dataclass
class Model:
    urls: dict[str, Url] = field(default_factory=dict)

    def of(self, *states: str) -> list[str]:
        return sorted(target for target, url in self.urls.items() if url.state in states)

    def offer(self, target: str, depth: int) -> None:
        url = self.urls.get(target)
        is_cut = depth > LIMIT
        if url is None:
            self.urls[target] = Url(depth, "cut" if is_cut else "waiting", not is_cut)
        elif url.state == "cut" and not is_cut:
            url.depth, url.state, url.is_counted = depth, "waiting", True
        elif url.state == "waiting":
            url.depth = min(url.depth, depth)
        self.urls[target].least = min(self.urls[target].least, depth)

    @property
    def counters(self) -> tuple[int, int]:
        urls = self.urls.values()
        return sum(url.is_counted for url in urls), sum(url.was_crawled for url in urls)


_LINKS = st.lists(st.sampled_from(TARGETS), max_size=5, unique=True)
_FATE = st.sampled_from(["lives", "lives", "dies unsettled", "dies settled"])


class Frontiers(RuleBasedStateMachine):
    url, redis_url = "", None
    examples = 0

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.model = Model()
        self.visit: Visit | None = None
        self.saved: dict[bytes, bytes] | None = None

    def run(self, act: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(act)

    @initialize()
    def begin(self) -> None:
        type(self).examples += 1
        self.name = f"d{self.examples}.example"

        async def make() -> int:
            self.world = World(Database.open(DatabaseSettings(url=self.url), Path()), self.redis_url)
            await self.world.begin()
            return await self.world.domain(self.name)

        self.no = self.run(make())
        self.open()

    def teardown(self) -> None:
        async def close() -> None:
            await self.world.close()
            await self.world.db.close()

        try:
            self._drain()
        finally:
            self.run(close())
            self.runner.close()

    # --- what a visit does

    def open(self) -> None:
        """Whoever held it is dead or gone."""
        self.visit = self.run(self.world.visit(self.no))
        self.visit.kind_of = kind_of
        for target in self.model.of("taken"):
            self.model.urls[target].state = "waiting"
        assert self.visit.opened.is_new == (not self.model.urls)

    @rule(url=st.sampled_from(TARGETS), depth=st.integers(0, LIMIT), settled=st.booleans())
    def a_person_submits(self, url: str, depth: int, settled: bool) -> None:
        self.visit.add(url, depth=depth)
        self.model.offer(url, depth)
        if settled:
            self.run(self.visit.commit())
        else:
            self.run(self.visit.die_unsettled())
            self.open()

    @rule(data=st.data(), fate=_FATE, want=st.integers(0, 4))
    def pages_are_fetched(self, data: st.DataObject, fate: str, want: int) -> None:
        """Finish some of what is in hand, give some back, take some; then live on, or not."""
        for target, taken in list(self.visit.hand.items()):
            before = self.model.urls[target].links
            could = ["page", "page", "gone", "back", "nothing", *([] if before else ["moved"])]
            what = data.draw(st.sampled_from(could), label=target)
            links = data.draw(_LINKS, label="links") if what == "page" else []
            if what == "moved":
                links = [data.draw(st.sampled_from(TARGETS), label="to")]
            self._fetched(target, taken.depth, what, sorted(before.union(links)))
        if fate == "dies unsettled":
            self.run(self.visit.die_unsettled(want))
            self.open()
            return
        taken_now = self.run(self.visit.commit(want))
        expected = self.model.of("waiting")
        assert len(taken_now) == min(want, len(expected))
        assert set(taken_now) <= set(expected)
        self._are_the_nearest(taken_now)
        for target in taken_now:
            url = self.model.urls[target]
            assert url.least <= self.visit.hand[target].depth <= url.depth
            assert self.visit.hand[target].kind is kind_of(target)
            self.model.urls[target].state = "taken"
        if fate == "dies settled":
            self.open()

    def _fetched(self, target: str, depth: int, what: str, links: list[str]) -> None:
        if what == "nothing":
            return
        if what == "back":
            self.visit.give_back(target)
            self.model.urls[target].state = "waiting"
            return
        url = self.model.urls[target]
        url.state, url.links = "over", frozenset(links)
        url.is_counted = url.was_crawled = kind_of(target) is UrlKind.PAGE
        if what == "page":
            deep = depth + 1 > LIMIT
            self.visit.finish(target, *([] if deep else links), cut=links if deep else ())
            for link in links:
                self.model.offer(link, depth + 1)
        elif what == "moved":
            self.visit.finish(target, *links, state="ended", reason="redirect", status=302)
            self.model.offer(links[0], depth)
        else:
            self.visit.finish(target, state="ended", reason="gone", status=410)

    def _are_the_nearest(self, taken: list[str]) -> None:
        """Redirects have a rank of their own, which the model does not know; within a rank depth decides."""
        places = [(self.visit.hand[target].rank, self.visit.hand[target].depth) for target in taken]
        assert places == sorted(places)

    @rule()
    def the_process_dies(self) -> None:
        self.open()

    @rule()
    def the_visit_ends(self) -> None:
        self.run(self.visit.leave())
        for target in self.model.of("taken"):
            self.model.urls[target].state = "waiting"
        self._counters_are_exact()
        self.open()

    # --- what others do

    @rule()
    def redis_forgets_everything(self) -> None:
        self.run(self.world.flush())
        self.open()

    @rule()
    def redis_saves(self) -> None:
        self.saved = self.run(self.world.redis_keys())

    @rule()
    def redis_comes_back_as_it_was_saved(self) -> None:
        if self.saved is not None:
            self.run(self.world.restore(self.saved))
            self.open()

    @rule(again=st.booleans())
    def pages_are_asked_for_again(self, again: bool) -> None:
        wanted = [target for target in self.model.of("over") if self._is_asked_for_again(target)]
        self.run(service.recrawl(self.world.db, self.name, ADMIN))
        for target in wanted:
            url, row = self.model.urls[target], self.run(self.world.row(self.no, target))
            url.state, url.depth = "waiting", row.depth
        if again:
            self.open()

    def _is_asked_for_again(self, target: str) -> bool:
        """What was a page, and lists whatever came of them."""
        return kind_of(target).is_list or self.run(self.world.row(self.no, target)).state == "done"

    # --- what must be true

    @invariant()
    def as_many_wait_as_the_model_says(self) -> None:
        if self.visit is not None:
            assert self.run(self.visit.count()) == len(self.model.of("waiting"))

    def _counters_are_exact(self) -> None:
        found: Counters = self.run(self.world.counters(self.no))
        assert (found.discovered, found.crawled) == self.model.counters
        assert found.waiting == len(self.model.of("waiting"))

    def _drain(self) -> None:
        """In the end everything that was ever wanted is fetched, once more or for the first time."""
        if self.visit is None:
            return
        self.open()
        wanted, fetched = self.model.of("waiting"), []
        while taken := self.run(self.visit.commit(5)):
            for target in taken:
                self.visit.finish(target)
            fetched += taken
        assert sorted(fetched) == wanted


def test_nothing_that_happens_makes_a_url_vanish_or_come_twice(db_url: str, redis_url: str | None) -> None:
    machine = type("FrontiersHere", (Frontiers,), {"url": db_url, "redis_url": redis_url})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=size(4, 40),
            stateful_step_count=25,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
