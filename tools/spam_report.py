"""`python -m tools.spam_report [FILE]`: precision and recall of the anti-spam verdict, and where it is wrong.

The file holds one JSON object per line with `lang`, `profile`, `url`, `title`, `description` and `label`.
Without one it is the judging half, which no rule was written with; its lines were composed, and test rules.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from surveyor.discover.spam import Verdict, verdict

ROOT = Path(__file__).parents[1]
DEFAULT = ROOT / "tests/data/labelled/spam_judge.jsonl"


class Judged(NamedTuple):
    """A labelled line and what was said about it."""

    line: dict[str, Any]
    verdict: Verdict

    @property
    def is_spam(self) -> bool:
        """What the label says."""
        return bool(self.line["label"] == "spam")


class Figures(NamedTuple):
    """How often the verdict was right."""

    hits: int  # spam called spam
    false: int  # legitimate called spam
    missed: int  # spam let through
    passed: int  # legitimate let through

    @property
    def precision(self) -> float:
        """The share of spam among what was called spam."""
        return self.hits / (self.hits + self.false) if self.hits + self.false else 1.0

    @property
    def recall(self) -> float:
        """The share of the spam that was called so."""
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


def judged(path: Path) -> Iterator[Judged]:
    """Every line of a labelled file with its verdict."""
    for text in path.read_text("utf-8").splitlines():
        line = json.loads(text)
        yield Judged(line, verdict(line["url"], line["title"], line["description"]))


def figures(lines: Iterable[Judged]) -> Figures:
    """Counts of right and wrong verdicts."""
    counts = {(said, true): 0 for said in (True, False) for true in (True, False)}
    for line in lines:
        counts[line.verdict.is_spam, line.is_spam] += 1
    return Figures(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def main(argv: list[str]) -> int:
    """Prints the table and the wrong lines."""
    path = Path(argv[0]) if argv else DEFAULT
    if not path.is_file():
        print(f"there is no file {path}; give one with labelled lines", file=sys.stderr)  # noqa: T201
        return 2
    by_language: dict[str, list[Judged]] = defaultdict(list)
    for line in judged(path):
        by_language[f"{line.line['lang']} {line.line.get('profile', '')}".strip()].append(line)
    _print_table(by_language)
    for line in (line for lines in by_language.values() for line in lines):
        if line.verdict.is_spam != line.is_spam:
            _print_wrong(line)
    return 0


def _print_table(by_language: dict[str, list[Judged]]) -> None:
    print(f"{'':13} {'spam':>5} {'legit':>5} {'hits':>5} {'false':>5} {'missed':>6}  precision  recall")  # noqa: T201
    everything = [line for lines in by_language.values() for line in lines]
    for name, lines in [*sorted(by_language.items()), ("all", everything)]:
        found = figures(lines)
        print(  # noqa: T201
            f"{name:13} {found.hits + found.missed:5} {found.false + found.passed:5} {found.hits:5}"
            f" {found.false:5} {found.missed:6} {found.precision:10.3f} {found.recall:7.3f}"
        )


def _print_wrong(line: Judged) -> None:
    kind = "false" if line.verdict.is_spam else "missed"
    result = line.line
    said = f"{line.verdict.score} {'; '.join(line.verdict.reasons)}"
    print(f"\n{kind} {result.get('id', '')} {result['lang']} {result.get('category', '')} {result['url']}")  # noqa: T201
    print(f"  {result['title']}\n  {result['description']}\n  {said}")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
