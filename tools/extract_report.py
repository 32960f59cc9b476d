"""How good extraction is on pages whose answers are known: per kind, per field, and what went wrong.

    python -m tools.extract_report tests/data/gold/tune [--wrong]
    python -m tools.extract_report --real real-org-pages.zip [--wrong] [--judging]
    python -m tools.extract_report --articles real-pages.zip [--wrong]

A field counts as right when a person would take it for the same: numbers, dates, codes, telephone numbers and
addresses of mail exactly, names nearly, free text by its words. A record that is found and should not be has
all its fields wrong; one that is missed has all its fields missed. `--real` and `--articles` read files that
are no part of this project (`tools.real_records`); where one is missing they say so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import Page
from surveyor.profiles import loader
from surveyor.words import tokens

# "Today" of the pages, from which the next deadline is seen.
TODAY = date(2026, 11, 15)
# Share of words, 0 to 100, from which free text says the same.
_SAME_TEXT = 60.0
_SAME_NAME = 80.0
_FREE = ("eligibility", "hours", "address", "region", "location", "role")
_NAMES = ("name", "funder", "organisation")
# Where somebody who writes this language in a directory of their own lives: telephone region, currency.
_LIVES = {
    "bg": ("BG", "EUR"),
    "de": ("DE", "EUR"),
    "fr": ("FR", "EUR"),
    "ro": ("RO", "RON"),
    "el": ("GR", "EUR"),
    "es": ("ES", "EUR"),
}
_CONTACT_FIELDS = ("value", "name", "role")


@dataclass
class Tally:
    right: int = 0
    found: int = 0
    known: int = 0

    def add(self, other: Tally) -> None:
        self.right += other.right
        self.found += other.found
        self.known += other.known

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.known if self.known else 1.0


@dataclass
class Report:
    """Tallies by kind and field, and every mistake in words."""

    fields: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    wrong: list[str] = field(default_factory=list)

    @property
    def total(self) -> Tally:
        whole = Tally()
        for each in self.fields.values():
            whole.add(each)
        return whole


def same(name: str, found: Any, known: Any) -> bool:
    """Whether a person would call the two the same."""
    if name == "categories":
        return bool({str(one).lower() for one in found} & {str(one).lower() for one in known})
    if isinstance(known, (int, float)) and isinstance(found, (int, float)):
        return abs(found - known) < 0.005
    if name in _FREE or name in _NAMES:
        words = [" ".join(tokens(str(one))) for one in (found, known)]
        return fuzz.token_sort_ratio(*words) >= (_SAME_NAME if name in _NAMES else _SAME_TEXT)
    return str(found).strip().lower().rstrip("/") == str(known).strip().lower().rstrip("/")


def compare(report: Report, page: str, found: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Add one page; both sides have `records` and `contacts` as the gold files have them."""
    for kind in sorted({one["kind"] for one in [*found["records"], *known["records"]]}):
        mine = [one["fields"] for one in found["records"] if one["kind"] == kind]
        theirs = [one["fields"] for one in known["records"] if one["kind"] == kind]
        for left, right in _paired(mine, theirs, "name"):
            _fields(report, page, kind, left, right, sorted({*left, *right}))
    for kind in sorted({one["kind"] for one in [*found["contacts"], *known["contacts"]]}):
        mine = [_contact(one) for one in found["contacts"] if one["kind"] == kind]
        theirs = [_contact(one) for one in known["contacts"] if one["kind"] == kind]
        for left, right in _paired(mine, theirs, "address" if kind == "address" else "value"):
            _fields(report, page, f"contact {kind}", left, right, _CONTACT_FIELDS, kind)


def _contact(one: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: one[name] for name in _CONTACT_FIELDS if one.get(name)}
    if one["kind"] == "address":
        known["address"] = known["value"]  # compared as free text
    return known


def _paired(
    found: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]], by: str
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each with the one most like it; what has no partner is paired with nothing."""

    def likeness(i: int, j: int) -> tuple[float, bool]:
        mine, theirs = found[i].get(by), known[j].get(by)
        score = fuzz.token_sort_ratio(str(mine or "").lower(), str(theirs or "").lower())
        return (score, True) if score >= _SAME_TEXT or not same(by, mine, theirs) else (_SAME_TEXT, True)

    mine, theirs, pairs = best_pairs(len(found), len(known), likeness, least=(_SAME_TEXT, False))
    yield from ((found[i], known[j]) for i, j in pairs)
    yield from ((found[i], {}) for i in mine)
    yield from (({}, known[j]) for j in theirs)


def best_pairs(
    found: int, known: int, likeness: Callable[[int, int], tuple[float, bool]], least: tuple[float, bool]
) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Pairs of two lists by their likeness, the likest first; what is left on either side, and the pairs."""
    scores = [(likeness(i, j), i, j) for i in range(found) for j in range(known)]
    mine, theirs, pairs = set(range(found)), set(range(known)), list[tuple[int, int]]()
    for score, i, j in sorted(scores, key=lambda one: (-one[0][0], not one[0][1], one[1], one[2])):
        if i in mine and j in theirs and score >= least:
            mine.discard(i)
            theirs.discard(j)
            pairs.append((i, j))
    return sorted(mine), sorted(theirs), pairs


def _fields(
    report: Report,
    page: str,
    kind: str,
    found: Mapping[str, Any],
    known: Mapping[str, Any],
    names: Iterable[str],
    contact: str | None = None,
) -> None:
    for name in names:
        mine, theirs = found.get(name), known.get(name)
        if mine is None and theirs is None:
            continue
        tally = report.fields[kind, name]
        tally.found += mine is not None
        tally.known += theirs is not None
        rule = "address" if (contact, name) == ("address", "value") else name
        if (contact, name) == ("person", "value"):
            rule = "name"
        if mine is not None and theirs is not None and same(rule, mine, theirs):
            tally.right += 1
        else:
            report.wrong.append(f"{page}  {kind}.{name}: found {mine!r}, should be {theirs!r}")


def read_page(answer: Path) -> Any:
    """The reading of the page beside an answer, by a reader for whom its language is no surprise."""
    known = json.loads(answer.read_text(encoding="utf-8"))
    page = Page(known["url"], answer.with_suffix(".html").read_bytes(), "text/html", TODAY)
    return _reader(known["profile"], known["language"]).read(page)


@cache
def _reader(profile: str, language: str) -> Reader:
    view = ProfileView.of(loader.load(profile))
    if language not in view.languages:  # the profile of somebody who lives there
        region, currency = _LIVES[language]
        view = replace(
            view,
            languages=(*view.languages, language),
            phone_regions=(region, *view.phone_regions),
            currencies=(currency, *view.currencies),
        )
    return Reader(view)


def measure(folder: Path) -> Report:
    """Read every page of the folder and compare."""
    report = Report()
    for answer in sorted(folder.glob("*.json")):
        reading = read_page(answer)
        found = {
            "records": [
                {"kind": one.kind, "fields": {name: field.value for name, field in one.fields.items()}}
                for one in reading.records
            ],
            "contacts": [
                {"kind": one.kind.value, "value": one.value, "name": one.name, "role": one.role}
                for one in reading.contacts
            ],
        }
        compare(report, answer.stem, found, json.loads(answer.read_text(encoding="utf-8")))
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.extract_report", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="of NNN.html and NNN.json")
    parser.add_argument("--real", type=Path, metavar="ZIP", help="real pages of small organisations")
    parser.add_argument("--articles", type=Path, metavar="ZIP", help="real articles, which offer nothing")
    parser.add_argument("--wrong", action="store_true", help="every field that is wrong, in words")
    parser.add_argument("--judging", action="store_true", help="totals of the half that is not tuned with")
    asked = parser.parse_args(arguments)
    if asked.real is not None or asked.articles is not None:
        return _real(asked)
    if asked.folder is None:
        parser.error("name a folder of pages with answers, or --real or --articles with a file")
    report = measure(asked.folder)
    lines = [_line(f"{kind}.{name}", tally) for (kind, name), tally in sorted(report.fields.items())]
    lines += [_line("all", report.total), *(["", *report.wrong] if asked.wrong else [])]
    print("\n".join(lines))  # noqa: T201
    return 0


def _real(asked: argparse.Namespace) -> int:
    from tools import real_records

    if asked.real is not None:
        for line in real_records.lines(asked.real, wrong=asked.wrong, judging=asked.judging):
            print(line)  # noqa: T201
    if asked.articles is not None:
        for line in real_records.article_lines(asked.articles, wrong=asked.wrong):
            print(line)  # noqa: T201
    return 0


def _line(what: str, tally: Tally) -> str:
    return (
        f"{what:32} precision {tally.precision:.3f}  recall {tally.recall:.3f}"
        f"   {tally.right:4} right of {tally.found:4} found, {tally.known:4} there"
    )


if __name__ == "__main__":
    sys.exit(main())
