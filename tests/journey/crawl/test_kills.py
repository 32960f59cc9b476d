"""Workers killed at random: nothing is lost, nothing is stored twice, nobody is asked too early."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.kills import Options, run_kills
from tests.support.size import size

pytestmark = pytest.mark.slow
KILLS = size(4, 20)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("engine", "frontier"), [("sqlite", "sql"), ("postgresql", "valkey")])
def test_kills_of_three_workers_cost_no_more_than_what_was_in_flight(
    engine: str, frontier: str, tmp_path: Path
) -> None:
    """Sites with sitemap indexes, feeds, images and redirects; `./dev lab kills` has as many as one likes."""
    hosts = size(6, 20)
    told = {"kills": KILLS, "pages": 20 * hosts, "hosts": hosts, "workers": 3, "seed": 20261115}
    outcome = run_kills(Options(**told, engine=engine, frontier=frontier, lists=True), tmp_path)
    assert outcome.ok, str(outcome.report)
    assert len(outcome.kills) == KILLS
    assert outcome.in_flight > KILLS // 2
