"""What reads like boilerplate within the content: menus without a name, lists of other pages, columns beside.

Each rule looks at how boxes stand and read, not at what they are called, and leaves the content alone when
it would take most of it away.

Words that surroundings are recognised by stand in `wordlists/extract/boilerplate.toml`, in seven languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from surveyor.extract import lexicon
from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout.boxes import Box, Layout, Piece
from surveyor.words import tokens

# What only the foot of a page says.
FOOT: Final = re.compile(
    rf"©|\(c\)\s*\d{{4}}|{lexicon.alternatives('boilerplate', 'foot')}|1024\s?x\s?768|800\s?x\s?600",
    re.IGNORECASE,
)
# A date, and who wrote it: "Tuesday 6 October 2026, by the office".
_DATED_AND_SIGNED: Final = re.compile(
    rf"(?:[^\W\d_]{{2,12}}\.?,?\s)?\d{{1,2}}[. /-]{{1,2}}[^\W_]{{1,12}}[. /-]{{1,2}}\d{{4}}[^\w]{{1,4}}"
    rf"{lexicon.alternatives('boilerplate', 'by')}\b",
    re.IGNORECASE,
)
_ONLY_DATE: Final = re.compile(
    r"\W{0,3}\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?:,? {1,3}\d{1,2}[:.]\d{2}(?: Uhr)?)?\W{0,3}"
)
_SIGNED: Final = 80  # characters
_DIGIT: Final = re.compile(r"\d")


def _beginnings(name: str) -> dict[str, list[tuple[str, ...]]]:
    """Phrases of all languages by their first word."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in lexicon.words("boilerplate", name):
        if words := tuple(tokens(phrase)):
            by_first.setdefault(words[0], []).append(words)
    return by_first


_LEADING_AWAY: Final = _beginnings("leads_away")
_STAMPED: Final = _beginnings("stamps")


def leads_away(heading: str) -> bool:
    """Whether a heading stands over other pages, other people's words, or what surrounds a page.

    A phrase of one word must be the whole heading: "News" is one, "News for applicants" is not.
    """
    words = tokens(heading[:120])
    return any(
        tuple(words[: len(phrase)]) == phrase and (len(phrase) > 1 or len(words) == 1)
        for phrase in _LEADING_AWAY.get(words[0] if words else "", ())
    )


def is_stamp(line: str) -> bool:
    """Whether a short line tells who wrote the page, and when."""
    if len(line) > 140 or _DIGIT.search(line) is None:
        return False
    if _ONLY_DATE.fullmatch(line):
        return True
    words = tokens(line)
    if any(tuple(words[: len(phrase)]) == phrase for phrase in _STAMPED.get(words[0] if words else "", ())):
        return True
    return len(line) <= _SIGNED and _DATED_AND_SIGNED.match(line) is not None


# Share of its neighbour's text up to which a column is boilerplate.
_NARROW: Final = 0.35
# Links from which a list without other text is a list of other pages, and their share of its characters.
_LISTED: Final = 3
_ALL_LINKS: Final = 0.8
# Lists as people write them in a text; those that a system adds have a name, or stand in a box of their own.
_LISTS_IN_TEXT: Final = ("ul", "ol", "li")
# Characters of sentences beside which a list of links is not what a page is about.
_LEAST_PROSE: Final = 200
_FOOT: Final = 700  # characters of what stands below the last rule of an old page
# Characters of a line that only a foot has; last pieces of the content among which one may be; its share.
_FOOT_LINE, _FOOT_WITHIN, _FOOT_SHARE = 300, 6, 0.3
_TEASED: Final = 2_000  # characters of sentences that lead to other pages; more is content
_SENTENCE: Final = 160  # characters of a paragraph that no foot has
# Pieces below the headline among which its byline is, and last pieces that may be one.
_BYLINE_WITHIN, _BYLINE_LAST = 3, 2
_SHORT_LINE: Final = 60  # characters of a line in place of a heading
_FILE: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|odt|ods|zip|rtf|pptx?)(?:$|[?#])", re.IGNORECASE)
_COLUMN: Final = re.compile(
    r"(?:^|[\s_-])(?:col|span|large|medium|columns?|grid|size|w)(?:-(?:xs|sm|md|lg|xl|xxl|[sml]))?-?(\d{1,2})(?=$|[\s_])"
)
# Share of the content that one rule may take from it in one go.
AT_MOST: Final = 0.4
# Share of its sentences that all rules together leave.
LEFT: Final = 0.5


class Content:
    """The content while rules take away what is not: never the headline, never most of it at once.

    Keeps count of what is left, so that taking costs what is taken.
    """

    __slots__ = ("_floor", "_prose", "boxes", "head", "pieces", "size")

    def __init__(self, layout: Layout, head: int | None) -> None:
        self.boxes, self.pieces, self.head = layout.boxes, layout.pieces, head
        self.size = self.size_of(self.numbers())
        """Characters that are left."""
        self._prose = self.prose_of(self.numbers())
        self._floor = self._prose * LEFT

    def numbers(self, first: int = 0, last: int | None = None) -> list[int]:
        """The pieces of a stretch that are content, by number."""
        pieces = self.pieces
        end = len(pieces) if last is None else last
        return [number for number in range(first, end) if pieces[number].region is Region.MAIN]

    def within(self, box: Box) -> list[int]:
        return self.numbers(box.first, box.last)

    def size_of(self, numbers: Sequence[int]) -> int:
        return sum(len(self.pieces[number].text) for number in numbers)

    def prose_of(self, numbers: Sequence[int]) -> int:
        pieces = self.pieces
        return sum(len(pieces[number].text) for number in numbers if pieces[number].is_prose)

    def take(self, numbers: Sequence[int], region: Region, at_most: float = AT_MOST) -> bool:
        """Give pieces another region, unless they are too much of the content or hold the headline."""
        if not numbers or self.head in numbers:
            return False
        size = self.size_of(numbers)
        prose = self.prose_of(numbers)
        if size > at_most * self.size or (prose and self._prose - prose < self._floor):
            return False
        self.size -= size
        self._prose -= prose
        for number in numbers:
            self.pieces[number].region = region
        return True

    def take_one(self, number: int, region: Region) -> None:
        """Give one piece another region, however large it is."""
        if number != self.head:
            self.size -= len(self.pieces[number].text)
            self.pieces[number].region = region

    def has_headline(self, box: Box) -> bool:
        return self.head is not None and box.first <= self.head < box.last

    def outermost(self, number: int, fits: Callable[[Box], bool]) -> Box:
        """The largest box around a piece that fits."""
        box = self.boxes[self.pieces[number].box]
        while box.parent > 0 and fits(self.boxes[box.parent]):
            box = self.boxes[box.parent]
        return box


def mark_boilerplate(layout: Layout, head: int | None) -> None:
    """Give pieces of the content another region where they read like one."""
    content = Content(layout, head)
    for rule in (
        _before_headline,
        _columns,
        _leading_away,
        _pointers,
        _link_lists,
        _stamps,
        _controls,
        _foot,
    ):
        rule(content)


def _before_headline(content: Content) -> None:
    """What stands before the headline and is no sentence: names, menus, paths."""
    if content.head is None:
        return
    for number in content.numbers(0, content.head):
        piece = content.pieces[number]
        if not piece.is_prose:
            content.take_one(number, Region.HEADER)


def _columns(content: Content) -> None:
    """A narrow column beside a wide one: cells of a table for layout, columns of a grid."""
    siblings: dict[int, list[Box]] = {}
    for box in content.boxes:
        if box.chars and (box.tag in ("td", "th") or _width(box.names) is not None):
            siblings.setdefault(box.parent, []).append(box)
    for boxes in siblings.values():
        widest = max(boxes, key=lambda box: box.chars)
        for box in boxes:
            if box is not widest and box.chars <= widest.chars * _NARROW and _is_narrower(box, widest):
                content.take(content.within(box), Region.ASIDE)


@lru_cache(maxsize=4_096)  # a site uses the same few hundred on every page
def _width(names: str) -> int | None:
    found = _COLUMN.findall(names.lower())
    return int(found[-1]) if found else None


def _is_narrower(box: Box, other: Box) -> bool:
    mine, theirs = _width(box.names), _width(other.names)
    if mine is None or theirs is None:
        return box.tag in ("td", "th")
    return mine * 3 < theirs * 2


def _leading_away(content: Content) -> None:
    """What stands under a heading that leads away from the page."""
    for number in content.numbers():
        piece = content.pieces[number]
        if piece.region is Region.MAIN and _is_heading(content, number) and leads_away(piece.text):
            below = content.numbers(number, _scope(content, number))
            # Sentences alone, without titles or bare links beside them, tell where to go.
            is_explained = len(below) > 1 and all(content.pieces[each].is_prose for each in below[1:])
            if content.prose_of(below) <= _TEASED and not is_explained:
                content.take(below, Region.TEASER)


def _pointers(content: Content) -> None:
    """Lines between paragraphs that lead to another page: `Read more:` and the link."""
    for number in content.numbers():
        piece = content.pieces[number]
        if piece.kind in (BlockKind.TEXT, BlockKind.ITEM) and piece.link_chars * 2 > len(piece.text):
            before, colon, _ = piece.text.partition(":")
            if colon and len(before) <= _SHORT_LINE and leads_away(before):
                content.take_one(number, Region.TEASER)


def _is_heading(content: Content, number: int) -> bool:
    """A heading, or a short first line of a box in place of one."""
    piece = content.pieces[number]
    if piece.kind is BlockKind.HEADING:
        return True
    if piece.kind not in (BlockKind.TEXT, BlockKind.TERM) or len(piece.text) > _SHORT_LINE:
        return False
    box = content.boxes[piece.box]
    around = content.boxes[box.parent] if box.parent >= 0 else box
    return around.first == number and around.last - around.first > 1


def _scope(content: Content, number: int) -> int:
    """One behind the last piece that a heading stands over."""
    pieces, boxes = content.pieces, content.boxes
    piece = pieces[number]
    box = boxes[piece.box]
    while box.parent > 0 and boxes[box.parent].first == number:
        box = boxes[box.parent]  # all boxes that begin with it
    around = boxes[box.parent] if box.last - box.first < 2 and box.parent >= 0 else box
    level = piece.level or 6
    for at in range(number + 1, around.last):
        other = pieces[at]
        if other.rule != piece.rule or (other.kind is BlockKind.HEADING and other.level <= level):
            return at
    return around.last


def _link_lists(content: Content) -> None:
    """Lists of links without other words, beside content that is written in sentences."""
    kept = [content.pieces[number] for number in content.numbers()]
    if sum(len(piece.text) for piece in kept if piece.is_prose) < _LEAST_PROSE:
        return
    for box in content.boxes:
        if box.links < _LISTED or box.link_density < _ALL_LINKS or box.number == 0:
            continue
        around = content.boxes[box.parent]
        if around.link_density >= _ALL_LINKS and box.parent > 0:
            continue  # looked at with its parent
        if box.tag in _LISTS_IN_TEXT and not box.names and around.prose * 2 > around.chars:
            continue  # sources or examples, written with the text
        numbers = content.within(box)
        if not any(_leads_to_file(content.pieces[number]) for number in numbers):
            content.take(numbers, Region.TEASER)


def _leads_to_file(piece: Piece) -> bool:
    return any(
        run.url is not None and (_FILE.search(run.url) or run.url[:7].lower() == "mailto:")
        for run in piece.runs
    )


def _stamps(content: Content) -> None:
    """Who wrote it and when: below the headline, or as the last words."""
    numbers = content.numbers()
    start = numbers.index(content.head) if content.head in numbers else 0
    for place, number in enumerate(numbers):
        piece = content.pieces[number]
        near = start <= place <= start + _BYLINE_WITHIN or place >= len(numbers) - _BYLINE_LAST
        if near and piece.kind is BlockKind.TEXT and is_stamp(piece.text):
            content.take_one(number, Region.ASIDE)


def _controls(content: Content) -> None:
    """Buttons, and the labels of a form that is not the whole page."""
    pieces = content.pieces
    whole = content.boxes[0].chars if content.boxes else 0
    for box in content.boxes:
        if box.tag == "form" and box.chars * 2 < whole:
            for number in content.within(box):
                piece = pieces[number]
                if piece.kind is not BlockKind.ROW and not piece.is_prose:
                    content.take_one(number, Region.NAVIGATION)
    for number in content.numbers():
        if pieces[number].is_button:
            content.take_one(number, Region.NAVIGATION)


def _foot(content: Content) -> None:
    """The foot of a page that has no element for it: below the last rule, or lines that only a foot has."""
    pieces = content.pieces
    numbers = content.numbers()
    has_foot = any(piece.region is Region.FOOTER for piece in pieces)
    if not has_foot and numbers and (rule := pieces[numbers[-1]].rule):
        below = [number for number in numbers if pieces[number].rule == rule]
        headed = any(pieces[number].kind is BlockKind.HEADING for number in below)
        if not headed and content.size_of(below) <= _FOOT:
            content.take(below, Region.FOOTER, _FOOT_SHARE)
    for number in reversed(content.numbers()[-_FOOT_WITHIN:]):
        text = pieces[number].text
        if len(text) > _SENTENCE and pieces[number].region is Region.MAIN and not FOOT.search(text):
            return  # the content goes on
        if len(text) < _FOOT_LINE and pieces[number].region is Region.MAIN and FOOT.search(text):
            box = content.outermost(number, lambda box: box.chars <= _FOOT and not content.has_headline(box))
            content.take_one(number, Region.FOOTER)
            content.take(content.within(box), Region.FOOTER, _FOOT_SHARE)
