"""What decisions imply about the threshold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from surveyor.judge.calibration import Decision, calibrate
from surveyor.judge.values import CONFIDENCES

DECISIONS = st.lists(st.builds(Decision, st.sampled_from(CONFIDENCES), st.booleans()), max_size=40)


def test_the_implied_threshold_parts_yes_from_no() -> None:
    decisions = [Decision(Decimal("0.40"), False), Decision(Decimal("0.72"), True)]
    assert calibrate(decisions).implied_threshold == Decimal("0.41")


def test_decisions_of_one_kind_imply_nothing() -> None:
    assert calibrate([Decision(Decimal("0.90"), True)]).implied_threshold is None


def test_bands_show_the_share_of_yes() -> None:
    decisions = [
        Decision(Decimal("1.00"), True),
        Decision(Decimal("0.90"), False),
        Decision(Decimal("0.89"), True),
    ]
    bands = calibrate(decisions).bands
    assert (bands[-1].share, bands[-2].share, bands[0].share) == (Fraction(1, 2), Fraction(1), None)


@given(DECISIONS)
def test_every_decision_is_in_one_band(decisions: list[Decision]) -> None:
    found = calibrate(decisions)
    assert sum(band.yes + band.no for band in found.bands) == found.decisions == len(decisions)


@given(DECISIONS)
def test_no_other_threshold_is_right_more_often(decisions: list[Decision]) -> None:
    implied = calibrate(decisions).implied_threshold
    if implied is None:
        return

    def right(threshold: Decimal) -> int:
        return sum(each.yes == (each.confidence >= threshold) for each in decisions)

    assert right(implied) == max(map(right, CONFIDENCES))


def test_decisions_against_the_judges_imply_no_threshold() -> None:
    decisions = [Decision(Decimal("0.10"), True), Decision(Decimal("0.90"), False)] * 3
    assert calibrate(decisions).implied_threshold is None
