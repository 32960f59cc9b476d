"""Move the bias of a profile's weights until as many results are expected as are wanted in a local set.

python -m tools.judge_calibrate FOLDER PROFILE [--all] [--link] [--write]

For a set whose mix is more natural than that of the training sets: every result of queries that people
would type. Nothing else is trained, and the order of results stays. Held-out queries are left out. Prints
confidence and share of wanted ones before and after, the latter by biases of the other queries.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from surveyor.judge.learned.model import probability, shipped
from surveyor.judge.learned.training import Scored
from tools import judge_figures, local_set
from tools.judge_train import examples_of, manifest, write
from tools.prior_shift import refitted, shifted


def main(arguments: list[str]) -> int:
    named = [each for each in arguments if not each.startswith("--")]
    model = shipped(named[1]) if len(named) == 2 else None
    if model is None or not Path(named[0]).is_dir():
        print("name a folder of labelled results and a profile that has weights", file=sys.stderr)  # noqa: T201
        return 2
    everything, link = local_set.read(Path(named[0])), "--link" in arguments
    learning, held_out = (everything, []) if "--all" in arguments else local_set.parted(everything)
    lines = [line for line in learning if line.profile == named[1]]
    print(f"{len(lines)} results to calibrate with; {len(held_out)} of all are held out")  # noqa: T201
    examples = examples_of(named[1], lines)
    trained = (refitted if link else shifted)(model, examples)
    _show("before", [Scored(model.total(each.features), each.wanted) for each in examples])
    _show(f"bias moved by {trained.model.bias - model.bias:.2f}", trained.unseen)
    if "--write" in arguments:
        made_from = manifest(lines, trained, model) | {"only": "slope and shift" if link else "bias"}
        write(named[1], trained.model, made_from)
    return 0


def _show(name: str, scored: Sequence[Scored]) -> None:
    figures = judge_figures.bands([(probability(each.total), each.wanted) for each in scored])
    print("\n".join([name, *figures]))  # noqa: T201


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
