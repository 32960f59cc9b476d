"""Make the trees of the second opinion on the main text, and measure them on sites they were not trained on.

    python -m tools.text_train real-pages.zip           # five parts by site, each left out in turn
    python -m tools.text_train real-pages.zip --write   # then all of them; writes layout/forest.json

Runs where the benchmarks run (`./dev bench`), with LightGBM 4 besides. Training uses the pages of the archive
that may be tuned on, and the composed pages of the tests. What a unit is there is known from the expected
rendering, from passages that are wanted or not, and else from readability-lxml and trafilatura.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from bench import extract, extract_real
from surveyor.extract import parsing
from surveyor.extract.document import BlockKind
from surveyor.extract.layout import opinion, regions, titles
from surveyor.extract.layout.boxes import Piece
from surveyor.extract.layout.units import Unit, units_of
from surveyor.extract.values import Page
from surveyor.words import tokens

FOREST = Path(__file__).parents[1] / "src/surveyor/extract/layout/forest.json"
_OPINIONS = ("readability-lxml", "trafilatura fast", "trafilatura precise")
_PARTS = 5
# What a page of each set counts, a passage that somebody named, and a label that readers differ about.
_COUNTS = {"articles": 1.5, "passages": 1.0, "composed": 0.3}
_NAMED, _AGREED, _DISPUTED = 4.0, 0.6, 0.2
_SHARED_WORDS = 60  # characters of a text by whose beginning it may be recognised
_TREES = 60
_GROWN = {
    "objective": "cross_entropy",
    "learning_rate": 0.2,
    "num_leaves": 8,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}


class Label(NamedTuple):
    """How much of something is content, and how much that counts."""

    share: float
    weight: float


@dataclass(frozen=True)
class Example:
    site: str
    set_name: str
    units: list[Unit]
    labels: list[Label]

    def part(self, count: int) -> int:
        return int(hashlib.sha256(self.site.encode()).hexdigest(), 16) % count


def examples(pages: Sequence[extract_real.RealPage]) -> Iterator[Example]:
    """Of all pages that may be tuned on, and of the composed ones."""
    readers = {name: one for name, one in extract.others().items() if name in _OPINIONS}
    for real in pages:
        texts = [] if real.expected is not None else [_said(one, real.page) for one in readers.values()]
        units, pieces = _units(real.page)
        labels = _expected(real.expected, pieces) if real.expected is not None else _agreed(texts, pieces)
        if real.expected is None:
            _name(labels, pieces, real.wanted, 1.0)
            _name(labels, pieces, real.unwanted, 0.0)
        yield Example(_site(real, pieces), real.set_name, units, _of_units(units, pieces, labels))
    for known in extract.known_pages(extract.GOLD / "tune"):
        units, pieces = _units(known.page)
        labels = _expected(extract_real.shingles(known.text), pieces)
        yield Example(known.name, "composed", units, _of_units(units, pieces, labels))


def _site(real: extract_real.RealPage, pieces: Sequence[str]) -> str:
    """Pages of one site stay together, and so do those that are filled with the same Latin."""
    return "lorem ipsum" if any("orem ipsum" in each for each in pieces) else extract_real.site_of(real)


def _said(reader: extract.Extractor, page: Page) -> str:
    try:
        return _words(reader(page))
    except Exception:  # theirs may raise on a page; then it found nothing there
        return ""


def _words(text: str) -> str:
    return f" {' '.join(tokens(text))} "


def _units(page: Page) -> tuple[list[Unit], list[str]]:
    tree = parsing.tree_of(page)
    layout = parsing.laid_out(tree)
    head = regions.by_hints(layout, titles.names_of(tree))
    return units_of(layout, head), [_plain(piece) for piece in layout.pieces]


def _plain(piece: Piece) -> str:
    if piece.kind is BlockKind.ROW:
        return "\t".join(piece.cells)
    return "\n".join(piece.lines) if piece.lines else piece.text


def _expected(known: frozenset[tuple[str, ...]], pieces: Sequence[str]) -> list[Label]:
    """By the runs of four words that a piece shares with what is known; short lines by those around them."""
    labels = []
    for text in pieces:
        own = extract_real.shingles(text)
        is_short = len(tokens(text)) < len(next(iter(known), ()))
        share = len(own & known) / max(1, len(own))
        labels.append(Label(share, 0.0 if is_short else 1.0))
    return labels


def _agreed(texts: Sequence[str], pieces: Sequence[str]) -> list[Label]:
    labels = []
    for text in pieces:
        words = _words(text)
        start = words[:_SHARED_WORDS] if len(words) > _SHARED_WORDS else words
        share = sum(start in each for each in texts) / max(1, len(texts))
        labels.append(Label(share, _AGREED if share in (0, 1) else _DISPUTED))
    return labels


def _name(labels: list[Label], pieces: Sequence[str], passages: Sequence[str], share: float) -> None:
    """Give pieces with a passage that somebody named the label it has."""
    flat = [extract_real.flat(text) for text in pieces]
    for passage in passages:
        named = extract_real.flat(passage).strip()
        found = [at for at, text in enumerate(flat) if named in text or (len(text) > 25 and text in named)]
        for at in found:
            labels[at] = Label(share, 1.0 + _NAMED / len(found) ** 0.5)


def _of_units(units: Sequence[Unit], pieces: Sequence[str], labels: Sequence[Label]) -> list[Label]:
    found = []
    for unit in units:
        sizes = [max(3, len(text)) for text in pieces[unit.first : unit.last]]
        own = list(zip(labels[unit.first : unit.last], sizes, strict=True))
        weight = sum(label.weight * size for label, size in own)
        share = sum(label.share * label.weight * size for label, size in own) / weight if weight else 0.0
        found.append(Label(share, weight * sum(sizes) ** -0.4))
    return found


def grown(examples: Sequence[Example]) -> list[opinion.Tree]:
    lightgbm: Any = importlib.import_module("lightgbm")
    numpy: Any = importlib.import_module("numpy")
    rows, shares, weights = [], [], []
    for example in examples:
        total = sum(label.weight for label in example.labels)
        for unit, label in zip(example.units, example.labels, strict=True):
            if label.weight:
                rows.append(unit.facts)
                shares.append(label.share)
                weights.append(label.weight / total * _COUNTS[example.set_name] * 100)
    data = lightgbm.Dataset(numpy.array(rows), numpy.array(shares), weight=numpy.array(weights))
    model = lightgbm.train(_GROWN, data, _TREES)
    return [_node(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]


def _node(node: dict[str, Any]) -> opinion.Tree:
    if "leaf_value" in node:
        return round(float(node["leaf_value"]), 4)
    limit = float(f"{node['threshold']:.5g}")
    return node["split_feature"], limit, _node(node["left_child"]), _node(node["right_child"])


def measure(pages: Sequence[extract_real.RealPage], known: Sequence[Example]) -> None:
    """Print how the text does on sites that the trees were not trained on, and without trees."""
    for name in ("without", "with"):
        scores: dict[int, extract_real.Score] = {}
        for part in range(_PARTS):
            others = [each for each in known if each.part(_PARTS) != part]
            trees = grown(others) if name == "with" else [0.0]
            with patch.object(opinion, "forest", return_value=trees):
                for at, real in enumerate(pages):
                    if known[at].part(_PARTS) == part:
                        scores[at] = extract_real.score(real, extract.ours(real.page))
        for set_name in ("articles", "passages"):
            own = [scores[at] for at, real in enumerate(pages) if real.set_name == set_name]
            print(f"{name:8} a second opinion, {set_name}: {extract_real.figures(set_name, own)}", flush=True)  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--write", action="store_true", help="train on all of them, and keep the trees")
    asked = parser.parse_args()
    pages = [real for real in extract_real.load(asked.archive) if not real.is_held_back]
    known = list(examples(pages))
    print(f"{len(known)} pages, {sum(len(each.units) for each in known)} units")  # noqa: T201
    if asked.write:
        trees = grown(known)
        FOREST.write_text(json.dumps({"trees": trees}, separators=(",", ":")) + "\n", "utf-8")
    else:
        measure(pages, known)


if __name__ == "__main__":
    main()
