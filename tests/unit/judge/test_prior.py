"""A model for results of another mix: its bias moves, its order stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.judge.learned import quality
from surveyor.judge.learned.features import Features
from surveyor.judge.learned.model import Model, probability
from surveyor.judge.learned.training import Example, Scored
from tools import judge_calibrate
from tools.prior_shift import refitted, shift_of, shifted

TOO_SURE = Model(1.0, {"we": 1.5, "reports": -1.5}, {})


def examples() -> list[Example]:
    """A quarter is wanted; nearly all of these speak of themselves, and some others do."""
    made = []
    for number in range(160):
        wanted = number % 4 == 0
        sign = "we" if wanted or number % 5 == 0 else "reports"
        made.append(Example(Features({}, {sign: 1.0}), wanted, f"query {number // 8}"))
    return made


def test_as_many_are_expected_as_are_wanted_and_the_order_is_kept() -> None:
    made = examples()
    moved = shifted(TOO_SURE, made).model
    assert sum(probability(moved.total(each.features)) for each in made) == pytest.approx(40, abs=0.1)
    assert (moved.signs, moved.hashed) == (TOO_SURE.signs, TOO_SURE.hashed) and moved.bias < TOO_SURE.bias
    before, after = (
        quality.auc([(model.total(each.features), each.wanted) for each in made])
        for model in (TOO_SURE, moved)
    )
    assert before == after


def test_a_model_whose_logit_bends_is_moved_below_the_bend() -> None:
    made = examples()
    moved = shifted(replace(TOO_SURE, bend=0.5), made).model
    assert sum(probability(moved.total(each.features)) for each in made) == pytest.approx(40, abs=0.1)
    assert moved.bend == 0.5


def test_each_example_is_measured_with_a_bias_of_other_queries() -> None:
    made = examples()
    lone = Example(Features({}, {"we": 1.0}), True, "a query of its own")
    trained = shifted(TOO_SURE, [*made, *[lone] * 200])
    of_others = shift_of([Scored(TOO_SURE.total(each.features), each.wanted) for each in made])
    assert len(trained.unseen) == 360
    assert trained.unseen[-1].total - TOO_SURE.total(lone.features) == pytest.approx(of_others, abs=0.5)


def test_refitted_a_model_says_how_many_are_wanted_at_both_ends_and_keeps_the_order() -> None:
    made = examples()
    trained = refitted(TOO_SURE, made)
    for sign, wanted in (("we", 40 / 64), ("reports", 0.0)):
        said = probability(trained.model.total(Features({}, {sign: 1.0})))
        assert said == pytest.approx(wanted, abs=0.05)
    assert trained.model.bend < 1.0 and trained.model.signs.keys() == TOO_SURE.signs.keys()


def test_refitted_each_example_is_measured_by_other_queries() -> None:
    lone = Example(Features({}, {"we": 1.0}), True, "a query of its own")
    trained = refitted(TOO_SURE, [*examples(), *[lone] * 200])
    said = trained.model.total(lone.features)
    assert len(trained.unseen) == 360 and trained.unseen[-1].total < said - 0.5


@given(st.lists(st.tuples(st.floats(-6, 6), st.booleans()), min_size=2))
def test_a_shift_is_found_wherever_both_kinds_are_there(scored: list[tuple[float, bool]]) -> None:
    pairs = [Scored(*each) for each in scored]
    shift, wanted = shift_of(pairs), sum(each.wanted for each in pairs)
    if 0 < wanted < len(pairs):
        expected = sum(probability(each.total + shift) for each in pairs)
        assert expected == pytest.approx(wanted, abs=0.01 * len(pairs))
    else:
        assert shift == 0.0


def test_a_profile_without_weights_is_refused(tmp_path: Path) -> None:
    assert judge_calibrate.main([str(tmp_path), "images"]) == 2
    assert judge_calibrate.main([str(tmp_path)]) == 2
