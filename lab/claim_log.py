"""What workers say they held, written outside the product, and the proof that no two held it at once.

Each process appends to a file of its own, a line per fact, with times of the database's
clock in microseconds. A process that was killed leaves its last holds open; the
checker closes them at the lease's end, or at the kill where a lock file tells of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


class ClaimLog:
    """One worker's file. Lines are written whole and at once, so that a kill loses none that was said."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self._lines: list[bytes] = []

    def say(self, *fact: Any) -> None:
        self._lines.append(json.dumps(fact, separators=(",", ":")).encode() + b"\n")

    def flush(self) -> None:
        self._file.write(b"".join(self._lines))
        self._lines.clear()


@dataclass(slots=True)
class Hold:
    """One epoch of one domain in one worker's hands, as the worker tells it."""

    no: int
    epoch: int
    worker: str
    since: int
    lease_end: int
    stopped: int | None = None  # when the worker stopped acting on it

    def until(self, killed: Mapping[str, int]) -> int:
        """The last moment at which the worker may have acted."""
        if self.stopped is not None:
            return min(self.stopped, self.lease_end)
        return min(self.lease_end, killed.get(self.worker, self.lease_end))


@dataclass(slots=True)
class Verdict:
    claims: int = 0
    asked: int = 0
    over_claims: int = 0
    overlaps: int = 0
    epochs_out_of_order: int = 0
    lost_alive: int = 0
    stale_tried: int = 0
    stale_accepted: int = 0
    examples: list[str] = field(default_factory=list)  # of violations, a few

    @property
    def violations(self) -> int:
        wrong = (self.over_claims, self.overlaps, self.epochs_out_of_order, self.lost_alive)
        return sum(wrong) + self.stale_accepted

    def blame(self, what: str) -> None:
        if len(self.examples) < 10:
            self.examples.append(what)


def judge(ledgers: Iterable[Path], killed: Mapping[str, int]) -> Verdict:
    """Read all ledgers; `killed` says when a worker surely acted no more (worker -> database time)."""
    verdict = Verdict()
    holds: dict[tuple[int, int], Hold] = {}
    for path in ledgers:
        for line in path.read_text().splitlines():
            _take(json.loads(line), path.stem, holds, verdict)
    by_domain: dict[int, list[Hold]] = defaultdict(list)
    for hold in holds.values():
        by_domain[hold.no].append(hold)
    for found in by_domain.values():
        _follow(sorted(found, key=lambda hold: hold.epoch), killed, verdict)
    return verdict


def _take(fact: list[Any], worker: str, holds: dict[tuple[int, int], Hold], verdict: Verdict) -> None:
    kind, *rest = fact
    if kind == "asked":
        asked, got = rest
        verdict.asked += 1
        if got > asked:
            verdict.over_claims += 1
            verdict.blame(f"{worker} asked for {asked} and got {got}")
    elif kind == "stale":
        verdict.stale_tried += rest[0]
        verdict.stale_accepted += rest[1]
    elif kind == "took":
        no, epoch, since, until = rest
        verdict.claims += 1
        if (no, epoch) in holds:
            verdict.overlaps += 1
            verdict.blame(f"domain {no} was given twice under epoch {epoch}")
        holds[no, epoch] = Hold(no, epoch, worker, since, until)
    else:
        _change(kind, holds[rest[0], rest[1]], rest[2], verdict)


def _change(kind: str, hold: Hold, at: int, verdict: Verdict) -> None:
    if kind == "kept":
        hold.lease_end = at
    elif kind == "stopped":
        hold.stopped = at
    elif at < hold.lease_end:  # lost, although its lease was running
        verdict.lost_alive += 1
        verdict.blame(f"{hold.worker} lost domain {hold.no} epoch {hold.epoch} while it lived")


def _follow(holds: list[Hold], killed: Mapping[str, int], verdict: Verdict) -> None:
    for one, two in pairwise(holds):
        if two.since < one.since:
            verdict.epochs_out_of_order += 1
            verdict.blame(f"domain {one.no}: epoch {two.epoch} is older than epoch {one.epoch}")
        elif one.until(killed) > two.since:
            verdict.overlaps += 1
            by = (one.until(killed) - two.since) / 1000
            both = f"{one.worker} (epoch {one.epoch}) and {two.worker} (epoch {two.epoch})"
            verdict.blame(f"domain {one.no}: {both} held it at once for {by} ms")
