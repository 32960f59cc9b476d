"""JSON-RPC 2.0 as MCP uses it: one message on a line, in both directions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022  # since 2026-07-28
# Messages of one line: 2025-03-26 sends several in an array.
_MOST_IN_A_BATCH = 100

Id = str | int | None
Message = Mapping[str, Any]


class Fault(Exception):
    """What is wrong with a message, as the other side is told."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    id: Id = None
    is_notification: bool = False  # nobody waits for an answer


def parse(line: bytes) -> tuple[list[Any], bool]:
    """The messages of a line, and whether they came as a batch."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise Fault(PARSE_ERROR, f"the line is not JSON: {error}") from None
    if not isinstance(found, list):
        return [found], False
    if not 0 < len(found) <= _MOST_IN_A_BATCH:
        raise Fault(INVALID_REQUEST, f"a batch has 1 to {_MOST_IN_A_BATCH} messages, not {len(found):,}")
    return found, True


def read(message: Any) -> Request | None:
    """The request that a message is; None for an answer, since nothing is asked of the other side."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, 'a message is an object with "jsonrpc": "2.0"')
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params") or {}
    if not isinstance(method, str):
        raise Fault(INVALID_REQUEST, "a request has a method")
    if "id" in message and not _is_id(message["id"]):
        raise Fault(INVALID_REQUEST, "an id is a text or a whole number")
    if not isinstance(params, dict):
        raise Fault(INVALID_PARAMS, "params are an object")
    return Request(method, params, message.get("id"), "id" not in message)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def id_of(message: Any) -> Id:
    """The id to answer to, of a message that may be broken."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def result(to: Id, value: Mapping[str, Any]) -> Message:
    return {"jsonrpc": "2.0", "id": to, "result": value}


def error(to: Id, fault: Fault) -> Message:
    body: dict[str, Any] = {"code": fault.code, "message": str(fault)}
    if fault.data is not None:
        body["data"] = fault.data
    return {"jsonrpc": "2.0", "id": to, "error": body}


def write(answer: Message | list[Message]) -> bytes:
    """On one line: JSON has no line break outside of a text, and escapes those within."""
    return orjson.dumps(answer, option=orjson.OPT_APPEND_NEWLINE)
