"""How well the judges do on labelled search results: precision and recall, and every line they got wrong.

python -m tools.judge_report [FILE...] [--wrong]

Without a file it reads the judging half, which no rule was written with. These lines were composed: they test
single rules, and say nothing about real results (`tools.judge_score` does).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.judge.panel import Panel
from surveyor.judge.values import Judgment, SearchHit
from surveyor.profiles import loader

LABELLED = Path(__file__).parent.parent / "tests" / "data" / "labelled"


@dataclass
class Tally:
    """Right and wrong answers at the threshold."""

    counts: Counter[tuple[bool, bool]] = field(default_factory=Counter)

    def add(self, wanted: bool, said: bool) -> None:
        self.counts[wanted, said] += 1

    @property
    def precision(self) -> float:
        said = self.counts[True, True] + self.counts[False, True]
        return self.counts[True, True] / said if said else 1.0

    @property
    def recall(self) -> float:
        wanted = self.counts[True, True] + self.counts[True, False]
        return self.counts[True, True] / wanted if wanted else 1.0

    def summary(self) -> str:
        right, missed = self.counts[True, True], self.counts[True, False]
        wrong, refused = self.counts[False, True], self.counts[False, False]
        return (
            f"precision {self.precision:.3f}  recall {self.recall:.3f}  "
            f"yes: {right} right, {missed} missed; no: {refused} right, {wrong} wrong"
        )


def judged(lines: Iterable[str]) -> Iterator[tuple[dict[str, Any], Judgment]]:
    """Every labelled line with what the panel of its profile says."""
    panels: dict[str, Panel] = {}
    for line in lines:
        row = json.loads(line)
        panel = panels.get(row["profile"])
        if panel is None:
            panel = panels[row["profile"]] = Panel(loader.load(row["profile"]))
        hit = SearchHit(row["url"], row["title"], row["description"], row.get("position", 1))
        yield row, panel.judge(hit)


def tallies(lines: Iterable[str]) -> tuple[dict[str, Tally], list[tuple[dict[str, Any], Judgment]]]:
    """Tallies by "all" and by language and profile, and the lines that came out wrong."""
    by: dict[str, Tally] = {}
    wrong = []
    for row, judgment in judged(lines):
        wanted = row["label"] == "yes"
        for key in (f"{row['lang']} {row['profile']}", "all"):
            by.setdefault(key, Tally()).add(wanted, judgment.should_crawl)
        if wanted != judgment.should_crawl:
            wrong.append((row, judgment))
    return by, wrong


def main(arguments: list[str]) -> None:
    files = [Path(each) for each in arguments if not each.startswith("--")]
    for path in files or [LABELLED / "judge_judge.jsonl"]:
        by, wrong = tallies(path.read_text(encoding="utf-8").splitlines())
        lines = [f"{path.name} at the threshold", *(f"  {key:14} {by[key].summary()}" for key in sorted(by))]
        if "--wrong" in arguments:
            lines += [line for row, judgment in wrong for line in _explained(row, judgment)]
        print("\n".join(lines))  # noqa: T201


def _explained(row: dict[str, Any], judgment: Judgment) -> Iterator[str]:
    yield f"{row['label']:3} {judgment.confidence} {row['lang']} {row.get('category', '')}: {row['title']}"
    for score in judgment.scores:
        yield f"      {score.score} {score.judge}: {score.explanation}"


if __name__ == "__main__":
    main(sys.argv[1:])
