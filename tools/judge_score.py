"""How well results are judged on a local set of labelled results: rules alone and learned, per language.

python -m tools.judge_score FOLDER [--all] [--not-met]

Scores the held-out third of the queries, without addresses that were learned from; `--all` scores every line.
Prints AUC, precision where 80 % are found and at the threshold, and wanted ones among the first 20 of a queue
of 100: for the rules, the learned judge and the mean of both, per language, and as if the region did not
matter; how far confidence is the share of wanted ones; what is turned away as spam. `--not-met` adds the
learning curve and what a model makes of a language or a kind it never met, over the lines that may be learned
from: minutes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

from surveyor.judge.learned import quality
from surveyor.judge.learned.model import shipped
from surveyor.judge.panel import Panel
from surveyor.profiles import loader
from tools import judge_figures, local_set, ranking
from tools.local_set import Line

_QUEUE, _FIRST, _QUEUES = 100, 20, 200
# Lines of a language before it is shown apart.
_LEAST = 40

Scored = Sequence[tuple[float, bool]]


def first_of_queue(scored: Scored) -> float:
    """Wanted ones among the first 20 of a queue of 100, on average over queues drawn with a fixed seed."""
    if len(scored) < _QUEUE:
        return float("nan")
    draw = random.Random(20)
    total = 0
    for _ in range(_QUEUES):
        queue = sorted(draw.sample(list(scored), _QUEUE), key=lambda each: -each[0])
        total += sum(wanted for _, wanted in queue[:_FIRST])
    return total / _QUEUES


def summary(name: str, scored: Scored, threshold: float) -> str:
    precision, _ = ranking.precision_at_recall(scored, 0.8)
    at, recall = quality.at_threshold(scored, threshold)
    wanted = sum(each[1] for each in scored)
    return (
        f"{name:24} {len(scored):5} results, {wanted:4} wanted  AUC {quality.auc(scored):.3f}  "
        f"precision {precision:.2f} at recall 0.80  "
        f"at {threshold:.2f}: precision {at:.2f} recall {recall:.2f}  "
        f"first 20 of 100: {first_of_queue(scored):.1f}"
    )


def _scored(panel: Panel, lines: Sequence[Line]) -> Scored:
    return [(float(panel.judge(line.hit).confidence), line.wanted) for line in lines]


def report(profile: str, lines: Sequence[Line]) -> list[str]:
    loaded = loader.load(profile)
    rules, learned = Panel(loaded), Panel(loaded, model=shipped(profile))
    by_rules, scored = _scored(rules, lines), _scored(learned, lines)
    halves = [((one + other) / 2, wanted) for (one, wanted), (other, _) in zip(by_rules, scored, strict=True)]
    rejecting, anywhere = (
        _scored(Panel(judge_figures.with_policy(loaded, policy), model=shipped(profile)), lines)
        for policy in ("reject", "ignore")
    )
    threshold = float(learned.threshold)
    found = [
        summary(f"{profile} rules alone", by_rules, float(rules.threshold)),
        summary(f"{profile} learned", scored, threshold),
        summary(f"{profile} mean of both", halves, threshold),
        summary("  region policy: reject", rejecting, threshold),
        summary("  region policy: ignore", anywhere, threshold),
        summary("  and wanted anywhere", judge_figures.by_subject(lines, anywhere), threshold),
    ]
    for language in sorted({line.lang for line in lines}):
        part = [each for line, each in zip(lines, scored, strict=True) if line.lang == language]
        if len(part) >= _LEAST:
            found.append(summary(f"  {language}", part, float(learned.threshold)))
    return [*found, *judge_figures.bands(scored), *judge_figures.spam(lines)]


def main(arguments: list[str]) -> int:
    folders = [Path(each) for each in arguments if not each.startswith("--")]
    if len(folders) != 1 or not folders[0].is_dir():
        print("name one folder of labelled results: python -m tools.judge_score FOLDER", file=sys.stderr)  # noqa: T201
        return 2
    everything = local_set.read(folders[0])
    learning, held_out = local_set.parted(everything)
    known = {line.hit.url for line in learning}
    lines = everything if "--all" in arguments else [line for line in held_out if line.hit.url not in known]
    for profile in sorted({line.profile for line in lines}):
        print("\n".join(report(profile, [line for line in lines if line.profile == profile])))  # noqa: T201
        if "--not-met" in arguments:
            part = [line for line in learning if line.profile == profile]
            print("\n".join(judge_figures.not_met(profile, part)))  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
