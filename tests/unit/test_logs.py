"""What reaches the log: values as they are, without what a terminal obeys and without local variables."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surveyor import logs
from surveyor.settings import LogSettings

HOSTILE = "a\x1b[31mb\r\nforged\x00\u202e\ud800\x9b"


@pytest.fixture(params=[False, True], ids=["console", "json"])
def said(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    logs.configure(LogSettings(json_lines=request.param))
    return capsys


def _signs(text: str) -> list[str]:
    return [ch for ch in text if not ch.isprintable() and ch != "\n"]


def test_no_value_brings_a_sign_or_a_line_into_the_log(said: pytest.CaptureFixture[str]) -> None:
    logs.get("test").warning("an event", path=HOSTILE, several=[HOSTILE], error=ValueError(HOSTILE))
    text = said.readouterr().err
    assert _signs(text) == [] and text.count("\n") == 1
    assert "x1b[31mb" in text and "forged" in text


def test_a_traceback_says_where_and_not_what_was_in_the_variables(said: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        password = "".join(["sec", "ret"])
        raise ValueError(HOSTILE, len(password))

    try:
        fails()
    except ValueError:
        logs.get("test").exception("it broke", path=HOSTILE)
    text = said.readouterr().err
    assert "in fails" in text and "secret" not in text and _signs(text) == []
    assert not [line for line in text.splitlines() if line.startswith("forged")]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.text(st.characters(codec=None), max_size=60))
def test_any_text_becomes_one_line_that_json_can_hold(text: str) -> None:
    cleaned = logs.clean(text)
    assert cleaned.isprintable()
    assert orjson.loads(orjson.dumps(cleaned)) == cleaned
    assert not text.isprintable() or cleaned == text
