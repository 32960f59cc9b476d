"""Which pieces of a page are its content: by what elements are called, where they stand and how they read.

First the hints of tags, roles and names, each checked against what the box holds; then the box that holds
the content, if the page has one; then what reads like a menu, a list of other pages, or a footer.
"""

from __future__ import annotations

from typing import Final

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout import titles
from surveyor.extract.layout.boxes import Box, Layout
from surveyor.extract.layout.figures import inside, is_prose
from surveyor.extract.layout.hints import Hint
from surveyor.extract.layout.margins import mark_margins

_REGIONS: Final = {
    Hint.NAVIGATION: Region.NAVIGATION,
    Hint.HEADER: Region.HEADER,
    Hint.FOOTER: Region.FOOTER,
    Hint.ASIDE: Region.ASIDE,
    Hint.TEASER: Region.TEASER,
    Hint.COMMENTS: Region.COMMENTS,
    Hint.NOTICE: Region.NOTICE,
    Hint.BYLINE: Region.ASIDE,
    Hint.BUTTON: Region.NAVIGATION,
}
# Share of a page's text from which a box is the page, whatever it is called.
_IS_THE_PAGE: Final = 0.5
# Share of the text of all candidates that the element for content must hold to be believed.
_BELIEVED: Final = 0.3
# Characters that a byline has at most.
_BYLINE: Final = 260
_MENU_DENSITY: Final = 0.4
_SHORT: Final = 60
# Pieces below the headline in which what leads into the content stands.
_LEAD_WITHIN: Final = 3


def assign(layout: Layout, names: titles.Names) -> int | None:
    """Give every piece its region; the number of the headline, if there is one."""
    total = layout.boxes[0].chars if layout.boxes else 0
    for box in layout.boxes:
        box.region = _by_hint(layout, box, total)
    _hand_down(layout)
    head = titles.headline(layout, names)
    if head is not None:
        _rescue(layout, head)
    _bound(layout, head)
    mark_margins(layout, head)
    return head


def _by_hint(layout: Layout, box: Box, total: int) -> Region | None:
    hint = box.hint
    if hint is None or hint not in _REGIONS or box.tag == "body" or box.number == 0 or not box.chars:
        return None
    by_tag = box.tag in ("nav", "aside", "footer", "header", "dialog")
    if hint is Hint.BYLINE:
        return Region.ASIDE if box.chars <= _BYLINE and not _has_heading(layout, box) else None
    if hint is Hint.BUTTON:
        return Region.NAVIGATION if box.chars <= _SHORT and not _has_heading(layout, box) else None
    if hint is Hint.TEASER and _is_lead(layout, box):
        return None
    if hint is Hint.HEADER and (_in_content(layout, box) or _is_heading_of_part(layout, box)):
        return None
    if hint is Hint.FOOTER and box.tag == "footer" and _in_content(layout, box):
        return Region.ASIDE if box.chars < _BYLINE else None
    if box.chars > total * _IS_THE_PAGE and not (by_tag and hint in (Hint.NAVIGATION, Hint.FOOTER)):
        return Region.COMMENTS if hint is Hint.COMMENTS else None
    if hint is Hint.NAVIGATION and not by_tag and box.role == "":
        is_menu = box.link_density >= _MENU_DENSITY or (box.chars <= _SHORT and not _has_heading(layout, box))
        return Region.NAVIGATION if is_menu else None
    return _REGIONS[hint]


def _is_heading_of_part(layout: Layout, box: Box) -> bool:
    """Some systems put the heading of every part of a page into a header of its own."""
    return box.tag == "header" and not box.links and box.first > 0 and _has_heading(layout, box)


def _is_lead(layout: Layout, box: Box) -> bool:
    """On many sites "teaser" is the name for the sentence that leads into an article."""
    if box.links or box.beside or box.last - box.first != 1 or "teaser" not in box.names.lower():
        return False
    piece = layout.pieces[box.first]
    return piece.kind is BlockKind.TEXT and is_prose(piece, 0)


def _has_heading(layout: Layout, box: Box) -> bool:
    return any(piece.kind is BlockKind.HEADING for piece in layout.pieces[box.first : box.last])


def _in_content(layout: Layout, box: Box) -> bool:
    """Whether it stands within an element for content."""
    boxes, at = layout.boxes, box.parent
    while at >= 0:
        if boxes[at].tag in ("main", "article", "section", "blockquote") or boxes[at].hint is Hint.MAIN:
            return True
        at = boxes[at].parent
    return False


def _hand_down(layout: Layout) -> None:
    """A box within a margin belongs to the margin; a menu within a header is still a menu."""
    boxes = layout.boxes
    for box in boxes:
        above = boxes[box.parent].region if box.parent >= 0 else None
        if above is not None and (above is not Region.HEADER or box.region is not Region.NAVIGATION):
            box.region = above
    for piece in layout.pieces:
        piece.region = boxes[piece.box].region or Region.MAIN


def _bound(layout: Layout, head: int | None) -> None:
    """If one box holds the content, what stands outside it is not content."""
    chosen = _container(layout)
    if chosen is None:
        return
    before = Region.HEADER
    for number, piece in enumerate(layout.pieces):
        if inside(chosen, number):
            before = Region.ASIDE
        elif piece.region is Region.MAIN and not _belongs_to_headline(layout, head, number):
            piece.region = before


def _free(layout: Layout, box: Box) -> int:
    return sum(
        len(piece.text) for piece in layout.pieces[box.first : box.last] if piece.region is Region.MAIN
    )


def _container(layout: Layout) -> Box | None:
    """The element for content that holds enough of the text; of articles only a single large one."""
    total = sum(len(piece.text) for piece in layout.pieces if piece.region is Region.MAIN)
    if not total:
        return None
    mains = [box for box in layout.boxes if box.hint is Hint.MAIN and box.region is None and box.chars]
    best = max(mains, key=lambda box: _free(layout, box), default=None)
    if best is not None and _free(layout, best) >= total * _BELIEVED:
        return best
    articles = [box for box in layout.boxes if box.tag == "article" and box.region is None and box.chars]
    best = max(articles, key=lambda box: _free(layout, box), default=None)
    if best is not None and _free(layout, best) >= total * 0.6:
        return best
    named = [
        box for box in layout.boxes if box.hint is Hint.CONTENT and box.region is None and box.tag != "body"
    ]
    for box in reversed(named):  # the innermost that holds nearly all
        if _free(layout, box) >= total * 0.75:
            return box
    return None


def _rescue(layout: Layout, head: int) -> None:
    """The headline is content wherever it stands, and so are the sentences that go with it."""
    pieces = layout.pieces
    was = pieces[head].region
    pieces[head].region = Region.MAIN
    if was is Region.HEADER:
        for number in range(head + 1, min(head + 1 + _LEAD_WITHIN, len(pieces))):
            if pieces[number].region is was and _belongs_to_headline(layout, head, number):
                pieces[number].region = Region.MAIN


def _belongs_to_headline(layout: Layout, head: int | None, number: int) -> bool:
    """Whether a piece is the headline, or a sentence that goes with it in the same box."""
    if head is None or number == head:
        return number == head
    piece, around = layout.pieces[number], _around(layout, head)
    return (
        head < number < around.last
        and number <= head + _LEAD_WITHIN
        and piece.kind is BlockKind.TEXT
        and is_prose(piece, piece.link_chars)
        and not piece.link_chars
    )


def _around(layout: Layout, head: int) -> Box:
    box = layout.boxes[layout.pieces[head].box]
    return layout.boxes[box.parent] if box.parent > 0 else box
