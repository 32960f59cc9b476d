"""Make the weights of `surveyor.extract.scoring` out of labelled pages, and measure them on unseen sites.

    python -m tools.records_train SET.zip... [--articles real-pages.zip] [--on-top] [--write [--only offers]]

A set is a file of `tools.real_records`; of one with halves, name only what may be learned from (`--tuning`
takes that half alone). The pages of `tests/data` are learned from as well, and articles as pages that offer
nothing. Sites are left out in turn, weights are learned from the others, and what they choose on the pages
left out is counted: that is the figure that counts. Nothing of the pages is kept but the weights. `--only`
makes those anew whose names begin so, and keeps the others as they are. With `--on-top` the present weights
are where learning starts and what it is drawn to, for pages that are no longer at hand; sites left out then
say how well the new pages add to them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import ZipFile

from bench import extract_real
from surveyor.extract import scoring
from surveyor.extract.analysis import Analysis
from surveyor.extract.fields import who
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.records import gate
from surveyor.extract.values import Page
from surveyor.profiles import loader
from tools import real_records
from tools.extract_report import TODAY
from tools.logistic import Row, learn

WEIGHTS: Final = Path(scoring.__file__).parent / "weights.json"
COMPOSED: Final = Path(__file__).parents[1] / "tests/data"
WITH_WHO: Final = ("funding_program", "service")
_LEASTS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
# What a page that was composed here counts beside a real one.
_COMPOSED: Final = 0.3
# Parts into which sites are cut.
_PARTS: Final = 20


class Known(NamedTuple):
    """A page and the records a curator would write down of it."""

    site: str
    page: Analysis
    records: Sequence[Mapping[str, Any]]
    weight: float = 1.0


class Question(NamedTuple):
    """Candidates of which at most a few are right; none at all may be."""

    site: str
    rows: list[Row]
    is_answered: bool
    """Whether the page says it."""


def who_questions(pages: Iterable[Known]) -> Iterator[Question]:
    """On pages with one record of a kind: which sentence says who may come."""
    for site, page, records, weight in pages:
        for kind in WITH_WHO:
            wanted = [one for one in records if one["kind"] == kind and not one.get("optional")]
            if len(wanted) != 1 or "eligibility" in wanted[0].get("neutral", {}):
                continue
            right = real_records.right_values(wanted[0], "eligibility")
            rows = [
                Row(
                    one.signs,
                    any(real_records.is_right("eligibility", one.text, each) for each in right),
                    weight,
                )
                for one in who.candidates(page.facts, kind, page.document.language)
            ]
            yield Question(site, rows, bool(right))


def gate_questions(pages: Iterable[Known], kind: str) -> Iterator[Question]:
    """Whether a page offers something of a kind; one that a curator may leave out says nothing."""
    for site, page, records, weight in pages:
        of_kind = [one for one in records if one["kind"] == kind]
        is_offer = any(not one.get("optional") for one in of_kind)
        if is_offer or not of_kind:
            yield Question(site, [Row(tuple(gate.signs(page, kind)), is_offer, weight)], is_offer)


def left_out(questions: Sequence[Question], before: Mapping[str, float]) -> list[tuple[float, bool, bool]]:
    """Per question, by weights that never met its site: the best chance, whether it is right, if answered."""
    parts = [sha256(one.site.encode()).digest()[0] % _PARTS for one in questions]
    scored = []
    for part in sorted(set(parts)):
        rows = [row for one, where in zip(questions, parts, strict=True) if where != part for row in one.rows]
        known = learn(rows, before)
        for one, where in zip(questions, parts, strict=True):
            if where == part:
                totals = [(scoring.total(row.signs, known), -place) for place, row in enumerate(one.rows)]
                value, place = max(totals, default=(-scoring.FAR, 0))
                is_right = bool(one.rows) and one.rows[-place].is_right
                scored.append((scoring.chance(value), is_right, one.is_answered))
    return scored


def shown(scored: Sequence[tuple[float, bool, bool]]) -> Iterator[str]:
    answered = sum(one[2] for one in scored)
    for least in _LEASTS:
        found = [one for one in scored if one[0] >= least]
        right = sum(one[1] for one in found)
        yield f"  from {least:.1f}: {right} right of {len(found)} found, {answered} there"


# ---------------------------------------------------------------------------------------------------- pages


def pages_of(archive: Path, *, only_tuning: bool) -> Iterator[Known]:
    with ZipFile(archive) as pack:
        for known in json.loads(pack.read("gold.json"))["pages"]:
            if not only_tuning or real_records.is_for_tuning(known["source"]):
                site = known["source"].partition(":")[0].partition("+")[0]
                yield Known(site, _page(known, pack.read(f"pages/{known['file']}")), known["records"])


def composed_pages() -> Iterator[Known]:
    """Pages that come with the tests, but for those that judge."""
    for answer in sorted([*(COMPOSED / "gold/tune").glob("*.json"), *(COMPOSED / "contacts").glob("*.json")]):
        known = json.loads(answer.read_text(encoding="utf-8"))
        if answer.parent.name == "contacts" and known["profile"] == "funding":
            continue  # whoever wrote these answers left programmes out
        page = _page(known, answer.with_suffix(".html").read_bytes())
        yield Known(answer.stem, page, _flat(known), _COMPOSED)
    folder = COMPOSED / "programmes"
    for name, known in json.loads((folder / "answers.json").read_text(encoding="utf-8")).items():
        body = (folder / f"{name}.html").read_bytes()
        page = _page({"url": "https://www.giver.example/page", **known}, body)
        yield Known(name, page, _flat(known), _COMPOSED)


def article_pages(archive: Path) -> Iterator[Known]:
    """Real articles and other pages of the press, which offer nothing; not those held back."""
    for one in extract_real.load(archive):
        if not one.is_held_back:
            view = ProfileView.of(loader.load("community"))
            yield Known(one.name, Analysis(parse(one.page, view), view), ())


def _flat(known: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{"kind": one["kind"], **one["fields"]} for one in known["records"]]


def _page(known: Mapping[str, Any], body: bytes) -> Analysis:
    view = ProfileView.of(loader.load(known["profile"]))
    return Analysis(parse(Page(known["url"], body, "text/html", TODAY), view), view)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.records_train", description=__doc__)
    parser.add_argument("sets", type=Path, nargs="*", metavar="ZIP")
    parser.add_argument("--tuning", type=Path, action="append", default=[], metavar="ZIP")
    parser.add_argument("--articles", type=Path, metavar="ZIP")
    parser.add_argument("--only", default="", metavar="NAME", help="weights whose names begin so")
    parser.add_argument("--on-top", action="store_true", help="start from the present weights")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    asked = parser.parse_args(arguments)
    pages = [one for archive in asked.sets for one in pages_of(archive, only_tuning=False)]
    pages += [one for archive in asked.tuning for one in pages_of(archive, only_tuning=True)]
    pages += composed_pages()
    articles = list(article_pages(asked.articles)) if asked.articles else []
    jobs = {"who": list(who_questions(pages))}
    jobs |= {f"offers {kind}": list(gate_questions([*pages, *articles], kind)) for kind in gate.KINDS}
    made = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    for name, questions in jobs.items():
        if not name.startswith(asked.only):
            continue
        print(f"{name}: {len(questions)} questions, sites left out in turn")  # noqa: T201
        before = made[name] if asked.on_top else {}
        print("\n".join(shown(left_out(questions, before))))  # noqa: T201
        made[name] = learn([row for one in questions for row in one.rows], before)
    if asked.write:
        WEIGHTS.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
