"""How long we stay away, as a pure question; what the store does with it is a contract."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.registry.cooldowns import AUTOMATIC_PROBES, COOLDOWNS, Obstacle, rest
from surveyor.registry.lifecycle import CrawlStatus


def test_every_obstacle_has_a_row_and_leads_to_blocked_or_unreachable() -> None:
    assert set(COOLDOWNS) == set(Obstacle)
    assert {row.status for row in COOLDOWNS.values()} == {CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE}
    assert all(row.message and row.message[0].islower() for row in COOLDOWNS.values())


@pytest.mark.parametrize("obstacle", Obstacle)
def test_only_server_errors_double_and_the_fourth_block_is_for_good(obstacle: Obstacle) -> None:
    rests = [rest(obstacle, earlier) for earlier in range(6)]
    first = COOLDOWNS[obstacle].rest
    factors = (1, 2, 4) if obstacle is Obstacle.SERVER_ERRORS else (1, 1, 1)
    assert rests == [first * factor for factor in factors] + [None, None, None]
    assert AUTOMATIC_PROBES == 3


@given(
    st.sampled_from(Obstacle),
    st.integers(0, AUTOMATIC_PROBES - 1),
    st.timedeltas(min_value=timedelta(days=-10)),
)
def test_a_wish_only_prolongs_and_never_beyond_a_year(
    obstacle: Obstacle, earlier: int, wish: timedelta
) -> None:
    plain = rest(obstacle, earlier)
    wished = rest(obstacle, earlier, wish)
    assert plain is not None and wished is not None
    assert plain <= wished <= timedelta(days=365)
    if plain < wish < timedelta(days=365):
        assert wished == wish


@given(st.sampled_from(Obstacle), st.integers(AUTOMATIC_PROBES, 100), st.timedeltas())
def test_no_wish_shortens_for_ever(obstacle: Obstacle, earlier: int, wish: timedelta) -> None:
    assert rest(obstacle, earlier, wish) is None
