"""Spam and judge: microseconds per search result, and results per second and core."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import process_time
from typing import NamedTuple

from surveyor import profiles
from surveyor.discover.spam import verdict
from surveyor.heap import keep_heap
from surveyor.judge import Panel, SearchHit

# Results per second and core that spam and judging must reach together.
NEEDED = 5_000
# CPU time, and the best round: other programs on the machine must not show in the figures.
ROUNDS = 30
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


_panel = Panel(profiles.load("funding"))


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


def _microseconds(stage: Stage, results: list[Result], is_warm: bool) -> float:
    """CPU time per result, in the best round."""
    rounds = []
    for _ in range(ROUNDS):
        batch = results if is_warm else _fresh(results)
        begun = process_time()
        for result in batch:
            stage(result)
        rounds.append(process_time() - begun)
    return min(rounds) / len(results) * 1e6


def main(argv: list[str]) -> int:
    del argv  # no options
    keep_heap()  # as `surveyor judge` does
    results = labelled_results()
    total = 0.0
    for name, stage in STAGES.items():
        for is_warm in (True, False):
            spent = _microseconds(stage, results, is_warm)
            total += 0 if is_warm else spent
            kind = "words seen before" if is_warm else "new hosts and words"
            print(f"{name:8} {kind:20} {spent:7.1f} µs per result {1e6 / spent:9,.0f} results/s per core")
    print(f"all      {kind:20} {total:7.1f} µs per result {1e6 / total:9,.0f} results/s per core")
    return 0 if 1e6 / total >= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
