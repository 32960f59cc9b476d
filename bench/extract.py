"""Main text: word F1 and CPU per page on pages whose text is known, beside trafilatura's on the same pages.

    python -m bench extract [FOLDER] [--pages]
    python -m bench extract --real FILE.zip [--whole]

Both read the same bytes in one run. Ours is parse, plain text, Markdown and fingerprints; trafilatura's is
its text with tables and without comments, in its fast and in its careful mode, and its Markdown. F1 is over
the words of a page, each counted as often as it stands there. `--real` scores real pages (`extract_real`
says how), with readability-lxml and resiliparse beside; `--whole` times a reading with relevance, records and
contacts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import NamedTuple

from bench import extract_real
from bench.crawlers import OTHERS
from surveyor.extract.pagetext import text_of
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import Page
from surveyor.net.charset import decode_text
from surveyor.profiles import loader
from surveyor.words import tokens

GOLD = Path(__file__).parents[1] / "tests/data/gold"
# CPU time, and the best round: other programs on the machine must not show in the figures.
ROUNDS = 5
TODAY = date(2026, 11, 15)
_GROUND = ProfileView.of(loader.load("funding"))


class Known(NamedTuple):
    name: str
    page: Page
    text: str


Extractor = Callable[[Page], str]


def ours(page: Page) -> str:
    return text_of(parse(page, _GROUND)).text


def _theirs(**options: object) -> Extractor:
    import trafilatura

    def extract(page: Page) -> str:
        html, _ = decode_text(page.body, page.content_type)
        text = trafilatura.extract(html, include_comments=False, include_tables=True, **options)
        return text or ""

    return extract


def extractors() -> dict[str, Extractor]:
    found: dict[str, Extractor] = {"surveyor": ours}
    if find_spec("trafilatura") is not None:
        found["trafilatura fast"] = _theirs(output_format="txt", fast=True)
        found["trafilatura"] = _theirs(output_format="txt")
        found["trafilatura precise"] = _theirs(output_format="txt", favor_precision=True)
        found["trafilatura md"] = _theirs(output_format="markdown", fast=True)
    return found


def _readability(page: Page) -> str:
    from readability import Document

    html, _ = decode_text(page.body, page.content_type)
    return extract_real.text_of_markup(Document(html).summary())


def _resiliparse(page: Page) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    html, _ = decode_text(page.body, page.content_type)
    return str(extract_plain_text(html, main_content=True, alt_texts=False))


def others() -> dict[str, Extractor]:
    """What is compared on real pages, as far as it is installed."""
    found = {name: one for name, one in extractors().items() if name != "trafilatura md"}
    if find_spec("readability") is not None:
        found["readability-lxml"] = _readability
    if find_spec("resiliparse") is not None:
        found["resiliparse"] = _resiliparse
    return found


@cache
def _reader() -> Reader:
    return Reader(_GROUND)


def _whole(page: Page) -> str:
    return _reader().read(page).text.text


def real(archive: Path, *, whole: bool) -> int:
    """Score real pages, or time whole readings of them; a missing file is said and no fault."""
    if not archive.exists():
        print(f"{archive} is missing: real pages are not measured")
        return 0
    pages = extract_real.load(archive)
    size = fmean(len(each.page.body) for each in pages) / 1e3
    print(f"{len(pages)} real pages of {archive.name}, {size:.0f} KB each on average")
    if whole:
        compared = {
            "surveyor, whole": _whole,
            **{k: v for k, v in others().items() if k == "trafilatura fast"},
        }
    else:
        compared = others()
    figures_of = {
        name: extract_real.print_run(name, extract_real.run(one, pages), pages)
        for name, one in compared.items()
    }
    if whole:
        return 0
    keys = [key for key in figures_of["surveyor"] if key[1] == "all"]
    rest = [figures for name, figures in figures_of.items() if name != "surveyor"]
    behind = [
        key
        for key in keys
        if figures_of["surveyor"][key].f1 < max((one[key].f1 for one in rest), default=0) - 0.005
    ]
    return 1 if behind else 0


def known_pages(folder: Path) -> list[Known]:
    pages = []
    for answer in sorted(folder.glob("*.json")):
        known = json.loads(answer.read_text(encoding="utf-8"))
        body = answer.with_suffix(".html").read_bytes()
        pages.append(Known(answer.stem, Page(known["url"], body, "text/html", TODAY), known["main_text"]))
    return pages


def f1(found: str, known: str) -> float:
    mine, theirs = Counter(tokens(found)), Counter(tokens(known))
    both = (mine & theirs).total()
    if not mine and not theirs:
        return 1.0
    return 2 * both / (mine.total() + theirs.total())


def _milliseconds(extract: Extractor, pages: Sequence[Known]) -> float:
    """CPU time per page, in the best round."""
    rounds = []
    for _ in range(ROUNDS):
        begun = process_time()
        for known in pages:
            extract(known.page)
        rounds.append(process_time() - begun)
    return min(rounds) / len(pages) * 1e3


def _elsewhere(argv: Sequence[str]) -> int | None:
    """Run where trafilatura is installed, if it is not here and there is such a place."""
    if find_spec("trafilatura") is not None or not (OTHERS / "python").exists():
        return None
    root = Path(__file__).parents[1]
    return subprocess.run(
        [OTHERS / "python", "-m", "bench", "extract", *argv], cwd=root, check=False
    ).returncode


def _folder() -> Path:
    return GOLD / "judge" if (GOLD / "judge").is_dir() else GOLD / "tune"


def main(argv: Sequence[str]) -> int:
    if (done := _elsewhere(argv)) is not None:
        return done
    parser = argparse.ArgumentParser(prog="./dev bench extract", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=_folder())
    parser.add_argument("--pages", action="store_true", help="the F1 of every page")
    parser.add_argument("--real", type=Path, metavar="ZIP", help="real pages with what must be found on them")
    parser.add_argument("--whole", action="store_true", help="time whole readings of the real pages")
    asked = parser.parse_args(argv)
    if asked.real is not None:
        return real(asked.real, whole=asked.whole)
    pages = known_pages(asked.folder)
    if not pages:
        print(
            f"{asked.folder} has no pages with answers; name a folder of NNN.html and NNN.json",
            file=sys.stderr,
        )
        return 2
    scores: dict[str, list[float]] = {}
    print(f"{len(pages)} pages of {asked.folder}")
    for name, extract in extractors().items():
        scores[name] = [f1(extract(known.page), known.text) for known in pages]
        print(
            f"{name:20} F1 mean {fmean(scores[name]):.3f}  median {median(scores[name]):.3f}"
            f"  worst {min(scores[name]):.3f}   {_milliseconds(extract, pages):6.2f} ms CPU per page"
        )
    if asked.pages:
        for place, known in enumerate(pages):
            print(f"{known.name[:40]:40}", *(f"{name} {scores[name][place]:.3f}  " for name in scores))
    best = max((fmean(each) for name, each in scores.items() if name != "surveyor"), default=0.0)
    return 0 if fmean(scores["surveyor"]) >= best else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
