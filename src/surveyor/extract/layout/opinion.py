"""A second opinion on what is content, where the rules leave many sentences out or keep scattered ones.

Learned trees (`forest.json`, made by `tools.text_train`) give each unit of such a page a chance to be
content. They overrule the rules only where they are sure; on all other pages nothing is asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from surveyor.extract.document import Region
from surveyor.extract.layout.boxes import Layout, Piece
from surveyor.extract.layout.density import worth_of
from surveyor.extract.layout.units import Unit, units_of
from surveyor.extract.scoring import chance

# Shares of sentences below which a choice looks wrong: kept of the page, kept of the box worth most, and of
# those kept the ones in that box.
_KEPT, _OF_BEST, _IN_BEST = 0.5, 0.7, 0.7
_LEAST_PROSE: Final = 1_000  # characters of sentences; what a short page says is left to the rules
# Chances below and above which the rules are overruled.
_SURELY_NOT, _SURELY = 0.2, 0.8
_LEFT: Final = 0.2  # share of the sentences kept by the rules that the trees leave at least, or add elsewhere

# A fact, a limit, and where to go on up to it and beyond; a number at the end.
Tree = tuple[int, float, "Tree", "Tree"] | float


@cache
def forest() -> Sequence[Tree]:
    text = resources.files("surveyor.extract.layout").joinpath("forest.json").read_text("utf-8")
    return [_tree(each) for each in json.loads(text)["trees"]]


def _tree(read: Any) -> Tree:
    if isinstance(read, list):
        fact, limit, below, above = read
        return fact, limit, _tree(below), _tree(above)
    return float(read)


def second_opinion(layout: Layout, head: int | None) -> None:
    """Where the choice of the rules looks wrong, correct what the trees are sure of."""
    if not _looks_wrong(layout):
        return
    pieces = layout.pieces
    before = [piece.region is Region.MAIN for piece in pieces]
    after = list(before)
    for unit in units_of(layout, head):
        sure = chance_of(unit, forest())
        if sure <= _SURELY_NOT or sure > _SURELY:
            after[unit.first : unit.last] = [sure > _SURELY] * (unit.last - unit.first)
    if _told(pieces, after) < _told(pieces, before) * _LEFT:
        return
    for number, (piece, was, is_content) in enumerate(zip(pieces, before, after, strict=True)):
        if is_content:
            piece.region = Region.MAIN
        elif was and number != head:
            piece.region = layout.boxes[piece.box].region or Region.ASIDE


def _told(pieces: Sequence[Piece], kept: Sequence[bool]) -> int:
    """Characters of sentences that are kept."""
    return sum(
        len(piece.text) for piece, is_kept in zip(pieces, kept, strict=True) if is_kept and piece.is_prose
    )


def _looks_wrong(layout: Layout) -> bool:
    pieces = layout.pieces
    sizes = [len(piece.text) if piece.is_prose else 0 for piece in pieces]
    if sum(sizes) < _LEAST_PROSE:
        return False
    worth = worth_of(layout, [size > 0 for size in sizes])
    kept = [size if piece.region is Region.MAIN else 0 for piece, size in zip(pieces, sizes, strict=True)]
    best = layout.boxes[max(worth, key=worth.__getitem__)]
    in_best, all_kept = sum(kept[best.first : best.last]), sum(kept)
    return (
        all_kept < sum(sizes) * _KEPT
        or in_best < sum(sizes[best.first : best.last]) * _OF_BEST
        or in_best < all_kept * _IN_BEST
    )


def chance_of(unit: Unit, trees: Sequence[Tree]) -> float:
    """How likely a unit is content."""
    total, facts = 0.0, unit.facts
    for tree in trees:
        node = tree
        while isinstance(node, tuple):
            fact, limit, below, above = node
            node = below if facts[fact] <= limit else above
        total += node
    return chance(total)
