"""How good extraction is on pages whose answers are known; the half that nobody reads sets the bar."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.extract_report import measure

GOLD = Path(__file__).parents[2] / "data" / "gold"
# What a curator can work with: nine of ten fields right, three of four there found.
PRECISION, RECALL = 0.90, 0.75


@pytest.mark.parametrize("half", ["tune", "judge"])
def test_extraction_is_good_enough_to_work_with(half: str) -> None:
    total = measure(GOLD / half).total
    print(f"{half}: precision {total.precision:.3f}, recall {total.recall:.3f}")
    assert total.known, "there is nothing to measure with"
    assert total.precision >= PRECISION
    assert total.recall >= RECALL
