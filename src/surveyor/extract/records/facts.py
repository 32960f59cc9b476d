"""What a page states, as facts: a piece of text with the label it stands under, in the order of reading.

Labels come in many shapes (a term, the first cell of a row, words before a colon, a question, a heading, a
short line of its own); whoever looks for a deadline need not know which it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import islice
from typing import Final, NamedTuple

from surveyor.extract.document import Block, BlockKind
from surveyor.extract.fields.applicants import says_who
from surveyor.extract.fields.deadlines import is_deadline_label
from surveyor.extract.lexicon import any_of, plain, words
from surveyor.extract.values import Field, Source, Value

# Characters of a label; what is longer says something itself.
_LONGEST_LABEL: Final = 64
# Characters of one block that are looked at, and blocks of one page: more is a book, not a call.
_LONGEST_TEXT: Final = 4_000
MOST_BLOCKS: Final = 600
LONGEST_QUOTE: Final = 300
# Characters of a word that is a label also with much behind it: "for example, if you live here" is none.
_LONG_WORD: Final = 5
# Words of a label, and of one that can be no sentence.
_MOST_WORDS, _FEW_WORDS = 8, 3


class Topic(StrEnum):
    """What a label announces."""

    DEADLINE = "deadline"  # The last day to apply.
    AMOUNT = "amount"  # What one applicant can get.
    BUDGET = "budget"  # Money that is not for one applicant: totals, fees, own contributions.
    WHO = "who"  # Who may apply.
    REGION = "region"  # Where a programme holds.
    LANGUAGE = "language"  # The language in which to apply.
    FUNDER = "funder"  # Who gives the money.
    NAME = "name"  # What a programme is called.
    PLACE = "place"  # Where something takes place.
    HOST = "host"  # Who offers something to take part in.


class Fact(NamedTuple):
    label: str
    text: str
    block: Block
    heading: str = ""
    """What it stands below."""
    is_first: bool = False
    """Whether it is the first thing below that heading."""

    def field(self, value: Value, source: Source | None = None) -> Field:
        is_structure = self.label or self.block.kind is BlockKind.ROW
        own = Source.STRUCTURE if is_structure else Source.TEXT
        return Field(value, source or own, quoted(self.block.text))


def quoted(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1].rstrip() + "…"


_ENDS: Final = re.compile(r"[\s:?.!*·–—-]+$")
_SPLIT: Final = re.compile(r"^([^:?.!;]{2,64}?)(?: ?:|\s?\?| [–—-]) {1,2}(?=\S)")
_NUMBERED: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|[ivx]{1,4}[.)] |[a-zа-я]\)|[•·▪►✓✔*–—-]) *")
_DIGIT: Final = re.compile(r"\d")


@cache
def _label(topic: str, *, is_exact: bool) -> re.Pattern[str]:
    """The whole label; where not exact, a little more behind it is allowed: "Grant size per project"."""
    labels = words("records", topic)
    if is_exact:
        return re.compile(any_of(labels) + r"\W{0,4}$")
    long = any_of(word for word in labels if len(word) >= _LONG_WORD)
    return re.compile(rf"{long}(?:\W{{1,3}}[^\d]{{0,30}})?$|{any_of(labels)}(?:\W{{1,3}}[^\d]{{0,10}})?$")


_FUNDING_TOPICS: Final = (
    (Topic.BUDGET, "label_budget"),
    (Topic.WHO, "label_who"),
    (Topic.LANGUAGE, "label_language"),
    (Topic.FUNDER, "label_funder"),
    (Topic.AMOUNT, "label_amount"),
    (Topic.REGION, "label_region"),
    (Topic.NAME, "label_name"),
)
_OPPORTUNITY_TOPICS: Final = (
    (Topic.HOST, "label_host"),
    (Topic.PLACE, "label_place"),
    (Topic.WHO, "label_who"),
    (Topic.NAME, "label_name"),
)


@lru_cache(maxsize=1_000)
def funding_topic(label: str) -> Topic | None:
    """What a label of a call for applications is about."""
    return _topic(label, _FUNDING_TOPICS)


@lru_cache(maxsize=1_000)
def opportunity_topic(label: str) -> Topic | None:
    """What a label of something to sign up for is about."""
    return _topic(label, _OPPORTUNITY_TOPICS)


def _topic(label: str, topics: Sequence[tuple[Topic, str]]) -> Topic | None:
    flat = _NUMBERED.sub("", plain(label)).strip(" :?.!*")
    if not flat or len(flat) > _LONGEST_LABEL:
        return None
    for topic, name in topics:  # one that is a label word for word is no other one
        if _label(name, is_exact=True).fullmatch(flat):
            return topic
    if is_deadline_label(flat):
        return Topic.DEADLINE
    return next((topic for topic, name in topics if _label(name, is_exact=False).match(flat)), None)


def facts_of(blocks: Iterable[Block]) -> list[Fact]:
    """The facts of some blocks, headings included (as facts without a label)."""
    reader = _Facts()
    return [fact for block in islice(blocks, MOST_BLOCKS) for fact in reader.read(block)]


def own_blocks(blocks: Iterable[Block]) -> list[Block]:
    """Without the parts that a heading calls news, archive or other programmes."""
    kept: list[Block] = []
    depth = 0
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            if depth and block.level <= depth:
                depth = 0
            if not depth and kept and is_elsewhere(block.text):
                depth = block.level or 6
        leads_away = len(block.lines) > 1 and is_elsewhere(block.lines[0])
        # The name of a field to be filled in labels what a reader writes, not what is said.
        is_of_form = block.in_form and block.kind is BlockKind.TEXT and len(block.text) <= _LONGEST_LABEL
        if not depth and not leads_away and not is_of_form:
            kept.append(block)
    return kept


def is_elsewhere(heading: str) -> bool:
    """Whether a heading leads away from what the page is about."""
    return len(heading) <= _LONGEST_LABEL and bool(_elsewhere().match(plain(heading).strip()))


@cache
def _elsewhere() -> re.Pattern[str]:
    return re.compile(any_of(words("records", "elsewhere")) + r"(?:\W{0,3}\w{0,20}){0,3}\W{0,3}$")


@dataclass(eq=False)
class _Facts:
    """Reads along and remembers the label that waits for its value."""

    _term: str = ""
    _heading: str = ""
    _column: str = ""
    _first: bool = True

    def read(self, block: Block) -> Iterator[Fact]:
        text = block.text[:_LONGEST_TEXT]
        if block.kind is not BlockKind.ROW:
            self._column = ""
        if block.kind is BlockKind.HEADING:
            self._heading, self._term, self._first = text, "", True
            yield Fact("", text, block)
        elif block.kind is BlockKind.TERM:
            self._term = text
        elif block.kind is BlockKind.ROW:
            yield from self._row(block)
        elif block.kind is BlockKind.VALUE:
            yield self._fact(self._term, text, block)
        elif len(block.lines) > 1:
            for line in block.lines:
                yield from self._line(line, block)
        else:
            yield from self._line(text, block)

    def _row(self, block: Block) -> Iterator[Fact]:
        cells = [cell for cell in block.cells if cell]
        if block.is_head_row:
            self._column = cells[1] if len(cells) == 2 and is_deadline_label(cells[1]) else ""
        elif self._column and len(cells) == 2:  # the head of the table says that days stand below it
            yield self._fact(self._column, cells[1], block)
            return
        if len(cells) == 2 and len(cells[0]) <= _LONGEST_LABEL and not block.is_head_row:
            yield self._fact(_ENDS.sub("", cells[0]), cells[1], block)
        elif cells:
            yield self._fact("", " ".join(cells), block)

    def _line(self, text: str, block: Block) -> Iterator[Fact]:
        # A short line that only announces: with a colon, or one of the words for a label.
        is_short = len(text) <= _LONGEST_LABEL and not _DIGIT.search(text)
        if is_short and (text.endswith((":", "?")) or is_label(text)):
            self._term = _ENDS.sub("", text)
            yield Fact("", text, block, self._heading)
            return
        waiting, self._term = self._term, ""
        label, rest = split_label(text)
        if waiting and not label:
            yield self._fact(waiting, text, block)
            if block.kind is BlockKind.ITEM:  # the next items may answer the same label
                self._term = waiting
        else:
            yield self._fact(label, rest, block)

    def _fact(self, label: str, text: str, block: Block) -> Fact:
        fact = Fact(label, text[:_LONGEST_TEXT], block, self._heading, self._first)
        self._first = self._first and block.kind is BlockKind.ITEM
        return fact


def is_label(text: str) -> bool:
    """Whether it is a label word for word, and so no name of anything."""
    flat = plain(text).strip(" :?.!*")
    names = [name for _, name in (*_FUNDING_TOPICS, *_OPPORTUNITY_TOPICS)]
    return any(_label(name, is_exact=True).fullmatch(flat) for name in names) or (
        len(flat) < 40 and is_deadline_label(flat)
    )


def split_label(text: str) -> tuple[str, str]:
    """`Deadline: 1 March` in two; text without a label has an empty one."""
    match = _SPLIT.match(text)
    if match is None or match.end() == len(text):
        return _bare_label(text)
    label = match[1]
    if _DIGIT.search(label) and not is_deadline_label(label):
        return "", text
    count = label.count(" ") + 1
    if count > _MOST_WORDS or (count > _FEW_WORDS and says_who(label)):
        return "", text  # a sentence that goes on: "Open to members only - preference is given to"
    return _NUMBERED.sub("", label).strip(), text[match.end() :]


_BARE_TOPICS: Final = (
    "label_region",
    "label_who",
    "label_amount",
    "label_budget",
    "label_language",
    "label_funder",
)


@cache
def _bare(topic: str) -> re.Pattern[str]:
    """A label of a layout that shows it bold, so that no sign parts it from what follows."""
    longer = [word for word in words("records", topic) if len(word) > 5]
    return re.compile(any_of(longer) + r" (?=[^\s])")


def _bare_label(text: str) -> tuple[str, str]:
    if len(text) > 140 or not text[:1].isupper():
        return "", text
    flat = plain(text)
    for topic in _BARE_TOPICS:
        match = _bare(topic).match(flat)
        if (
            match
            and (text[match.end()].isupper() or text[match.end()].isdigit() or text[match.end()] in "€$£")
            and not is_label(text)
        ):
            return text[: match.end()].strip(), text[match.end() :]
    return "", text
