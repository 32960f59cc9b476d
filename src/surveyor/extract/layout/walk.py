"""From the tree of a page to its boxes and pieces of text, in one pass in the order of reading.

Without recursion. What is hidden or struck out is left out; what stands on lines of its own becomes a piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from surveyor.extract.document import BlockKind
from surveyor.extract.layout.boxes import BREAK, Box, Layout, Piece, Run, as_written, normal_runs, one_line
from surveyor.extract.layout.elements import (
    FLOW,
    KINDS,
    SUMMARY_LEVEL,
    Flow,
    is_anchor,
    is_data,
    is_decoration,
    is_hidden,
    is_struck,
)
from surveyor.extract.layout.hints import Hint, hint_of
from surveyor.extract.layout.rows import Row

# Pieces kept of a page; a page of a million paragraphs is read as far as a book.
MAX_PIECES: Final = 20_000
# Characters of one piece.
MAX_TEXT: Final = 50_000
# Tables within tables that are looked into; beyond that they lay out.
_NESTED_TABLES: Final = 6
# Parts of a page hidden from readers of screens whose text is measured: nested ones are measured twice.
_WEIGHED: Final = 300
# Characters of a text for readers without scripts or players; what is shorter asks for them.
_WHOLE_TEXT: Final = 600
# Elements side by side within a line are words of their own, where the first has so many characters.
_SIDE_BY_SIDE: Final = frozenset(("span", "strong", "b", "em", "i", "small"))
_WORD: Final = 3
_SIGN: Final = 4  # characters of a sign that may be shown as a picture
_TEXT: Final = "-text"
_NO_VALUES: Final[dict[str, str | None]] = {}
# Elements in which small words about the author may stand as elements of their own.
_NOT_BROKEN: Final = frozenset(("p", "li", "dd", "dt", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "a"))


@dataclass(slots=True, eq=False)
class _Frame:
    """An open element that holds pieces."""

    tag: str
    box: int
    kind: BlockKind
    level: int
    said: bool = False


@dataclass(eq=False)
class Walk:
    """One pass over one tree; `layout` is what came of it."""

    shows_hidden: bool = field(kw_only=True, default=False)
    layout: Layout = field(default_factory=Layout)
    hidden: int = 0  # characters of blocks that were left out because a name or a style hides them
    _runs: list[Run] = field(default_factory=list)
    _url: str | None = None
    _frames: list[_Frame] = field(default_factory=list)
    _lists: list[str] = field(default_factory=list)
    _tables: list[bool] = field(default_factory=list)
    _row: Row | None = None
    _rules: int = 0
    _forms: int = 0
    _preformatted: int = 0
    _pressed: bool = False
    _weighed: int = 0

    def through(self, root: LexborNode) -> Layout:
        leaves: list[Callable[[], None] | None] = []
        node = root
        while True:
            tag = node.tag or ""
            if tag == _TEXT:
                entered, leave = False, None
                text = node.text_content
                if text and (self._runs or not text.isspace()):
                    self._say(text)
            else:
                entered, leave = self._enter(node, tag)
            following = node.first_child if entered else None
            if following is not None:
                leaves.append(leave)
                node = following
                continue
            if leave is not None:
                leave()
            while (after := node.next if leaves else None) is None:
                if not leaves:
                    self._flush()
                    return self.layout
                closing = leaves.pop()
                if closing is not None:
                    closing()
                parent = node.parent
                assert parent is not None
                node = parent
            node = after

    def _enter(self, node: LexborNode, tag: str) -> tuple[bool, Callable[[], None] | None]:
        """Whether to go into an element, and what to do when it is left."""
        flow = FLOW.get(tag)
        if flow is Flow.SKIP or len(self.layout.pieces) >= MAX_PIECES:
            return False, None
        if flow is Flow.BREAK:
            self._runs.append(Run(BREAK, None))
            return False, None
        values = node.attributes
        if flow is Flow.STRUCK or (values and self._is_unseen(node, values)):
            return False, None
        if flow is None:
            if self._runs and tag in _SIDE_BY_SIDE:
                self._part(node)
            return self._inline(tag, values) if values or "-" in tag or tag == "label" else self._bare(tag)
        return _ENTER[flow](self, node, tag, values)

    def _is_unseen(self, node: LexborNode, values: dict[str, str | None]) -> bool:
        is_styled = "style" in values
        if (is_styled or "hidden" in values) and is_hidden(values):
            return self._hides(node)
        if (is_styled or "class" in values) and is_struck(values):
            return True
        if "aria-hidden" not in values or self._weighed >= _WEIGHED:
            return False
        self._weighed += 1
        return is_decoration(node, values)

    def _hides(self, node: LexborNode) -> bool:
        if not self.shows_hidden:
            self.hidden += len(node.text())
        return not self.shows_hidden

    def _say(self, text: str) -> None:
        if self._preformatted:
            text = text.replace("\n", BREAK)
        if text:
            self._runs.append(Run(text, self._url, self._pressed))

    def _inline(self, tag: str, values: dict[str, str | None]) -> tuple[bool, Callable[[], None] | None]:
        names = f"{tag} {_names(values)}" if "-" in tag else _names(values)
        hint = hint_of(tag, values.get("role") or "", names) if names else None
        if hint is Hint.HIDDEN:
            return False, None
        if "-" in tag or (hint is Hint.BYLINE and not self._in_sentence()):
            return self._open(tag, names, values, hint)
        if tag == "label" and self._forms and not self._in_sentence():
            return self._open(tag, names, values, hint)
        return self._bare(tag)

    def _bare(self, tag: str) -> tuple[bool, None]:
        """An element within a line that says nothing of itself."""
        if tag in ("label", "time") or (self._runs and self._runs[-1].text[-1:] == ":"):
            self._say(" ")  # what names a value stands apart from it, by style if not by a space
        return True, None

    def _part(self, node: LexborNode) -> None:
        """Two elements without a space between them: "<b>Saturday</b><span>Every week</span>"."""
        before, first = node.prev, node.first_child
        if before is None or before.tag not in _SIDE_BY_SIDE or first is None or first.tag != _TEXT:
            return
        last, text = self._runs[-1].text, first.text_content or ""
        if len(last) >= _WORD and last[-1].isalnum() and (text[:1].isupper() or text[:1].isdigit()):
            self._say(" ")

    def _in_sentence(self) -> bool:
        return self._row is not None or (bool(self._frames) and self._frames[-1].tag in _NOT_BROKEN)

    def _block(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        names = _names(values)
        role = (values.get("role") or "").lower() if values else ""
        hint = hint_of(tag, role, names)
        if hint is Hint.NAVIGATION and "lang" in names and (tag == "pre" or node.css_first("pre")):
            hint = None  # code, and the language it is written in
        if (hint is Hint.HIDDEN or (tag == "dialog" and "open" not in values)) and self._hides(node):
            return False, None
        if self._row is not None:  # inside a cell: a line of it
            self._runs.append(Run(BREAK, None))
            return True, self._break
        if tag in ("ul", "ol"):
            self._lists.append(tag)
        elif tag == "form":
            self._forms += 1
        elif tag == "pre":
            self._preformatted += 1
        if role == "heading":
            return self._open(f"h{_level(values.get('aria-level'))}", names, values, hint)
        return self._open(tag, names, values, hint)

    def _open(
        self, tag: str, names: str, values: dict[str, str | None], hint: Hint | None
    ) -> tuple[bool, Callable[[], None]]:
        if self._runs:
            self._flush()
        boxes, frames = self.layout.boxes, self._frames
        box = Box(len(boxes), frames[-1].box if frames else -1, tag, names, values.get("role") or "", hint)
        box.first = len(self.layout.pieces)
        boxes.append(box)
        kind = KINDS.get(tag, BlockKind.TEXT)
        level = 0
        if kind is BlockKind.HEADING:
            level = SUMMARY_LEVEL if tag == "summary" else int(tag[1])
        elif kind is BlockKind.ITEM:
            level = len(self._lists)
        elif kind is BlockKind.TEXT and frames and frames[-1].kind is not BlockKind.TEXT:
            kind, level = frames[-1].kind, frames[-1].level  # a paragraph in an item
        frames.append(_Frame(tag, box.number, kind, level))
        return True, self._close

    def _close(self) -> None:
        if self._runs:
            self._flush()
        frame = self._frames.pop()
        box = self.layout.boxes[frame.box]
        box.last = len(self.layout.pieces)
        if frame.said and self._frames and self._frames[-1].kind is frame.kind:
            self._frames[-1].said = True
        if frame.tag in ("ul", "ol"):
            self._lists.pop()
        elif frame.tag == "form":
            self._forms -= 1
        elif frame.tag == "pre":
            self._preformatted -= 1

    def _break(self) -> None:
        self._runs.append(Run(BREAK, None))

    def _rule(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        self._break()
        if self._row is None:
            self._flush()
            self._rules += 1
        return False, None

    def _link(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        names = _names(values)
        hint = hint_of(tag, values.get("role") or "", names) if names else None
        if hint is Hint.HIDDEN or is_anchor(node, values.get("href") or ""):
            return False, None
        if self._runs and self._runs[-1].url is not None:
            self._runs.append(Run(" ", None))  # two links side by side are two words
        before, self._url = self._url, values.get("href") or self._url
        self._pressed = hint is Hint.BUTTON

        def leave() -> None:
            self._url, self._pressed = before, False

        return True, leave

    def _picture(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        self.layout.image_count += 1
        alt = one_line((values.get("alt") or "")[:MAX_TEXT])
        if 0 < len(alt) <= _SIGN and self._runs and not self._runs[-1].text[-1:].isspace():
            self._say(alt)  # a picture in place of a sign, as in an address of mail
        elif alt and self._row is None:
            self.layout.images.append((len(self.layout.pieces), alt))
        return False, None

    def _button(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        return bool(self._frames) and self._frames[-1].kind is BlockKind.HEADING, None

    def _fallback(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        self._weighed += 1
        if self._weighed > _WEIGHED:
            return False, None
        text = node.text()
        if len(text) < _WHOLE_TEXT or text.lstrip()[:1] == "<":  # browsers save its markup as a text
            return False, None
        return self._block(node, tag, values)

    def _table(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        if self._row is not None:
            return self._block(node, tag, values)
        data = len(self._tables) < _NESTED_TABLES and is_data(node)
        self._tables.append(data)
        entered, leave = self._block(node, tag, values)

        def left() -> None:
            self._tables.pop()
            if leave is not None:
                leave()

        if not entered:
            self._tables.pop()
            return False, None
        return True, left

    def _table_row(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        if not (self._tables and self._tables[-1]) or self._row is not None:
            return self._block(node, tag, values)
        entered, leave = self._block(node, tag, values)
        if not entered:
            return False, None
        self._row = row = Row()

        def left() -> None:
            self._row = None
            self._runs.clear()
            if row.is_said and len(self.layout.pieces) < MAX_PIECES:
                self.layout.pieces.append(row.piece(self._frames[-1].box, self._rules))
            if leave is not None:
                leave()

        return True, left

    def _cell(
        self, node: LexborNode, tag: str, values: dict[str, str | None]
    ) -> tuple[bool, Callable[[], None] | None]:
        row = self._row
        if row is None or row.is_open:
            return self._block(node, tag, values)
        row.is_open = True
        self._runs.clear()

        def left() -> None:
            row.add(self._runs, tag == "th", values.get("colspan"))
            self._runs.clear()

        return True, left

    def _flush(self) -> None:
        """Make a piece of what was said since the last one."""
        runs = self._runs
        if not runs or self._row is not None:
            return
        raw = "".join([run.text for run in runs])[:MAX_TEXT]
        text = one_line(raw)
        if text and len(self.layout.pieces) < MAX_PIECES:
            frame = self._frames[-1] if self._frames else _Frame("body", 0, BlockKind.TEXT, 0)
            kind, level = frame.kind, frame.level
            if kind is BlockKind.ITEM and frame.said:
                kind, level = BlockKind.TEXT, 0  # a second paragraph of an item
            frame.said = True
            self.layout.pieces.append(
                Piece(
                    kind,
                    frame.box,
                    text,
                    level,
                    normal_runs(runs),
                    *as_written(raw, is_preformatted=self._preformatted > 0),
                    is_ordered=bool(self._lists) and self._lists[-1] == "ol",
                    rule=self._rules,
                    in_form=self._forms > 0,
                    is_button=all(run.is_button or not run.text.strip() for run in runs),
                )
            )
        runs.clear()


def _names(values: dict[str, str | None]) -> str:
    if not values:
        return ""
    style_names, identity = values.get("class"), values.get("id")
    if identity:
        return f"{style_names or ''} {identity}".strip()
    return style_names.strip() if style_names else ""


def _level(written: str | None) -> int:
    return int(written) if written in ("1", "2", "3", "4", "5", "6") else 2


_ENTER: Final = {
    Flow.BLOCK: Walk._block,
    Flow.RULE: Walk._rule,
    Flow.LINK: Walk._link,
    Flow.PICTURE: Walk._picture,
    Flow.TABLE: Walk._table,
    Flow.ROW: Walk._table_row,
    Flow.CELL: Walk._cell,
    Flow.BUTTON: Walk._button,
    Flow.FALLBACK: Walk._fallback,
}
