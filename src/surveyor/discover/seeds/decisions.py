"""A spreadsheet of decisions, as CSV, to values; pure.

The first line names the columns domain, decision, reason and notes, in any order; the last two
may be missing, others are ignored. Commas, semicolons and tabs all part cells, as spreadsheets
write them in different countries, and a quoted cell may go on over several lines.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from surveyor.discover.seeds.formats import BadLine
from surveyor.errors import BadInput

_PARTERS = ",;\t"
_COLUMNS = ("domain", "decision", "reason", "notes")


class Decision(StrEnum):
    """What a person decided on a whole domain."""

    APPROVE = "approve"  # it may be crawled
    REJECT = "reject"  # it may not
    SUSPEND = "suspend"  # it was approved, and its crawl is stopped
    BLACKLIST = "blacklist"  # it is never to be seen again
    REVIEW = "review"  # somebody has to decide


_WORDS: Final = {
    Decision.APPROVE: ("approve", "approved", "yes", "y", "ok", "accept", "accepted"),
    Decision.REJECT: ("reject", "rejected", "no", "n", "decline", "declined"),
    Decision.SUSPEND: ("suspend", "suspended", "pause", "paused"),
    Decision.BLACKLIST: ("blacklist", "blacklisted", "block", "blocked", "ban", "banned"),
    Decision.REVIEW: ("review", "pending", "pending_review", "open", ""),
}
_MEANING: Final = {word: decision for decision, words in _WORDS.items() for word in words}


@dataclass(frozen=True, slots=True)
class DecisionLine:
    number: int
    text: str
    decision: Decision
    reason: str
    notes: str


def is_header(first: str) -> bool:
    return {"domain", "decision"} <= set(_header(first))


def read_decisions(lines: Iterable[bytes]) -> Iterator[DecisionLine | BadLine]:
    """Every row that says something, as a decision or as a bad line with its number and reason."""
    decoded = _Decoded(lines)
    first = next(decoded, None)
    if first is None:
        return
    if not is_header(first):
        raise BadInput("a list of decisions begins with a line that names the columns domain and decision")
    header = _header(first)
    places = {name: header.index(name) for name in _COLUMNS if name in header}
    reader = csv.reader(decoded, delimiter=_delimiter(first))
    while True:
        number = decoded.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadLine(number, "", f"its quotes do not match ({error})")
            continue
        if any(cell.strip() for cell in cells):
            yield _row(number, cells, places)


class _Decoded:
    """Lines as text, with the number of the last one. Bytes that are no UTF-8 are replaced and seen later."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        raw = next(self._lines)
        self.number += 1
        return raw.decode("utf-8", "replace").replace("\x00", "�")


def _row(number: int, cells: list[str], places: dict[str, int]) -> DecisionLine | BadLine:
    found = {name: cells[place].strip() if place < len(cells) else "" for name, place in places.items()}
    name, word = found["domain"], found["decision"].lower()
    if any("�" in value for value in found.values()):
        return BadLine(number, name[:80], "it is not UTF-8; save the sheet as “CSV UTF-8”")
    if not name:
        return BadLine(number, ",".join(cells)[:80], "it names no domain")
    decision = _MEANING.get(word)
    if decision is None:
        known = ", ".join(one.value for one in Decision)
        return BadLine(number, name[:80], f"“{word[:40]}” is no decision; there are {known}")
    return DecisionLine(number, name, decision, found.get("reason", ""), found.get("notes", ""))


def _header(first: str) -> list[str]:
    line = first.strip().removeprefix("\ufeff")
    return [cell.strip().strip('"').strip().lower() for cell in line.split(_delimiter(line))]


def _delimiter(line: str) -> str:
    return max(_PARTERS, key=line.count)
