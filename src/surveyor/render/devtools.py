"""Talks to a browser in its own debugging protocol (CDP): commands with answers, and events of pages.

Messages are JSON; a pipe has a zero byte after each. A page is a session of the one connection. Nothing is
switched on that a page could flood us with but what is asked for, and a session that is muted is not even
parsed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final, Protocol

Values = dict[str, Any]
Handler = Callable[[str, Values], None]
"""Called with an event of a session: its name and its values."""

GONE: Final = "Inspector.detached"
"""The event that every session has when the browser goes."""
# Bytes of one message: a document, with all characters escaped, has fewer.
_LONGEST: Final = 100_000_000


class DevtoolsError(Exception):
    """The browser refused a command, or is gone; the first line is for people."""


class Sender(Protocol):
    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class Devtools:
    """For one event loop. `received` is given what the browser writes, in any pieces."""

    def __init__(self) -> None:
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sender: Sender | None = None
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Values]] = {}
        self._handlers: dict[str, Handler] = {}
        self._muted: set[bytes] = set()
        self._pieces: list[bytes] = []
        self._size = 0

    def connect(self, sender: Sender) -> None:
        self._sender = sender

    def listen(self, session: str, handler: Handler) -> None:
        """To the events of a session; those of the browser itself are of the session `""`."""
        self._handlers[session] = handler

    def mute(self, session: str) -> None:
        """Nothing of it is read any more: who waits for an answer of it waits for ever."""
        self._muted.add(_mark(session))

    def forget(self, session: str) -> None:
        self._handlers.pop(session, None)
        self._muted.discard(_mark(session))

    def send(self, method: str, params: Values | None = None, session: str = "") -> None:
        """Nobody waits for its answer."""
        self._write(method, params, session)

    async def ask(self, method: str, params: Values | None = None, session: str = "") -> Values:
        """The answer; `DevtoolsError` if it is refused, or the browser goes."""
        number = self._write(method, params, session)
        answer: asyncio.Future[Values] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            return await answer
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """Who waits learns that the browser is gone."""
        if self._sender is not None:
            self._sender.close()
        if not self.closed.done():
            self.closed.set_result(None)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(DevtoolsError("the browser is gone"))
        handlers, self._handlers = self._handlers, {}
        for handler in handlers.values():
            handler(GONE, {})

    def received(self, data: bytes) -> None:
        *whole, rest = data.split(b"\0")
        for end in whole:
            message = b"".join((*self._pieces, end)) if self._pieces else end
            self._pieces, self._size = [], 0
            self._message(message)
        if rest:
            self._pieces.append(rest)
            self._size += len(rest)
            if self._size > _LONGEST:
                self.close()

    def _write(self, method: str, params: Values | None, session: str) -> int:
        if self._sender is None or self.closed.done():
            raise DevtoolsError("the browser is gone")
        self._number += 1
        message: Values = {"id": self._number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self._sender.write(json.dumps(message).encode() + b"\0")
        return self._number

    def _message(self, data: bytes) -> None:
        if self._muted and any(data.endswith(mark) for mark in self._muted):
            return
        message = json.loads(data)
        number, session = message.get("id"), message.get("sessionId", "")
        if number is None:
            if (handler := self._handlers.get(session)) is not None:
                handler(message["method"], message.get("params", {}))
            return
        answer = self._waiting.get(number)
        if answer is None or answer.done():
            return
        if (error := message.get("error")) is not None:
            answer.set_exception(DevtoolsError(str(error.get("message", "refused"))))
        else:
            answer.set_result(message.get("result", {}))


def _mark(session: str) -> bytes:
    return f'"sessionId":"{session}"}}'.encode()
