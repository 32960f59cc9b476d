"""The boxes of a page and the pieces of text in them, as the walk leaves them and the rules read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout.hints import Hint


class Run(NamedTuple):
    """Text in one go, and where it leads."""

    text: str
    url: str | None
    is_button: bool = False


class Box:
    """An element that holds pieces. Figures are of everything inside it, known when the walk is over."""

    __slots__ = (
        "beside",
        "chars",
        "first",
        "hint",
        "last",
        "link_chars",
        "links",
        "names",
        "number",
        "parent",
        "prose",
        "region",
        "role",
        "section",
        "tag",
        "words",
    )

    def __init__(self, number: int, parent: int, tag: str, names: str, role: str, hint: Hint | None) -> None:
        self.number, self.parent, self.tag, self.names, self.role, self.hint = (
            number,
            parent,
            tag,
            names,
            role,
            hint,
        )
        self.first = 0
        """Number of its first piece; `last` is one behind its last."""
        self.last = 0
        self.chars = 0
        self.link_chars = 0
        self.links = 0
        self.prose = 0
        """Characters of sentences, which menus and lists of titles have not."""
        self.region: Region | None = None
        self.beside = 0
        """How many others of its kind, by tag and names, have the same parent."""
        self.section = False
        """Whether its pieces belong together and apart from those beside it."""

    @property
    def link_density(self) -> float:
        return self.link_chars / self.chars if self.chars else 0.0


@dataclass(slots=True)
class Piece:
    """A block in the making."""

    kind: BlockKind
    box: int
    text: str
    level: int = 0
    runs: tuple[Run, ...] = ()
    """The text with its links, where it has any."""
    lines: tuple[str, ...] = ()
    code: str = ""
    """As it was written, line by line, where it is preformatted and its spaces mean something."""
    cells: tuple[str, ...] = ()
    cell_lines: tuple[tuple[str, ...], ...] = ()
    is_head_row: bool = False
    is_ordered: bool = False
    rule: int = 0
    """How many horizontal rules stand before it."""
    region: Region = Region.MAIN
    in_form: bool = False
    is_button: bool = False
    """Something to press, and nothing beside it."""
    link_chars: int = 0
    """Of its text, those that lead somewhere; known when the walk is over, as is the next."""
    is_prose: bool = False
    """Whether it is written in sentences, which menus and lists of titles are not."""


@dataclass(slots=True)
class Layout:
    """What a walk gives."""

    boxes: list[Box] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    images: list[tuple[int, str]] = field(default_factory=list)
    """Pictures that say what they show: the number of the piece they stand before, and their text."""
    image_count: int = 0
    base: str | None = None


# Stands for a line break inside a block. White space to `split`, so it never reaches a text.
BREAK: Final = "\v"
# Hyphenation hints, joiners and marks of direction stand inside words and are not part of them.
_INVISIBLE = dict.fromkeys(
    (0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, *range(0x202A, 0x202F), 0xFEFF, 0)
)


# Looking for one is cheaper than translating every letter, and most texts have none.
_ANY_INVISIBLE = re.compile(f"[{''.join(map(chr, _INVISIBLE))}]")


def one_line(text: str) -> str:
    if not text.isascii():
        if _ANY_INVISIBLE.search(text):
            text = text.translate(_INVISIBLE)
    elif "\0" in text:
        text = text.replace("\0", "")
    return " ".join(text.split())


def lines_of(text: str) -> tuple[str, ...]:
    """The visual lines of a text, when it has more than one."""
    if BREAK not in text:
        return ()
    lines = tuple(filter(None, map(one_line, text.split(BREAK))))
    return lines if len(lines) > 1 else ()


# Spaces before a line or in columns, which one line would lose.
_ALIGNED: Final = re.compile(r"^[ \t]+\S|\S(?: {2,}|\t)\S", re.MULTILINE)


def as_written(text: str, *, is_preformatted: bool) -> tuple[tuple[str, ...], str]:
    """The lines of a text, and the text itself where it is preformatted and its spaces mean something."""
    code = ""
    if is_preformatted and BREAK in text:
        code = text.translate(_INVISIBLE).replace(BREAK, "\n").strip("\n").rstrip()
    return lines_of(text), code if _ALIGNED.search(code) else ""


def normal_runs(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs of one line, joined they are it; none where no run leads anywhere."""
    if all(run.url is None for run in runs):
        return ()
    kept: list[Run] = []
    for text, url, _ in runs:
        line = one_line(text)
        if not line:
            if kept and text:
                _space(kept)
            continue
        if kept and text[:1].isspace():
            _space(kept)
        if kept and kept[-1].url == url:
            kept[-1] = Run(kept[-1].text + line, url)
        else:
            kept.append(Run(line, url))
        if text[-1:].isspace():
            _space(kept)
    if kept:
        kept[-1] = Run(kept[-1].text.rstrip(" "), kept[-1].url)
    return tuple(kept)


def _space(kept: list[Run]) -> None:
    if not kept[-1].text.endswith(" "):
        kept[-1] = Run(kept[-1].text + " ", kept[-1].url)
