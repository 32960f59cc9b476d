"""What libraries say reaches a person as one line, and nothing of an interrupt does."""

from __future__ import annotations

import asyncio
import io
import logging
import sys

import pytest

from surveyor import logs


def _said(monkeypatch: pytest.MonkeyPatch, name: str, message: str, error: BaseException) -> str:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    handler = logs.library_handler()
    try:
        raise error
    except BaseException:
        record = logging.LogRecord(name, logging.ERROR, __file__, 1, message, (), sys.exc_info())
    handler.handle(record)
    return stream.getvalue()


def test_an_error_of_a_library_is_one_line_without_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _said(
        monkeypatch, "sqlalchemy.pool", "Exception during reset\nor similar", OSError("gone\x1b[2J\nx")
    )
    assert told == "ERROR sqlalchemy.pool: Exception during reset (OSError: gone\\x1b[2J\n"


@pytest.mark.parametrize(
    ("name", "message", "error"),
    [
        (
            "sqlalchemy.pool.impl.AsyncAdaptedQueuePool",
            "Exception terminating connection",
            asyncio.CancelledError(),
        ),
        ("sqlalchemy.pool", "Exception closing connection", KeyboardInterrupt()),
        (
            "asyncio",
            "Future exception was never retrieved",
            ConnectionError("unexpected connection_lost() call"),
        ),
    ],
)
def test_connections_that_end_with_their_process_are_no_news(
    monkeypatch: pytest.MonkeyPatch, name: str, message: str, error: BaseException
) -> None:
    assert _said(monkeypatch, name, message, error) == ""
