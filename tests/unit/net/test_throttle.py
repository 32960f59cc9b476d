"""The pace is never faster than any of its bounds, slows down at once, and recovers little by little."""

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.net.reasons import Reason
from surveyor.net.throttle import DAY, DISTRESS, AddressLimit, Throttle, retry_after

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def pace(own: float = 2.0, site: float | None = None) -> Throttle:
    return Throttle(own, max_delay=60.0, site_delay=site)


# The bounds


def test_the_first_request_need_not_wait() -> None:
    assert pace().next_at(100.0) == 100.0


def test_the_next_request_waits_for_the_delay() -> None:
    p = pace(own=2.0)
    p.note_request(100.0)
    assert p.next_at(100.5) == 102.0
    assert p.next_at(150.0) == 150.0


@pytest.mark.parametrize(
    ("own", "site", "delay"),
    [
        (2.0, None, 2.0),
        (2.0, 1.0, 2.0),
        (2.0, 10.0, 10.0),
        (2.0, 900.0, 60.0),
        (90.0, 900.0, 90.0),
        (0.0, 0.0, 0.0),
    ],
)
def test_the_larger_delay_holds_and_only_the_sites_is_capped(
    own: float, site: float | None, delay: float
) -> None:
    assert pace(own, site).delay == delay


def test_what_robots_asks_may_change_on_the_way() -> None:
    p = pace(own=2.0, site=30.0)
    p.note_request(100.0)
    p.ask(None)
    assert p.next_at(100.0) == 102.0
    p.ask(5.0)
    assert p.next_at(100.0) == 105.0


def test_the_delay_counts_from_the_end_of_the_answer_before() -> None:
    p = pace(own=2.0)
    p.note_request(100.0)
    p.note_response(200, seconds=0.9, ticks=101.0)
    assert p.next_at(101.0) == 103.0


def test_a_clean_handover_waits_for_what_is_left() -> None:
    p = pace(own=2.0)
    p.resume(100.0, wait=1.5)
    assert p.next_at(100.0) == 101.5
    p.resume(100.0, wait=3 * DAY)  # what was stored was promised, however long
    assert p.next_at(100.0) == 100.0 + 3 * DAY
    late = pace(own=2.0)
    late.resume(100.0, wait=-400.0)
    assert late.next_at(100.0) == 100.0


def test_after_a_death_a_full_delay_comes_first_even_if_robots_is_read_later() -> None:
    p = pace(own=2.0)
    p.resume(100.0, wait=None)
    assert p.next_at(100.0) == 102.0
    p.ask(20.0)
    assert p.next_at(100.0) == 120.0


EVENTS = st.lists(
    st.tuples(
        st.floats(0.0, 50.0),  # time that passes
        st.sampled_from(["request", "response", "error", "ask"]),
        st.sampled_from([200, 304, 404, 429, 500, 503]),
        st.floats(0.0, 30.0),  # latency
        st.none() | st.floats(0.0, 1e9),  # retry-after, site's delay
        st.sampled_from(["timeout", "connection_reset", "tls_error", "too_large"]),
    ),
    max_size=30,
)


@given(st.floats(0.0, 100.0), EVENTS, st.booleans())
def test_no_request_comes_before_the_largest_of_its_bounds(
    own: float, events: list[tuple[float, str, int, float, float | None, str]], clean: bool
) -> None:
    p, ticks, sent, site, held = pace(own), 1_000.0, -1e18, 0.0, 0.0
    p.resume(ticks, 0.0 if clean else None)
    if not clean:
        sent = ticks
    for passed, what, status, seconds, told, code in events:
        ticks += passed
        match what:
            case "request":
                ticks = p.next_at(ticks)
                p.note_request(ticks)
                sent = ticks
            case "response":
                p.note_response(status, seconds, ticks, retry_after=told)
                sent = max(sent, ticks)
                held = max(held, ticks + min(told or 0.0, DAY))
            case "error":
                p.note_error(code, ticks)
                sent = ticks
            case "ask":
                p.ask(told)
                site = min(told or 0.0, 60.0)
        assert p.next_at(ticks) >= max(ticks, sent + own, sent + site, held)
        assert p.next_at(ticks) <= max(ticks, held, sent + max(2 * own, 3_600.0))


# What latency and errors suggest


def test_it_slows_down_within_three_answers_when_latency_climbs() -> None:
    p = pace(own=0.05)
    for n in range(20):
        p.note_response(200, 0.05, float(n))
    assert p.delay == pytest.approx(0.05)
    for n in range(3):
        p.note_response(200, 10.0, 100.0 + 20 * n)
    assert p.delay > 7.5


def test_a_steep_ramp_is_followed_upwards() -> None:
    p, delays = pace(own=0.1), []
    for n, seconds in enumerate((0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)):
        p.note_response(200, seconds, 100.0 * n)
        delays.append(p.delay)
    assert delays == sorted(delays) and delays[-1] > 5.0


def test_a_fast_site_is_not_slowed_by_its_latency() -> None:
    p = pace(own=1.0)
    for n in range(50):
        p.note_response(200, 0.4, float(n))
    assert p.delay == 1.0


def test_latency_alone_does_not_pass_the_cap() -> None:
    p = pace(own=1.0)
    for n in range(50):
        p.note_response(200, 500.0, 1_000.0 * n)
    assert p.delay == 60.0


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_every_sign_of_distress_doubles_the_delay(status: int) -> None:
    p, delays = pace(own=2.0), []
    for n in range(4):
        p.note_response(status, 0.01, 10.0 * n)
        delays.append(p.delay)
    assert delays == [4.0, 8.0, 16.0, 32.0]


def test_failing_connections_double_the_delay_too() -> None:
    p = pace(own=2.0)
    p.note_error("connection_reset", 100.0)
    p.note_error("timeout", 130.0)
    assert p.delay == 8.0
    assert p.next_at(130.0) == 138.0


@pytest.mark.parametrize("status", [200, 301, 401, 403, 404, 410, 418])
def test_other_answers_are_no_distress(status: int) -> None:
    p = pace(own=2.0)
    p.note_response(status, 0.01, 100.0)
    assert p.delay == 2.0


@pytest.mark.parametrize("code", ["tls_error", "dns_failure", "too_large", "forbidden_address"])
def test_other_errors_keep_the_delay_but_do_not_raise_it(code: str) -> None:
    p = pace(own=2.0)
    p.note_error(code, 100.0)
    assert p.delay == 2.0 and p.next_at(100.0) == 102.0


def test_every_code_of_distress_is_one_that_a_request_can_fail_with() -> None:
    assert set(Reason) >= DISTRESS


@pytest.mark.parametrize(("status", "most"), [(500, 60.0), (502, 60.0), (429, 3_600.0), (503, 3_600.0)])
def test_broken_pages_stop_at_the_cap_and_requests_to_slow_down_at_an_hour(status: int, most: float) -> None:
    p = pace(own=2.0)
    for n in range(20):
        p.note_response(status, 0.01, 100.0 * n)
    assert p.delay == most


def test_a_broken_page_does_not_shorten_what_a_request_to_slow_down_began() -> None:
    p = pace(own=2.0)
    for n in range(8):
        p.note_response(429, 0.01, 100.0 * n)
    before = p.delay
    p.note_response(500, 0.01, 1_000.0)
    assert p.delay == before == 512.0


def test_where_the_delay_is_zero_doubling_begins_somewhere() -> None:
    p = pace(own=0.0)
    p.note_response(503, 0.0, 1.0)
    p.note_response(503, 0.0, 2.0)
    assert p.delay == pytest.approx(0.2)


def test_a_delay_above_the_cap_is_doubled_all_the_same() -> None:
    p = pace(own=100.0)
    p.note_response(500, 0.01, 1.0)
    assert p.delay == 200.0


@pytest.mark.parametrize("sign", [429, 502, 503, "timeout", "connection_reset"])
def test_a_site_with_too_much_to_do_is_spared_though_one_page_of_it_answers(sign: int | str) -> None:
    p = pace(own=1.0)
    for n in range(5):
        if isinstance(sign, int):
            p.note_response(sign, 0.01, 100.0 * n)
        else:
            p.note_error(sign, 100.0 * n)
    before = p.delay
    p.note_response(200, 0.01, 1_000.0)
    p.trust()
    assert p.delay == pytest.approx(0.8 * before)
    p.note_response(500, 0.01, 2_000.0)
    assert p.delay > 0.8 * before, "and an error of a program is taken for another sign"


def test_a_site_that_is_seen_to_be_well_is_not_slowed_by_one_program_that_fails() -> None:
    p = pace(own=1.0)
    for n in range(5):
        p.note_response(500, 0.01, 100.0 * n)
    p.trust()
    p.note_response(500, 0.01, 1_000.0)
    assert p.delay == 1.0
    p.note_response(502, 0.01, 1_100.0)
    assert p.delay == 2.0, "that is said where a server has too much to do"


def test_it_recovers_little_by_little() -> None:
    p, delays = pace(own=1.0), list[float]()
    for n in range(6):
        p.note_response(503, 8.0, 100.0 * n)
    for n in range(40):
        p.note_response(200, 0.01, 1_000.0 + n)
        delays.append(p.delay)
    assert delays == sorted(delays, reverse=True)
    assert delays[0] > 0.7 * 64.0 and delays[3] > 10.0  # one good answer is not yet health
    assert delays[-1] == 1.0


def test_one_quick_answer_does_not_make_a_slow_site_fast() -> None:
    p = pace(own=0.1)
    for n in range(6):
        p.note_response(200, 10.0, 100.0 * n)
    p.note_response(200, 0.01, 1_000.0)
    assert p.delay > 7.5
    for n in range(60):
        p.note_response(200, 0.01, 1_001.0 + n)
    assert p.delay == 0.1


def test_a_quick_error_page_is_no_recovery() -> None:
    p = pace(own=0.1)
    for n in range(5):
        p.note_response(200, 10.0, 100.0 * n)
    before = p.delay
    for n in range(5):
        p.note_response(500, 0.001, 1_000.0 + n)
    assert p.delay >= before


def test_retry_after_stands_above_the_delay_and_ends() -> None:
    p = pace(own=2.0)
    p.note_response(429, 0.1, 100.0, retry_after=30.0)
    assert p.next_at(100.0) == 130.0
    p.note_response(200, 0.1, 101.0)
    assert p.next_at(101.0) == 130.0
    assert p.next_at(131.0) == 131.0


def test_a_shorter_retry_after_takes_nothing_back() -> None:
    p = pace(own=2.0)
    p.note_response(429, 0.1, 100.0, retry_after=300.0)
    p.note_response(429, 0.1, 101.0, retry_after=0.0)
    assert p.next_at(101.0) == 400.0


def test_a_hold_is_a_day_at_most() -> None:
    p = pace()
    p.hold(100.0, 1e9)
    assert p.next_at(100.0) == 100.0 + DAY


# Retry-After


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("1000000000", DAY),
        ("9" * 5_000, DAY),
        ("Sun, 01 Mar 2026 12:02:00 GMT", 120.0),
        ("Sunday, 01-Mar-26 12:02:00 GMT", 120.0),
        ("Sun Mar  1 12:02:00 2026", 120.0),
        ("Sun, 01 Mar 2026 13:02:00 +0100", 120.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("Sun, 01 Mar 1970 11:00:00 GMT", 0.0),
        ("Sun, 01 Mar 2099 12:00:00 GMT", DAY),
        ("-1", None),
        ("-1000000000", None),
        ("1e9", None),
        ("١٢", None),
        ("²", None),
        ("soon", None),
        ("Sun, 99 Foo 2026 12:00:00 GMT", None),
        ("Sun, 01 Mar 99999 12:00:00 GMT", None),
        ("", None),
        (",", None),
    ],
)
def test_retry_after_is_read(value: str, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=60) | st.text("0123456789 :,+-GMTSunMar", max_size=40))
def test_retry_after_takes_anything(value: str) -> None:
    seconds = retry_after(value, NOW)
    assert seconds is None or 0.0 <= seconds <= DAY


# Addresses


async def test_no_more_requests_than_allowed_go_to_one_address_and_all_are_served() -> None:
    limit, busy, most, served = AddressLimit(3), 0, 0, 0

    async def request() -> None:
        nonlocal busy, most, served
        async with limit.slot("192.0.2.1"):
            busy += 1
            most = max(most, busy)
            await asyncio.sleep(0)
            busy -= 1
            served += 1

    await asyncio.gather(*(request() for _ in range(50)))
    assert (most, served) == (3, 50)
    assert len(limit) == 0


async def test_addresses_do_not_wait_for_each_other() -> None:
    limit = AddressLimit(1)
    async with limit.slot("192.0.2.1"), asyncio.timeout(1), limit.slot("2001:db8::1"):
        assert len(limit) == 2


async def test_a_waiter_that_gives_up_leaves_its_place_to_the_next() -> None:
    limit = AddressLimit(1)

    async def request() -> str:
        async with limit.slot("192.0.2.1"):
            return "served"

    async with limit.slot("192.0.2.1"):
        first, second = asyncio.create_task(request()), asyncio.create_task(request())
        await asyncio.sleep(0)
        first.cancel()
    assert await asyncio.wait_for(second, 1) == "served"
    assert first.cancelled()
    del first  # its traceback names the slot it waited for
    assert len(limit) == 0


async def test_a_request_that_fails_frees_its_slot() -> None:
    limit = AddressLimit(1)
    for _ in range(2):
        with pytest.raises(OSError, match="reset"):
            async with asyncio.timeout(1), limit.slot("192.0.2.1"):
                raise OSError("reset")
    assert len(limit) == 0
