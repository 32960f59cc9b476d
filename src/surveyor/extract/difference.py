"""What two versions of a text differ in, as lines that people can read: added, removed, changed by word.

A pure value for any text; bounded in time. Lines are matched first, words only within lines that replace
each other; a text with more lines than anybody reads is compared as far as that, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final, NamedTuple

# Lines of each side that are compared, after what both begin and end with was put aside. Matching takes time
# by the product of the two at worst: this many take a second.
_MAX_LINES: Final = 2_000
# Words of a line that are compared; a longer line is shown whole.
_MAX_WORDS: Final = 400
# Share of their words that two lines must have in common to be one line that changed.
_ALIKE: Final = 0.4
_WORDS: Final = re.compile(r"\s+|[^\W_]+|[\W_]")
# Lines that did not change, shown around those that did.
CONTEXT: Final = 1


class Change(StrEnum):
    """What happened to a line or to words of it."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    SKIPPED = "skipped"  # lines that did not change and are not shown


class Part(NamedTuple):
    """Words in one go, with what happened to them: same, added or removed."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the comparison. One that changed has parts; a skipped one stands for `count` lines."""

    change: Change
    parts: tuple[Part, ...] = ()
    count: int = 1

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Difference:
    lines: tuple[Line, ...]
    added: int
    """Lines that are new, changed ones included."""
    removed: int
    is_cut: bool = False
    """Whether the texts were too long to be compared to their ends."""

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.is_cut)

    def marked(self) -> Iterator[str]:
        """Lines for a terminal: `+`, `-` or two spaces, and changed words as `[-old-]` and `{+new+}`."""
        for line in self.lines:
            if line.change is Change.SKIPPED:
                yield f"  … {line.count} lines that did not change"
            else:
                yield f"{_SIGNS[line.change]} {''.join(map(_marked, line.parts))}"


_SIGNS: Final = {Change.SAME: " ", Change.ADDED: "+", Change.REMOVED: "-", Change.CHANGED: "~"}


def _marked(part: Part) -> str:
    if part.change is Change.ADDED:
        return f"{{+{part.text}+}}" if part.text.strip() else part.text
    if part.change is Change.REMOVED:
        return f"[-{part.text}-]" if part.text.strip() else ""
    return part.text


def difference(older: str, newer: str, context: int = CONTEXT) -> Difference:
    """What `newer` has that `older` has not, and the other way round."""
    old, new = _lines(older), _lines(newer)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    old_part, new_part = old[start : len(old) - end], new[start : len(new) - end]
    is_cut = max(len(old_part), len(new_part)) > _MAX_LINES
    before, after = max(0, start - context), max(0, end - context)  # of both, and too far away to be shown
    lines = [
        *map(_same, old[before:start]),
        *_compared(old_part[:_MAX_LINES], new_part[:_MAX_LINES]),
        *map(_same, old[len(old) - end : len(old) - after]),
    ]
    added = sum(line.change in (Change.ADDED, Change.CHANGED) for line in lines)
    removed = sum(line.change in (Change.REMOVED, Change.CHANGED) for line in lines)
    return Difference(tuple(_folded(lines, context, before, after)), added, removed, is_cut)


def _same(text: str) -> Line:
    return Line(Change.SAME, (Part(Change.SAME, text),))


def _lines(text: str) -> list[str]:
    return [line for line in map(str.rstrip, text.splitlines()) if line]


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    count = 0
    for left, right in zip(old, new, strict=False):
        if left != right:
            break
        count += 1
    return count


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            yield from map(_same, old[old_from:old_to])
        else:
            yield from _replaced(old[old_from:old_to], new[new_from:new_to])


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    """Lines in place of others: the first with the first, where they are alike; the rest as they are."""
    pairs = min(len(old), len(new))
    for left, right in zip(old[:pairs], new[:pairs], strict=True):
        parts = _parts(left, right)
        if parts is None:
            yield Line(Change.REMOVED, (Part(Change.REMOVED, left),))
            yield Line(Change.ADDED, (Part(Change.ADDED, right),))
        else:
            yield Line(Change.CHANGED, parts)
    yield from (Line(Change.REMOVED, (Part(Change.REMOVED, text),)) for text in old[pairs:])
    yield from (Line(Change.ADDED, (Part(Change.ADDED, text),)) for text in new[pairs:])


def _parts(old: str, new: str) -> tuple[Part, ...] | None:
    """The words of two lines that are one; None when they have too little in common."""
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    if max(len(left), len(right)) > _MAX_WORDS:
        return None
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if _in_common(matcher, left, right) < _ALIKE:
        return None
    parts: list[Part] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            parts.append(Part(Change.SAME, "".join(left[old_from:old_to])))
            continue
        if old_to > old_from:
            parts.append(Part(Change.REMOVED, "".join(left[old_from:old_to])))
        if new_to > new_from:
            parts.append(Part(Change.ADDED, "".join(right[new_from:new_to])))
    return tuple(parts)


def _in_common(matcher: SequenceMatcher[str], left: Sequence[str], right: Sequence[str]) -> float:
    """The share of words, spaces and signs aside, that stand in both."""
    words = sum(map(str.isalnum, left)) + sum(map(str.isalnum, right))
    blocks = matcher.get_matching_blocks()
    shared = sum(left[at].isalnum() for start, _, size in blocks for at in range(start, start + size))
    return 2 * shared / words if words else 1.0


def _folded(lines: Sequence[Line], context: int, before: int, after: int) -> Iterator[Line]:
    """The lines without long runs that did not change; so many more are before and after them."""
    near = {
        shown
        for number, line in enumerate(lines)
        if line.change is not Change.SAME
        for shown in range(number - context, number + context + 1)
    }
    skipped = before
    for number, line in enumerate(lines):
        if number not in near:
            skipped += 1
            continue
        if skipped:
            yield Line(Change.SKIPPED, count=skipped)
            skipped = 0
        yield line
    skipped += after
    if skipped:
        yield Line(Change.SKIPPED, count=skipped)
