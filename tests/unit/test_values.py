"""Small values that everything stands on: ids, clocks, exact confidences, times, errors, logs."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Dialect
from sqlalchemy.dialects import postgresql, sqlite

from surveyor import logs
from surveyor.clock import SystemClock
from surveyor.db.types import Confidence, UtcTime
from surveyor.errors import NotADomain
from surveyor.ids import new_id
from surveyor.settings import LogSettings

_FIRST, _LAST = datetime(1970, 1, 2), datetime(2200, 1, 1)  # noqa: DTZ001 - zones are added by the test
DIALECTS = [sqlite.dialect(), postgresql.dialect()]


def test_ids_are_version_7_and_sort_by_time() -> None:
    made = [new_id() for _ in range(200)]
    assert {found.version for found in made} == {7}
    assert {found.variant for found in made} == {uuid.RFC_4122}
    assert len(set(made)) == 200
    stamps = [found.int >> 80 for found in made]
    assert stamps == sorted(stamps)


def test_ticks_never_go_back_and_now_is_utc() -> None:
    clock = SystemClock()
    first = clock.ticks()
    assert clock.ticks() >= first
    assert clock.now().utcoffset() == timedelta()


@given(st.integers(0, 100), st.sampled_from(DIALECTS))
def test_a_confidence_comes_back_exactly(hundredths: int, dialect: object) -> None:
    value = Decimal(hundredths) / 100
    kind = Confidence()
    stored = kind.process_bind_param(value, dialect)  # type: ignore[arg-type]
    assert kind.process_result_value(stored, dialect) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(("given_value", "kept"), [("0.595", "0.60"), ("0.594", "0.59"), ("0.005", "0.01")])
def test_a_confidence_is_rounded_half_up(given_value: str, kept: str) -> None:
    assert Confidence().process_bind_param(Decimal(given_value), DIALECTS[1]) == Decimal(kept)


def test_a_float_is_no_confidence() -> None:
    with pytest.raises(TypeError, match="not exact"):
        Confidence().process_bind_param(0.6, DIALECTS[0])  # type: ignore[arg-type]


@given(st.datetimes(min_value=_FIRST, max_value=_LAST), st.integers(-14, 14))
def test_a_time_comes_back_in_utc_to_the_millisecond(moment: datetime, hours: int) -> None:
    value = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    kind, dialect = UtcTime(), DIALECTS[0]
    read = kind.result_processor(dialect, None)
    assert read is not None
    back = read(kind.bind_processor(dialect)(value))
    assert back is not None
    assert back.tzinfo is UTC
    assert timedelta() <= value - back < timedelta(milliseconds=1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_time_without_a_zone_is_refused(dialect: Dialect) -> None:
    with pytest.raises(ValueError, match="without a zone"):
        UtcTime().bind_processor(dialect)(datetime(2026, 1, 1))  # noqa: DTZ001


def test_times_are_kept_as_text_that_sorts_as_it_reads() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678_999, tzinfo=UTC)
    assert UtcTime().bind_processor(DIALECTS[0])(moment) == "2026-01-02 03:04:05.678"


def test_an_error_shows_foreign_text_safely() -> None:
    told = str(NotADomain("a\x1b[31m\n" + "x" * 500, "it has control characters"))
    assert "\x1b" not in told
    assert "\n" not in told
    assert len(told) < 200


def test_a_log_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LogSettings(json_lines=True))
    logs.get("test").info("hello", domain="example.org", count=3)
    line = json.loads(capsys.readouterr().err)
    assert (line["event"], line["domain"], line["count"], line["part"], line["level"]) == (
        "hello",
        "example.org",
        3,
        "test",
        "info",
    )


def test_a_level_hides_what_is_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LogSettings(level="error"))
    logs.get("test").info("hidden")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("written", ["2026-01-02 03:04:05.678+00", "2026-01-02 05:04:05.678+02:00"])
def test_a_time_that_another_program_wrote_with_its_zone_is_read(written: str) -> None:
    read = UtcTime().result_processor(DIALECTS[0], None)
    assert read is not None
    assert read(written) == datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
