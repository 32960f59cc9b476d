"""Real processes claim from one database while some are killed; and the judge of it can say no."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.claim_log import judge
from lab.claims import Plan, run
from tests.support.size import size


@pytest.mark.slow
async def test_no_domain_is_in_two_hands_at_one_database_time(db_url: str, tmp_path: Path) -> None:
    claims, kills = size(600, 5_000), size(2, 5)
    plan = Plan(claims=claims, workers=4, domains=60, kills=kills, seed=20260706, victim_seconds=0.5)
    report = await run(plan, db_url, tmp_path)
    assert report.is_sound, report.summary()
    assert report.verdict.claims >= plan.claims
    assert report.kills == plan.kills
    assert report.taken_over >= 1, "what the killed held went on in other hands"
    assert report.verdict.stale_tried >= claims // 15


_TOOK = ["took", 1, 1, 100, 900]  # domain 1, epoch 1, from 100, a lease until 900


def _ledgers(folder: Path, **told: list[list[Any]]) -> list[Path]:
    for worker, facts in told.items():
        lines = "".join(json.dumps(fact) + "\n" for fact in facts)
        (folder / f"{worker}.ledger").write_text(lines)
    return sorted(folder.glob("*.ledger"))


def test_the_judge_accepts_one_hold_after_the_other(tmp_path: Path) -> None:
    verdict = judge(
        _ledgers(
            tmp_path,
            a=[["asked", 2, 1], ["took", 1, 1, 100, 900], ["stopped", 1, 1, 200]],
            b=[["asked", 1, 1], ["took", 1, 2, 200, 900], ["kept", 1, 2, 1500], ["stopped", 1, 2, 1400]],
        ),
        {},
    )
    assert (verdict.claims, verdict.violations) == (2, 0)


@pytest.mark.parametrize(
    ("first", "second", "killed", "found"),
    [
        (
            [["took", 1, 1, 100, 900], ["stopped", 1, 1, 300]],
            [["took", 1, 2, 299, 900]],
            {},
            "overlaps",
        ),
        ([_TOOK], [["took", 1, 2, 899, 2000]], {}, "overlaps"),
        ([_TOOK], [["took", 1, 2, 400, 2000]], {"a": 401}, "overlaps"),
        ([_TOOK], [["took", 1, 1, 950, 2000]], {}, "overlaps"),
        ([["took", 1, 2, 100, 900]], [["took", 1, 1, 950, 2000]], {}, "epochs_out_of_order"),
        ([["asked", 3, 4]], [], {}, "over_claims"),
        ([["stale", 3, 1]], [], {}, "stale_accepted"),
        ([_TOOK, ["lost", 1, 1, 899]], [], {}, "lost_alive"),
    ],
)
def test_the_judge_finds_what_must_not_be(
    tmp_path: Path, first: list[list[Any]], second: list[list[Any]], killed: dict[str, int], found: str
) -> None:
    verdict = judge(_ledgers(tmp_path, a=first, b=second), killed)
    assert (getattr(verdict, found), verdict.violations) == (1, 1)


def test_the_judge_knows_that_a_killed_worker_acts_no_more(tmp_path: Path) -> None:
    facts = {"a": [["took", 1, 1, 100, 900]], "b": [["took", 1, 2, 400, 2000]]}
    assert judge(_ledgers(tmp_path, **facts), {"a": 399}).violations == 0
    assert judge(_ledgers(tmp_path, **facts), {}).violations == 1
