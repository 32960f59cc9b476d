"""The main job on this machine: a list becomes a register, and two workers share it.

One worker is killed and the other takes over; a person stops a domain while it is leased.
All of it happens in a folder of its own, on SQLite, without a network, in a few seconds.
No page is fetched: the workers lease domains and report made-up results.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from surveyor import cli
from surveyor.bootstrap import Workspace, open_workspace
from surveyor.errors import LeaseLost
from surveyor.registry.actors import Actor
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import changes, release
from surveyor.registry.store.release import Outcome
from tools.demo_worker import Hand, Order

T = TypeVar("T")

SEEDS = Path(__file__).with_name("demo_seeds.csv")
# A terminal narrower than this wraps what we print; a wider one is easier to read half empty.
WIDTH = 78
_IN = "  "


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev demo", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--once", action="store_true", help="end when done; it always does")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="make the workspace here and leave it")
    asked = parser.parse_args(arguments)
    if asked.keep is not None and asked.keep.exists():
        parser.error(f"{asked.keep} exists; name a folder that does not")
    with tempfile.TemporaryDirectory(prefix="surveyor-demo-", ignore_cleanup_errors=True) as folder:
        try:
            Story(asked.keep or Path(folder) / "grants").tell()
        except KeyboardInterrupt:
            return 130
    if asked.keep is not None:
        _say(f"Look around: ./dev run --workspace {asked.keep} domain-status")
    return 0


class Story:
    """Seven steps in one workspace; each prints what it does and what came of it."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self._steps = 0

    def tell(self) -> None:
        self.step("A workspace", "A folder with settings, a SQLite file and a profile: what to look for.")
        self.surveyor("init", str(self.workspace), "--profile", "funding", outside=True)
        self.step("Seeds", "A list with doubles, full addresses and bad lines becomes canonical domains.")
        self.surveyor("ingest-seeds", str(SEEDS), "--source", "demo")
        self.surveyor("domain-status")
        with ExitStack() as stack:
            anna, bert = (Hand.start(name, self.workspace) for name in ("anna", "bert"))
            stack.callback(anna.kill)
            stack.callback(bert.kill)
            lost = self.two_claim(anna, bert)
            held = self.one_dies(anna, bert, lost)
            suspended = held[0]
            left = self.a_person_decides(bert, suspended)
            self.domains_go_back(bert, left)
        self.what_is_known(suspended.domain.domain)

    def two_claim(self, anna: Hand, bert: Hand) -> list[Lease]:
        self.step("Two workers claim", "Two processes ask at the same moment, each for three domains.")
        anna.tell(Order.CLAIM)
        bert.tell(Order.CLAIM)
        lost = anna.held()
        _show(anna, lost)
        _show(bert, bert.held())
        _say("No domain is in both hands. The epoch of a domain rises with every lease.")
        return lost

    def one_dies(self, anna: Hand, bert: Hand, lost: list[Lease]) -> list[Lease]:
        self.step(
            "One dies",
            "anna gets SIGKILL and cannot tidy up. Her leases would run for ten minutes more, but the "
            "lock file of her process is free: bert takes them at once, under epoch 2.",
        )
        anna.kill()
        bert.tell(Order.RESCUE)
        held = bert.held()
        _show(bert, held)
        _say("Whatever still comes in anna's name bounces:")
        self.report(lost[0], Outcome(crawled=False))
        return held

    def a_person_decides(self, bert: Hand, chosen: Lease) -> list[Lease]:
        self.step("A person decides", f"Somebody suspends {chosen.domain.domain} while bert holds it.")
        self.suspend(chosen)
        bert.tell(Order.LOOK)
        left = bert.held()
        _say(f"bert asks which leases are still his: {len(left)}, one less. A write there bounces:")
        self.report(chosen, Outcome(crawled=False))
        return left

    def domains_go_back(self, bert: Hand, leases: list[Lease]) -> None:
        self.step("Domains go back", "bert reports results (made up here: nothing was fetched) and stops.")
        first, second, *others = leases
        counts = {"pages_discovered": 40, "pages_crawled": 12, "records_stored": 3}
        self.report(first, Outcome(status=CrawlStatus.ACTIVE, counts=counts, frontier_size=28))
        next_visit = first.domain.read_at + timedelta(days=7)
        self.report(second, Outcome(status=CrawlStatus.EXHAUSTED, next_visit_at=next_visit))
        for lease in others:
            self.report(lease, Outcome(crawled=False))
        bert.end()

    def what_is_known(self, suspended: str) -> None:
        self.step("What is known now", "Progress, obstacles and decisions, each with who, when and why.")
        self.surveyor("domain-status")
        self.surveyor("domain-info", suspended)

    def report(self, lease: Lease, outcome: Outcome) -> None:
        """Release a lease as its worker would; a lost one is refused."""

        async def act(place: Workspace) -> None:
            async with place.db.write() as tx:
                await release.release(tx, lease, outcome, place.profile.yields)

        name = lease.domain.domain
        try:
            self.in_workspace(act)
            _say(f"  {lease.worker} releases {name}, {outcome.status or 'as it was'}")
        except LeaseLost as refusal:
            _say(
                fill(
                    f"{lease.worker} is refused: {refusal}", WIDTH, initial_indent=_IN, subsequent_indent=_IN
                )
            )

    def suspend(self, lease: Lease) -> None:
        async def act(place: Workspace) -> None:
            async with place.db.write() as tx:
                await changes.advance_review(
                    tx, lease.no, ReviewStatus.SUSPENDED, Actor.operator(), reason="its owner asked us to"
                )

        self.in_workspace(act)

    def in_workspace(self, act: Callable[[Workspace], Awaitable[T]]) -> T:
        async def whole() -> T:
            async with open_workspace(self.workspace) as place:
                return await act(place)

        return asyncio.run(whole())

    def surveyor(self, *arguments: str, outside: bool = False) -> None:
        """Run a command as a person would type it."""
        shown = [Path(word).name if "/" in word else word for word in arguments]
        _console().print(Text(f"$ surveyor {' '.join(shown)}", style="cyan"))
        before = [] if outside else ["--workspace", str(self.workspace)]
        code = cli.run([*before, *arguments])
        sys.stdout.flush()
        if code:
            raise SystemExit(code)

    def step(self, heading: str, told: str) -> None:
        self._steps += 1
        _say("")
        _console().print(Rule(Text(f"{self._steps}  {heading}", style="bold"), align="left"), width=WIDTH)
        _say(fill(told, WIDTH))


def _show(hand: Hand, leases: list[Lease]) -> None:
    for lease in leases:
        _say(f"  {hand.name} holds {lease.domain.domain:<16} epoch {lease.epoch}")


def _console() -> Console:
    return Console(highlight=False)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the demo is what it prints


if __name__ == "__main__":
    sys.exit(main())
