"""Spam and judge: microseconds per search result, and results per second and core."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import process_time
from typing import NamedTuple

from surveyor.discover.spam import verdict
from surveyor.judge.learned.model import shipped
from surveyor.judge.panel import Panel
from surveyor.judge.values import SearchHit
from surveyor.process.resources import keep_heap
from surveyor.profiles import loader

# Results per second and core that spam and judging must reach together.
NEEDED = 5_000
# CPU time, and the best of the rounds, which take turns: other programs on the machine must not show.
ROUNDS = 60
LINES = Path(__file__).parents[1] / "tests/data/labelled/spam_tune.jsonl"
_numbers = count()
# Numbers are spelled in letters, as new words are.
_LETTERS = "abcdefghij"


class Result(NamedTuple):
    """What a search engine shows of a page."""

    url: str
    title: str
    description: str


Stage = Callable[[Result], object]


def _spam(result: Result) -> object:
    return verdict(result.url, result.title, result.description)


_panel = Panel(loader.load("funding"), model=shipped("funding"))


def _judge(result: Result) -> object:
    return _panel.judge(SearchHit(result.url, result.title, result.description))


STAGES: dict[str, Stage] = {"spam": _spam, "judge": _judge}


def labelled_results() -> list[Result]:
    lines = map(json.loads, LINES.read_text("utf-8").splitlines())
    return [Result(line["url"], line["title"], line["description"]) for line in lines]


def _fresh(results: list[Result]) -> list[Result]:
    """The same results with a host and two words that no cache has seen."""
    made = []
    for result in results:
        new = "".join(map(_LETTERS.__getitem__, map(int, str(next(_numbers)))))
        url = result.url.replace("://", f"://n{new}", 1)
        made.append(Result(url, f"{result.title} wort{new}", f"{result.description} mot{new}"))
    return made


def _microseconds(stage: Stage, results: list[Result]) -> float:
    """CPU time per result."""
    begun = process_time()
    for result in results:
        stage(result)
    return (process_time() - begun) / len(results) * 1e6


def main(argv: list[str]) -> int:
    del argv  # no options
    keep_heap()  # as `surveyor judge` does
    results = labelled_results()
    best = dict.fromkeys(((name, is_new) for name in STAGES for is_new in (False, True)), float("inf"))
    for _ in range(ROUNDS):
        for name, is_new in best:
            spent = _microseconds(STAGES[name], _fresh(results) if is_new else results)
            best[name, is_new] = min(best[name, is_new], spent)
    for is_new, kind in ((False, "words seen before"), (True, "new hosts and words")):
        for name in STAGES:
            _tell(name, kind, best[name, is_new])
        _tell("all", kind, total := sum(best[name, is_new] for name in STAGES))
    return 0 if 1e6 / total >= NEEDED else 1


def _tell(name: str, kind: str, spent: float) -> None:
    print(f"{name:8} {kind:20} {spent:7.1f} µs per result {1e6 / spent:9,.0f} results/s per core")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
