"""Workers killed at random: nothing is lost, nothing is stored twice, nobody is asked too early."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.kills import Options, run_kills


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("engine", "frontier"), [("sqlite", "sql"), ("postgresql", "valkey")])
def test_ten_kills_of_three_workers_cost_no_more_than_what_was_in_flight(
    engine: str, frontier: str, tmp_path: Path
) -> None:
    """Sites with sitemap indexes, feeds, images and redirects; `./dev lab kills` has as many as one likes."""
    told = {"kills": 10, "pages": 500, "hosts": 20, "workers": 3, "seed": 20261115}
    outcome = run_kills(Options(**told, engine=engine, frontier=frontier, lists=True), tmp_path)
    assert outcome.ok, str(outcome.report)
    assert len(outcome.kills) == 10
    assert outcome.in_flight >= 7
