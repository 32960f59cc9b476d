"""One back-off for everybody: it grows, it ends at the longest step, and it stops when asked to."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from surveyor.backoff import RECONNECT, Alarm, Backoff, doubling, pause

_SECONDS = st.floats(0.001, 1_000_000)


@given(_SECONDS, _SECONDS, st.integers(0, 2_000))
def test_waiting_never_gets_shorter_and_never_longer_than_the_longest(
    first: float, longest: float, failures: int
) -> None:
    backoff = doubling(first, longest)
    assert backoff.after(failures) <= backoff.after(failures + 1) <= longest
    assert backoff.after(1) == min(first, longest)
    assert backoff.after(10_000) == longest


def test_written_steps_are_taken_in_their_order_and_the_last_one_repeats() -> None:
    assert [Backoff((1.0, 4.0, 24.0)).after(failures) for failures in (1, 2, 3, 4, 99)] == [1, 4, 24, 24, 24]
    assert RECONNECT.steps == (0.5, 1.0, 2.0, 4.0, 8.0, 10.0)


def test_a_back_off_of_nothing_is_no_endless_loop() -> None:
    assert doubling(0.0, 10.0).after(5) == 0.0


async def test_a_pause_ends_when_somebody_wants_to_stop() -> None:
    stopping = asyncio.Event()
    waiting = asyncio.create_task(pause(stopping, 3_600))
    await asyncio.sleep(0)
    stopping.set()
    await waiting
    await pause(asyncio.Event(), 0.001)  # and by itself


async def test_an_alarm_wakes_all_who_sleep_and_lets_nobody_sleep_again() -> None:
    alarm = Alarm()
    await alarm.sleep(0.001)  # ends by itself
    sleepers = [asyncio.create_task(alarm.sleep(3_600)) for _ in range(2)]
    await asyncio.sleep(0)
    given_up = asyncio.create_task(alarm.sleep(3_600))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.sleep(0)
    alarm.set()
    await asyncio.gather(*sleepers)
    await alarm.sleep(3_600)
    assert given_up.cancelled()
