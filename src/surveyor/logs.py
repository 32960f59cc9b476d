"""Logs: to standard error, one line per event, readable on a terminal and as JSON for collectors.

What others wrote reaches the log in paths, names and messages: signs that a terminal would obey, or that
would begin a line, are written as escapes. A traceback says where, never what was in the variables there.

structlog is loaded with the first line that is written: most commands write none. In the program of somebody
else, which sets nothing up here, lines go to the logger `surveyor` of the standard library.
"""

from __future__ import annotations

import logging
import sys
import traceback
from asyncio import CancelledError
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any, TextIO

import orjson

from surveyor.settings import LogSettings

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_wanted: LogSettings | None = None  # asked for, and no line was written since
_is_ours = False  # the process is our own: a command


def configure(settings: LogSettings) -> None:
    """Set up once per process. Standard output is left to what a command prints."""
    global _wanted, _is_ours
    _is_ours = True
    if "structlog" in sys.modules:
        _set_up(settings)
    else:
        _wanted = settings
    # Libraries speak only when something is wrong.
    level = max(_LEVELS[settings.level], logging.WARNING)
    logging.basicConfig(level=level, handlers=[library_handler()])


def _set_up(settings: LogSettings) -> None:
    import structlog

    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if settings.json_lines:
        shared += [
            structlog.processors.ExceptionRenderer(_trace),
            _clean_values,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ]
    else:
        console = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=_print_trace)
        shared += [_clean_values, console]
    structlog.configure(
        processors=shared,
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
        # Looked up when a line is written: a stream that was standard error once may be closed by now.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def library_handler() -> logging.Handler:
    """What libraries say, one line each; a connection that ends with its process is no news."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine())
    handler.addFilter(lambda record: not _is_of_an_interrupt(record))
    return handler


class _OneLine(logging.Formatter):
    """Without the traceback: where a library stood when it failed helps nobody who reads a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        said = " ".join(record.getMessage().split("\n", 1)[0].split())
        error = record.exc_info[1] if record.exc_info else None
        why = f" ({type(error).__name__}: {error})" if error is not None else ""
        return clean(f"{record.levelname} {record.name}: {said}{why}".splitlines()[0])


# What asyncpg leaves behind where a connection was given up in the middle of being made.
_GIVEN_UP = "unexpected connection_lost() call"


def _is_of_an_interrupt(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if record.name.startswith("sqlalchemy.pool") and isinstance(error, CancelledError | KeyboardInterrupt):
        return True
    return record.name == "asyncio" and (_GIVEN_UP in str(error) or _GIVEN_UP in record.getMessage())


_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def clean(text: str) -> str:
    """Without what a terminal obeys: control characters, marks that turn writing, lone surrogates."""
    return text if text.isprintable() else "".join(ch if ch.isprintable() else _escaped(ch) for ch in text)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def _clean_values(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if isinstance(value, str) and name != "exception":  # whose lines are cleaned one by one
            event[name] = clean(value)
        elif isinstance(value, list | tuple | dict | set | frozenset | BaseException):
            event[name] = clean(str(value))
    return event


def _trace(exc_info: _ExcInfo) -> str:
    lines = "".join(traceback.format_exception(*exc_info)).splitlines()
    return "\n".join(f"  {clean(line)}" for line in lines)


def _print_trace(out: TextIO, info: _ExcInfo) -> None:
    """Every line is indented: a message from outside cannot pass for a line of the log."""
    out.write("\n" + _trace(info))


class Logger:
    """Stands for structlog's logger of a part, and asks for it when a line is written."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __getattr__(self, method: str) -> Any:
        global _wanted
        import structlog

        if not (_is_ours or structlog.is_configured()):
            return getattr(_of_a_guest(self._part), method)
        if _wanted is not None:
            wanted, _wanted = _wanted, None
            _set_up(wanted)
        return getattr(structlog.get_logger(part=self._part), method)


def _of_a_guest(part: str) -> Any:
    import structlog

    return structlog.wrap_logger(
        logging.getLogger(f"surveyor.{part}"),
        processors=[_clean_values, _in_one_text],
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def _in_one_text(_: Any, __: str, event: MutableMapping[str, Any]) -> tuple[tuple[str], dict[str, Any]]:
    text, exc_info = event.pop("event"), event.pop("exc_info", None)
    more = ", ".join(f"{name} {value}" for name, value in event.items())
    return (f"{text} ({more})" if more else text,), {"exc_info": exc_info}


get = Logger


def _to_json(value: Any, **_: Any) -> str:
    return orjson.dumps(value, default=str).decode()
