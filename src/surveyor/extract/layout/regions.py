"""Which pieces of a page are its content: by what elements are called, where they stand and how they read.

First the hints of tags, roles and names, each checked against what the box holds; then the box that holds
the content, if the page has one; then what reads like a menu, a list of other pages, or a footer.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout import density, titles
from surveyor.extract.layout.boilerplate import mark_boilerplate
from surveyor.extract.layout.boxes import Box, Layout
from surveyor.extract.layout.hints import Hint, is_entry
from surveyor.extract.layout.measures import PARAGRAPHS, largest_text
from surveyor.extract.layout.opinion import second_opinion

_REGIONS: Final = {
    Hint.NAVIGATION: Region.NAVIGATION,
    Hint.HEADER: Region.HEADER,
    Hint.FOOTER: Region.FOOTER,
    Hint.ASIDE: Region.ASIDE,
    Hint.TEASER: Region.TEASER,
    Hint.COMMENTS: Region.COMMENTS,
    Hint.NOTICE: Region.NOTICE,
    Hint.BYLINE: Region.ASIDE,
    Hint.CAPTION: Region.ASIDE,
    Hint.BUTTON: Region.NAVIGATION,
}
# Share of a page's text from which a box is the page, whatever it is called.
_IS_THE_PAGE: Final = 0.5
# Share of the text of all candidates that the element for content must hold to be believed.
_BELIEVED: Final = 0.5
# Characters that a byline has at most.
_BYLINE: Final = 400
_CAPTION: Final = 110  # and a caption that tells nothing
_MENU_DENSITY: Final = 0.4
# Characters of sentences from which a page is written in them.
_LEAST_PROSE: Final = 200
_BELIEVED_TAG: Final = 4.0  # the same for elements that are made for it: aside, nav, header, footer
_ENOUGH: Final = 1_000  # characters of sentences beside which an aside is one, however long
_HINTS_IN_EACH_OTHER: Final = 12  # rounds in which hints are taken back
_BY_TAG: Final = frozenset(("nav", "aside", "footer", "header", "dialog"))
_LEADS: Final = 0.05  # share of links in what leads to another page
_LEAD: Final = 60  # characters of a heading that is a sentence
# Hints that are often names of something else: how many times the sentences that are left each may take.
_DOUBTED: Final = {
    Region.TEASER: 1.0,
    Region.ASIDE: 1.0,
    Region.HEADER: 1.0,
    Region.NOTICE: 2.0,
    Region.FOOTER: 2.0,
    Region.COMMENTS: 12.0,
}
_SHORT: Final = 60
_LEAD_WITHIN: Final = 3  # pieces below the headline among which sentences go with it


class _Hinted(NamedTuple):
    """A region that boxes have by a hint: by their tags, or by their names."""

    region: Region
    by_tag: bool


def assign(layout: Layout, names: titles.Names) -> int | None:
    """Give every piece its region; the number of the headline, if there is one."""
    head = by_hints(layout, names)
    if head is not None:
        _rescue(layout, head)
    _bound(layout, head)
    _dense(layout, head)
    mark_boilerplate(layout, head)
    second_opinion(layout, head)
    return head


def by_hints(layout: Layout, names: titles.Names) -> int | None:
    """Give every piece the region that elements are named for; the number of the headline, if any."""
    total = layout.boxes[0].chars if layout.boxes else 0
    for box in layout.boxes:
        box.region = _by_hint(layout, box, total)
    _doubt(layout)
    _hand_down(layout)
    return titles.headline(layout, names)


def _by_hint(layout: Layout, box: Box, total: int) -> Region | None:
    hint = box.hint
    if hint is None or hint not in _REGIONS or box.tag == "body" or box.number == 0 or not box.chars:
        return None
    by_tag = box.tag in _BY_TAG
    if hint is Hint.BYLINE:
        return Region.ASIDE if box.chars <= _BYLINE and not _has_heading(layout, box) else None
    if hint is Hint.CAPTION:
        return Region.ASIDE if box.last - box.first <= 2 and box.chars <= _CAPTION else None
    if hint is Hint.BUTTON:
        return Region.NAVIGATION if box.chars <= _SHORT and not _has_heading(layout, box) else None
    if hint is Hint.TEASER and (box.tag in PARAGRAPHS or _is_lead(layout, box)):
        return None
    if hint is Hint.HEADER and _in_content(layout, box):
        return None
    if hint is Hint.FOOTER and box.tag == "footer" and _in_content(layout, box):
        return Region.ASIDE if box.chars < _BYLINE else None
    rest = layout.boxes[0].prose - box.prose
    believed = by_tag and (hint in (Hint.NAVIGATION, Hint.FOOTER) or rest > _ENOUGH)
    if box.chars > total * _IS_THE_PAGE and not believed:
        return Region.COMMENTS if hint is Hint.COMMENTS else None
    if hint is Hint.NAVIGATION and not by_tag and box.role == "":
        is_menu = box.link_density >= _MENU_DENSITY or (box.chars <= _SHORT and not _has_heading(layout, box))
        return Region.NAVIGATION if is_menu else None
    return _REGIONS[hint]


def _doubt(layout: Layout) -> None:
    """Take back hints that take more sentences than they leave: no word of a name weighs that much."""
    total = layout.boxes[0].prose if layout.boxes else 0
    if total < _LEAST_PROSE:
        return
    entries = [box for box in layout.boxes if box.chars and is_entry(box.names)]
    for _ in range(_HINTS_IN_EACH_OTHER):
        if not _doubt_once(layout, total, entries):
            return


def _doubt_once(layout: Layout, total: int, entries: list[Box]) -> bool:
    """One round: what a hint that was taken back had covered may be taken by another."""
    boxes = layout.boxes
    taken: dict[_Hinted, int] = {}
    texts: dict[_Hinted, int] = {}
    within = [False] * len(boxes)  # parents come before children
    for box in boxes:
        above = boxes[box.parent] if box.parent >= 0 else None
        within[box.number] = above is not None and (within[above.number] or above.region is not None)
        if box.region is not None and not within[box.number]:
            key = _Hinted(box.region, box.tag in _BY_TAG)
            taken[key] = taken.get(key, 0) + box.prose
            texts[key] = max(texts.get(key, 0), largest_text(layout, box.first, box.last))
    left, changed = total - sum(taken.values()), False
    for key in sorted(taken, key=taken.__getitem__):
        believed = _BELIEVED_TAG if key.by_tag else _DOUBTED.get(key.region, total)
        if taken[key] > left * believed or (taken[key] > left and texts[key] * 2 > taken[key]):
            changed = _take_back(boxes, key, entries) or changed
            left += taken[key]
    return changed


def _take_back(boxes: list[Box], key: _Hinted, entries: list[Box]) -> bool:
    """Whether any hint was; a margin beside what a publishing system calls the entry is one, however long."""
    changed = False
    for box in boxes:
        is_meant = box.region is key.region and (box.tag in _BY_TAG) is key.by_tag
        if not is_meant or not box.prose or box.link_density >= _MENU_DENSITY:
            continue
        if not entries or any(box.first < each.last and each.first < box.last for each in entries):
            box.region, changed = None, True
    return changed


def _is_lead(layout: Layout, box: Box) -> bool:
    """On many sites "teaser" is the name for the sentence that leads into an article."""
    if box.beside or "teaser" not in box.names.lower():
        return False
    if box.last - box.first > 1:  # a teaser leads somewhere; paragraphs that hardly do are the text
        return box.prose * 2 > box.chars and box.link_density < _LEADS
    piece = layout.pieces[box.first]
    return not box.links and piece.kind is BlockKind.TEXT and piece.is_prose


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
        if chosen.first <= number < chosen.last:
            before = Region.ASIDE
        elif piece.region is Region.MAIN and not _leads_on(layout, head, chosen.first, number):
            piece.region = before


def _dense(layout: Layout, head: int | None) -> None:
    """What stands apart from where the sentences stand together is not content."""
    prose = sum(len(p.text) for p in layout.pieces if p.region is Region.MAIN and p.is_prose)
    if prose < _LEAST_PROSE:
        return
    found = density.spans(layout)
    if not found:
        return
    inner = [False] * len(layout.pieces)
    for first, last in found:
        inner[first:last] = [True] * (last - first)
        if first and layout.pieces[first - 1].kind is BlockKind.HEADING:
            inner[first - 1] = True  # stands over it
    start = min((first for first, _ in found), default=0)
    for number, piece in enumerate(layout.pieces):
        if piece.region is Region.MAIN and not inner[number] and not _leads_on(layout, head, start, number):
            piece.region = Region.HEADER if number < start else Region.ASIDE


def _leads_on(layout: Layout, head: int | None, start: int, number: int) -> bool:
    """Whether a piece is the headline, or a sentence between it and the content, maybe set as a heading."""
    if head is None or not head < number < start:
        return number == head
    piece = layout.pieces[number]
    if piece.kind is BlockKind.HEADING:
        return len(piece.text) >= _LEAD and not piece.link_chars
    return piece.is_prose


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
    """The headline is content wherever it stands, and so are sentences that go with it in a header."""
    pieces, box = layout.pieces, layout.boxes[layout.pieces[head].box]
    was, pieces[head].region = pieces[head].region, Region.MAIN
    last = layout.boxes[box.parent].last if box.parent > 0 else box.last
    for piece in pieces[head + 1 : min(last, head + 1 + _LEAD_WITHIN)]:
        if piece.region is was is Region.HEADER and piece.is_prose and not piece.link_chars:
            piece.region = Region.MAIN
