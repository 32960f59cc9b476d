"""Workers killed at random: nothing is lost, nothing is stored twice, nobody is asked too early."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.kills import Options, run_kills


@pytest.mark.timeout(600)
@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_ten_kills_of_three_workers_cost_no_more_than_what_was_in_flight(engine: str, tmp_path: Path) -> None:
    """`./dev lab kills` has as many as one likes."""
    outcome = run_kills(
        Options(kills=10, pages=1_000, hosts=20, workers=3, engine=engine, seed=20261115), tmp_path
    )
    assert outcome.ok, str(outcome.report)
    assert len(outcome.kills) == 10
    assert outcome.in_flight >= 7
