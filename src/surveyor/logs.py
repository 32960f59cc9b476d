"""Logs: to standard error, one line per event, readable on a terminal and as JSON for collectors."""

from __future__ import annotations

import logging
import sys
from typing import Any

import orjson
import structlog

from surveyor.settings import LogSettings

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure(settings: LogSettings) -> None:
    """Set up once per process. Standard output is left to what a command prints."""
    level = _LEVELS[settings.level]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if settings.json_lines:
        shared += [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ]
    else:
        shared.append(structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()))
    structlog.configure(
        processors=shared,
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Looked up when a line is written: a stream that was standard error once may be closed by now.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
    # Libraries speak only when something is wrong.
    logging.basicConfig(
        level=max(level, logging.WARNING), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )


def get(name: str) -> Any:
    return structlog.get_logger(part=name)


def _to_json(value: Any, **_: Any) -> str:
    return orjson.dumps(value, default=str).decode()
