"""The judges against labelled search results; the half kept from their writer is judged where it is."""

from __future__ import annotations

import pytest

from tools.judge_report import LABELLED, tallies

FILES = {
    "judge_tune.jsonl": (0.97, 0.97),
    "judge_fresh.jsonl": (0.97, 0.97),
    "judge_fresh2.jsonl": (0.97, 0.97),
    # Never seen by whoever wrote the rules.
    "judge_judge.jsonl": (0.90, 0.85),
}


@pytest.mark.parametrize("name", FILES)
def test_the_judges_agree_with_curators(name: str) -> None:
    path = LABELLED / name
    by, wrong = tallies(path.read_text(encoding="utf-8").splitlines())
    precision, recall = FILES[name]
    told = "\n".join(f"{row['label']} {judgment.confidence} {row['title']}" for row, judgment in wrong)
    assert by["all"].precision >= precision and by["all"].recall >= recall, by["all"].summary() + "\n" + told
