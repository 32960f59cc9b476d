"""Make the weights of the learned judge and of the site kind judge out of a local set of labelled results.

python -m tools.judge_train FOLDER [--all] [--continue] [--write] [--curve] [--leave-out]

Held-out queries take no part; with `--all` every query of the folder does, for sets whose held-out third was
scored before and serves no longer. Prints how models of a part of the examples do on the rest; `--write` puts
the weights into the package, `--curve` shows what 25, 50 and 100 % of the examples bring, `--leave-out` how a
language or a kind of result does that the model has never met. `--continue` begins with the weights that the
package has, for a set that is smaller than theirs was, and leaves the site kind judge as it is.

The results written for the tests are learned from too, each as a tenth of a found one: search engines seldom
bring a small funder that says in plain words what it gives, and a curator wants it all the same. Lines of the
profile "spam" are spam that queries for it brought: no profile wants them, and nothing is measured on them.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from surveyor.judge.learned import quality
from surveyor.judge.learned.features import Features, of_reading
from surveyor.judge.learned.model import Model, probability, shipped
from surveyor.judge.learned.training import Example, Trained, left_out, train
from surveyor.judge.reading import Reader
from surveyor.judge.signs import signs_of, site_of
from surveyor.judge.vocabulary import Vocabulary
from surveyor.profiles import loader
from tools import local_set, ranking
from tools.local_set import Line

WRITTEN = tuple(
    Path(__file__).parents[1] / f"tests/data/labelled/{name}.jsonl"
    for name in ("judge_tune", "judge_fresh", "judge_fresh2", "judge_plain")
)
# How much of a found result a written one is: less, and plain funders are lost; more, and the found ones are.
_WRITTEN_WEIGHT = 0.1
# The profile of lines that are spam.
SPAM = "spam"
WEIGHTS = Path(__file__).parents[1] / "src/surveyor/judge/learned/weights"
PROFILES = ("funding", "community")
# Where contrast helps a model that is trained further; found by cross-validation.
CONTRASTED = ("funding",)
# How strongly a model that is trained further is held where it begins; found by cross-validation as well.
HELD = 4.0
# Kinds that speak for themselves, and kinds that write about others. The rest says nothing about it.
OWN = {"own_site", "government", "university", "recipient", "consultant", "business"}
OTHERS = {
    "news", "blog", "how_to", "aggregator", "directory", "document_host", "shop", "job_advert", "forum",
    "social", "wiki", "research", "spam",
}  # fmt: skip


# Lines of a language or a kind before it is left out, and the probability from which a result passes.
_ENOUGH = 20
_HALF = 0.5


def examples_of(profile: str, lines: Sequence[Line]) -> list[Example]:
    """Each line as the learned judge sees it."""
    reader = Reader(loader.load(profile), with_signs=True)
    return [Example(of_reading(reader.read(line.hit)), line.wanted, line.query) for line in lines]


def contrast_of(profile: str, lines: Sequence[Line]) -> list[Example]:
    """Own sites found by searches for something else: a bakery speaks for itself, and is no funder."""
    others = [line._replace(wanted=False) for line in lines if line.profile != profile and line.kind in OWN]
    return examples_of(profile, others)


def written_of(profile: str) -> list[Example]:
    """Results that were written for the tests; those that measure the judges are not among them."""
    lines = [line for file in WRITTEN for line in local_set.read_file(file) if line.profile == profile]
    return [example._replace(weight=_WRITTEN_WEIGHT) for example in examples_of(profile, lines)]


def spam_of(profile: str, lines: Sequence[Line]) -> list[Example]:
    """Essay mills and escorts speak for themselves as a place does, and say when they are open."""
    return examples_of(profile, [line._replace(wanted=False) for line in lines if line.profile == SPAM])


def site_examples(lines: Sequence[Line]) -> list[Example]:
    """Signs that no profile adds to: what kind of site it is does not depend on what one looks for."""
    made, vocabulary = [], Vocabulary()
    for line in lines:
        if line.kind in OWN | OTHERS:
            hit = line.hit
            text, site = vocabulary.read(hit.title, hit.description), site_of(line.domain)
            signs = signs_of(hit.url, hit.title, hit.description, site, text, vocabulary)
            made.append(Example(Features({}, signs), line.kind in OWN, line.query))
    return made


def shown(name: str, trained: Trained) -> str:
    scored = [(probability(each.total), each.wanted) for each in trained.unseen]
    precision, cut = ranking.precision_at_recall(scored, 0.8)
    wanted = sum(each.wanted for each in trained.unseen)
    return (
        f"{name:10} {len(scored):5} results, {wanted} wanted: AUC {quality.auc(scored):.3f}, "
        f"precision {precision:.3f} at recall 0.80 (from {cut:.2f})"
    )


def without_each(
    lines: Sequence[Line], examples: Sequence[Example], contrast: Sequence[Example]
) -> list[str]:
    """Each language and each kind, scored by a model that was trained without it."""
    found = []
    for what, of in (("language", attrgetter("lang")), ("kind", attrgetter("kind"))):
        counts = Counter(of(line) for line in lines)
        for value in sorted(each for each, count in counts.items() if count >= _ENOUGH):
            scored = left_out(examples, [of(line) == value for line in lines], contrast)
            pairs = [(probability(each.total), each.wanted) for each in scored]
            wanted = sum(each.wanted for each in scored)
            # A kind is mostly wanted or mostly not: then only how many pass can be told.
            mixed = min(wanted, len(scored) - wanted) >= _ENOUGH // 4
            figure = f"AUC {quality.auc(pairs):.3f}" if mixed else f"passed {_passed(pairs):.2f}"
            found.append(f"  without {what} {value:18} {len(scored):4} results, {wanted:3} wanted: {figure}")
    return found


def _passed(scored: Sequence[tuple[float, bool]]) -> float:
    return sum(score >= _HALF for score, _ in scored) / len(scored)


def manifest(lines: Sequence[Line], trained: Trained, before: Model | None) -> dict[str, Any]:
    scored = [(probability(each.total), each.wanted) for each in trained.unseen]
    begun = {"before": before.manifest} if before is not None else {}
    return begun | {
        "results": len(lines),
        "wanted": sum(line.wanted for line in lines),
        "queries": len({line.query for line in lines}),
        "languages": dict(sorted(Counter(line.lang for line in lines).items())),
        "kinds": dict(sorted(Counter(line.kind for line in lines).items())),
        "digest": local_set.digest(lines),
        "auc_unseen": round(quality.auc(scored), 3),
    }


def write(name: str, model: Model, made_from: dict[str, Any]) -> None:
    full = replace(model, manifest=made_from)
    WEIGHTS.mkdir(exist_ok=True)
    # No time in it: the same examples give the same file.
    (WEIGHTS / f"{name}.json.gz").write_bytes(gzip.compress(full.to_bytes(), 9, mtime=0))


def main(arguments: list[str]) -> int:
    folders = [Path(each) for each in arguments if not each.startswith("--")]
    if len(folders) != 1 or not folders[0].is_dir():
        print("name one folder of labelled results: python -m tools.judge_train FOLDER", file=sys.stderr)  # noqa: T201
        return 2
    everything = local_set.read(folders[0])
    learning, held_out = (everything, []) if "--all" in arguments else local_set.parted(everything)
    print(f"{len(learning)} results to learn from, {len(held_out)} held out and not looked at")  # noqa: T201
    goes_on = "--continue" in arguments
    jobs = [] if goes_on else [("site_kind", site_examples(learning), list[Example](), learning)]
    for profile in PROFILES:
        lines = [line for line in learning if line.profile == profile]
        contrast = contrast_of(profile, learning) if profile in CONTRASTED or not goes_on else []
        contrast += [*spam_of(profile, learning), *written_of(profile)]
        jobs.append((profile, examples_of(profile, lines), contrast, lines))
    for name, examples, contrast, lines in jobs:
        begin = shipped(name) if goes_on else None
        held = HELD if goes_on else 1.0
        if "--curve" in arguments:
            for share in (4, 2):
                part = [example for example in examples if sum(example.group.encode()) % share == 0]
                print(shown(f"{name} 1/{share}", train(part, begin, contrast, held)))  # noqa: T201
        trained = train(examples, begin, contrast, held)
        print(shown(name, trained))  # noqa: T201
        if "--leave-out" in arguments and name in PROFILES:
            print("\n".join(without_each(lines, examples, contrast)))  # noqa: T201
        if "--write" in arguments:
            made_from = manifest(lines, trained, begin) | ({"held": held} if goes_on else {})
            write(name, trained.model, made_from)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
