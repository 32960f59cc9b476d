"""Forbidden addresses in every spelling, by every way, in a network where each of them would answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.guard import NoNamespace, Plan, run_guard


@pytest.mark.timeout(120)
def test_nothing_leads_to_a_forbidden_address_and_everything_public_is_reached(tmp_path: Path) -> None:
    try:
        report = run_guard(Plan(every_way=False, domains=20), tmp_path)
    except NoNamespace as why:
        pytest.skip(f"a network of its own cannot be made here: {why}")
    assert report.is_sound, str(report)
    assert min(report.tried.values()) >= 20, report.tried
    assert report.tried["page"] >= 400
