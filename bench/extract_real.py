"""Main text on real pages: passages that must and must not be found, and articles with a known rendering.

The file is a ZIP with `index.jsonl`; nothing of it is kept here. A line names a page and either the passages
that belong to its text and those that do not (`wanted`, `unwanted`), or the file of an expected rendering
(`expected`). A third of the sites, chosen by the hash of their names, is never tuned on and printed apart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import process_time
from typing import NamedTuple
from zipfile import ZipFile

from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.values import Page
from surveyor.words import tokens

TODAY = date(2026, 11, 15)
_SHINGLE = 4  # words
# Every third site is held back; which, its name decides.
_PARTS = 3
_OWN_URL = re.compile(
    rb"""(?:rel=["']canonical["'][^<>]{0,200}href|property=["']og:url["'][^<>]{0,200}content)=["'](http[^"']{5,300})"""
)
_SPACE = re.compile(r"\s+")
_BREAKS = re.compile(
    r"</(?:p|div|li|h\d|td|tr|blockquote|pre|figure|section|article)>|<br\s*/?>", re.IGNORECASE
)


@dataclass(frozen=True)
class RealPage:
    name: str
    page: Page
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    expected: frozenset[tuple[str, ...]] | None = None
    """Runs of four words of the expected rendering."""

    @property
    def set_name(self) -> str:
        return "passages" if self.expected is None else "articles"

    @property
    def is_held_back(self) -> bool:
        return hashlib.sha256(site_of(self).encode()).digest()[0] % _PARTS == 0


def site_of(page: RealPage) -> str:
    """The host of a page; pages of one site stay together."""
    host = re.sub(r"^(?:\w+::|https?://)?(?:www\.)?", "", page.page.url.lower())
    found = re.split(r"[/:?#]", host, maxsplit=1)[0]
    return found if "." in found and found not in ("fakehost", "real.example") else page.name


def load(archive: Path) -> list[RealPage]:
    with ZipFile(archive) as pack:
        rows = [json.loads(line) for line in pack.read("index.jsonl").decode().splitlines() if line.strip()]
        return [_page(pack, row) for row in rows]


def _page(pack: ZipFile, row: dict[str, object]) -> RealPage:
    file = str(row["file"])
    body = pack.read(file)
    url = str(row.get("url") or _own_url(body) or f"https://real.example/{file}")
    # Articles were saved as UTF-8, whatever they say of themselves.
    kind = "text/html; charset=utf-8" if row.get("expected") else "text/html"
    page = Page(url, body, kind, TODAY)
    if expected := row.get("expected"):
        rendering = pack.read(str(expected)).decode("utf-8", "replace")
        return RealPage(file, page, expected=shingles(text_of_markup(rendering)))
    wanted, unwanted = row.get("wanted") or (), row.get("unwanted") or ()
    assert isinstance(wanted, Iterable)
    assert isinstance(unwanted, Iterable)
    return RealPage(file, page, tuple(wanted), tuple(unwanted))


def _own_url(body: bytes) -> str | None:
    """The address a page gives itself, where the list has none."""
    found = _OWN_URL.search(body)
    return found[1].decode("ascii", "replace") if found else None


def text_of_markup(markup: str) -> str:
    body = LexborHTMLParser(_BREAKS.sub(lambda found: f"{found[0]} ", markup)).body
    return body.text() if body is not None else ""


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    if len(words) < _SHINGLE:
        return frozenset([tuple(words)] if words else [])
    return frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))


class Score(NamedTuple):
    """Of one page: hits, misses and false finds, in passages or in shares of its shingles."""

    found: float
    missed: float
    wrong: float
    is_lost: bool

    @property
    def f1(self) -> float:
        whole = 2 * self.found + self.missed + self.wrong
        return 2 * self.found / whole if whole else 1.0


def score(real: RealPage, text: str) -> Score:
    if real.expected is None:
        said = flat(text)
        found = sum(flat(each) in said for each in real.wanted)
        wrong = sum(flat(each) in said for each in real.unwanted)
        return Score(found, len(real.wanted) - found, wrong, bool(real.wanted) and not found)
    got = shingles(text)
    both = len(got & real.expected)
    return Score(both, len(real.expected) - both, len(got) - both, not both)


def flat(text: str) -> str:
    """Spaces are one space, and hints where a word may be broken are nothing, whoever wrote them."""
    return _SPACE.sub(" ", text.replace("\xad", ""))


class Figures(NamedTuple):
    f1: float
    precision: float
    recall: float
    lost: int
    pages: int


def figures(set_name: str, scores: Sequence[Score]) -> Figures:
    """Passages are counted over all pages, articles by the mean of their pages."""
    lost = sum(each.is_lost for each in scores)
    if set_name == "passages":
        found, missed, wrong = (sum(column) for column in list(zip(*scores, strict=True))[:3])
        total = Score(found, missed, wrong, False)
        return Figures(total.f1, found / (found + wrong), found / (found + missed), lost, len(scores))
    precision = [each.found / max(each.found + each.wrong, 1) for each in scores]
    recall = [each.found / max(each.found + each.missed, 1) for each in scores]
    size = len(scores)
    return Figures(
        sum(each.f1 for each in scores) / size, sum(precision) / size, sum(recall) / size, lost, size
    )


Extractor = Callable[[Page], str]


class Run(NamedTuple):
    scores: list[Score]
    milliseconds: list[float]


def run(extract: Extractor, pages: Sequence[RealPage]) -> Run:
    scores, spent = [], []
    for real in pages:
        begun = process_time()
        try:
            text = extract(real.page)
        except Exception:  # theirs may raise on a page; then it found nothing there
            text = ""
        spent.append((process_time() - begun) * 1e3)
        scores.append(score(real, text))
    return Run(scores, spent)


def groups(pages: Sequence[RealPage]) -> dict[tuple[str, str], list[int]]:
    """The numbers of the pages of each set: all of them, those to tune on, those held back."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, real in enumerate(pages):
        for part in ("all", "held back" if real.is_held_back else "tuned on"):
            found.setdefault((real.set_name, part), []).append(number)
    return dict(sorted(found.items()))


def print_run(name: str, done: Run, pages: Sequence[RealPage]) -> dict[tuple[str, str], Figures]:
    by_part: dict[tuple[str, str], Figures] = {}
    for (set_name, part), numbers in groups(pages).items():
        found = by_part[set_name, part] = figures(set_name, [done.scores[number] for number in numbers])
        spent = sum(done.milliseconds[number] for number in numbers) / len(numbers)
        print(
            f"{name:20} {set_name:9} {part:9} {found.pages:4} pages  F1 {found.f1:.3f}"
            f"  precision {found.precision:.3f}  recall {found.recall:.3f}"
            f"  lost whole {found.lost:3} ({found.lost / found.pages:.1%})  {spent:6.2f} ms CPU per page",
            flush=True,
        )
    return by_part
