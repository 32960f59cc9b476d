"""The boxes of a page and the pieces of text in them, as the walk leaves them and the rules read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

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
    """Whether it is told in sentences, which menus and lists of titles are not."""


@dataclass(slots=True)
class Layout:
    """What a walk gives."""

    boxes: list[Box] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    images: list[tuple[int, str]] = field(default_factory=list)
    """Pictures that say what they show: the number of the piece they stand before, and their text."""
    image_count: int = 0
    base: str | None = None
