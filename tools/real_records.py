"""Records on real pages of small organisations whose answers a curator wrote down, and on real articles.

The file is a ZIP with `index.jsonl`, `gold.json` and `pages/`; nothing of it is kept here. Half of the
sources, chosen by the hash of their names, is for tuning; of the other half only totals are shown, and only
with `--judging`: they are for the end, not for tuning. A field that the curator calls optional or neutral
counts neither way; a field may have several right values.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZipFile

from rapidfuzz import fuzz

from bench import extract_real
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import FIELDS, Page
from surveyor.profiles import loader
from surveyor.words import tokens
from tools.extract_report import TODAY, Report, Tally, best_pairs, same

# Records of a kind: name of the kind, and its fields by name.
Record = Mapping[str, Any]
# Profiles that real articles are read with: both have kinds of their own.
_PROFILES = ("funding", "community")


@dataclass
class Half:
    """What was found on the pages of one half of the sources."""

    report: Report = field(default_factory=Report)
    invented: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    missed_among_several: int = 0
    """Records missed on pages that have more than one of the kind."""
    pages: int = 0


def is_for_tuning(source: str) -> bool:
    """`owner/name:path` of a page; all pages of one owner's site are on the same side."""
    site = source.partition(":")[0]
    return hashlib.sha256(site.encode()).digest()[0] % 2 == 1


def measure(archive: Path) -> dict[bool, Half]:
    """Both halves; True is the one for tuning."""
    halves = {True: Half(), False: Half()}
    with ZipFile(archive) as pack:
        for known in json.loads(pack.read("gold.json"))["pages"]:
            half = halves[is_for_tuning(known["source"])]
            half.pages += 1
            body = pack.read(f"pages/{known['file']}")
            page = Page(known["url"], body, "text/html", TODAY)
            reading = _reader(known["profile"]).read(page)
            found = [
                {"kind": one.kind, **{name: each.value for name, each in one.fields.items()}}
                for one in reading.records
            ]
            own = _host(known["url"])
            for one in found:  # that a site is its owner's website says nothing
                if _host(str(one.get("website", ""))) == own:
                    del one["website"]
            compare(half, known["file"], found, known["records"])
    return halves


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


@cache
def _reader(profile: str) -> Reader:
    return Reader(ProfileView.of(loader.load(profile)))


def compare(half: Half, page: str, found: Sequence[Record], known: Sequence[Record]) -> None:
    """Add one page."""
    for kind in sorted({one["kind"] for one in (*found, *known)}):
        mine = [one for one in found if one["kind"] == kind]
        theirs = [one for one in known if one["kind"] == kind]
        wanted = [one for one in theirs if not one.get("optional")]
        for left, right in _paired(mine, theirs):
            if right is None:
                half.invented[kind] += 1
            elif left is None and not right.get("optional"):
                half.missed[kind] += 1
                half.missed_among_several += len(wanted) > 1
            if right is None or not right.get("optional"):
                _fields(half.report, page, kind, left or {}, right or {})


def _paired(
    mine: Sequence[Record], theirs: Sequence[Record]
) -> Iterator[tuple[Record | None, Record | None]]:
    """Each with the one named most like it, the wanted ones before the optional."""

    def likeness(i: int, j: int) -> tuple[float, bool]:
        known = theirs[j]
        scores = [_likeness(mine[i].get("name", ""), name) for name in right_values(known, "name")]
        return max(scores, default=0.0), not known.get("optional")

    left, right, pairs = best_pairs(len(mine), len(theirs), likeness, least=(60.0, False))
    yield from ((mine[i], theirs[j]) for i, j in pairs)
    # One of a kind on either side is the same thing under another name: the name is wrong, not the record.
    if len(left) == 1 and len(right) == 1 and len(theirs) == 1 and not theirs[0].get("optional"):
        yield mine[left.pop()], theirs[right.pop()]
    yield from ((mine[i], None) for i in left)
    yield from ((None, theirs[j]) for j in right)


def _likeness(one: object, other: object) -> float:
    return fuzz.token_sort_ratio(" ".join(tokens(str(one))), " ".join(tokens(str(other))))


def right_values(known: Record, name: str) -> list[Any]:
    """All values of a field that are right; opening hours also as the page words them."""
    worded = known.get("raw", {}).get(name) if name == "hours" else None
    values = (known.get(name), *known.get("alt", {}).get(name, ()), worded)
    return [each for each in values if each is not None]


def _is_neutral(known: Record, name: str, value: Any) -> bool:
    neutral = known.get("neutral", {})
    if name not in neutral or known.get(name) is not None:
        return False
    values = neutral[name]
    return values is None or any(same(name, value, each) for each in values)


def _fields(report: Report, page: str, kind: str, found: Record, known: Record) -> None:
    for name in FIELDS.get(kind, ()):
        value, right = found.get(name), right_values(known, name)
        if (value is None and not right) or (value is not None and _is_neutral(known, name, value)):
            continue
        tally = report.fields[kind, name]
        tally.found += value is not None
        tally.known += bool(right)
        if value is not None and any(is_right(name, value, each) for each in right):
            tally.right += 1
        else:
            report.wrong.append(f"{page}  {kind}.{name}: found {value!r}, should be {right!r}")


def is_right(name: str, value: Any, right: Any) -> bool:
    return same(name, value, right) or _tells(name, value, right)


def _tells(name: str, value: Any, right: Any) -> bool:
    """A list of who may come that has the curator's words among others is right, only longer."""
    words = [" ".join(tokens(str(each))) for each in (value, right)]
    return name == "eligibility" and words[1] in words[0]


def lines(archive: Path, *, wrong: bool, judging: bool) -> Iterator[str]:
    """What `tools.extract_report --real` prints."""
    if not archive.exists():
        yield f"{archive} is missing: records of real pages are not measured"
        return
    halves = measure(archive)
    tuning, other = halves[True], halves[False]
    yield f"tuning half, {tuning.pages} pages"
    yield from (_line(f"{kind}.{name}", one) for (kind, name), one in sorted(tuning.report.fields.items()))
    yield from _totals(tuning)
    if wrong:
        yield from ("", *tuning.report.wrong, "")
    if judging:
        yield f"judging half, {other.pages} pages"
        yield from _totals(other)


def _totals(half: Half) -> Iterator[str]:
    kinds = sorted({kind for kind, _ in half.report.fields})
    yield from (_line(f"{kind}, all fields", _sum(half, kind)) for kind in kinds)
    yield _line("eligibility of all kinds", _sum(half, None, "eligibility"))
    yield _line("all", half.report.total)
    yield f"records invented {_counted(half.invented)}; missed {_counted(half.missed)}"
    yield f"missed on pages with several of the kind: {half.missed_among_several}"


def _sum(half: Half, kind: str | None, name: str | None = None) -> Tally:
    whole = Tally()
    for (one, field_name), tally in half.report.fields.items():
        if kind in (None, one) and name in (None, field_name):
            whole.add(tally)
    return whole


def _counted(by_kind: Counter[str]) -> str:
    named = ", ".join(f"{kind} {number}" for kind, number in sorted(by_kind.items()))
    return f"{by_kind.total()} ({named})" if named else "0"


def _line(what: str, tally: Tally) -> str:
    return (
        f"{what:32} precision {tally.precision:.3f}  recall {tally.recall:.3f}"
        f"   {tally.right:4} right of {tally.found:4} found, {tally.known:4} there"
    )


def article_lines(archive: Path, *, wrong: bool) -> Iterator[str]:
    """How many records are read off real pages that offer nothing; of those held back in totals only.

    Organisations do not count: a page may well say who is behind it.
    """
    if not archive.exists():
        yield f"{archive} is missing: records of real articles are not measured"
        return
    pages = extract_real.load(archive)
    for profile in _PROFILES:
        counts = {True: Counter[str](), False: Counter[str]()}
        for one in pages:
            for record in _reader(profile).read(one.page).records:
                if record.kind == "organisation":
                    continue
                counts[one.is_held_back][record.kind] += 1
                if wrong and not one.is_held_back:
                    yield f"{one.name}  {record.kind}: {record.name}"
        held = sum(one.is_held_back for one in pages)
        yield f"{profile}: {_counted(counts[False])} records on {len(pages) - held} pages"
        yield f"{profile}: {_counted(counts[True])} records on {held} pages held back"
