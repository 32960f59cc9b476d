"""What a browser writes is read in any pieces, and answers find who asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.render.devtools import GONE, Devtools, DevtoolsError


class Wire:
    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.written += [json.loads(each) for each in data.split(b"\0") if each]

    def close(self) -> None:
        pass


def connected() -> tuple[Devtools, Wire]:
    devtools, wire = Devtools(), Wire()
    devtools.connect(wire)
    return devtools, wire


def message(**values: Any) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode() + b"\0"


def remember(seen: list[str]) -> Callable[[str, dict[str, Any]], None]:
    return lambda event, _values: seen.append(event)


@given(st.lists(st.integers(1, 60)), st.integers(1, 5))
def test_messages_are_read_in_any_pieces(cuts: list[int], count: int) -> None:
    async def read() -> None:
        devtools, _ = connected()
        seen: list[str] = []
        devtools.listen("a", remember(seen))
        data = b"".join(message(method=f"m{each}", params={}, sessionId="a") for each in range(count))
        for cut in cuts:
            devtools.received(data[:cut])
            data = data[cut:]
        devtools.received(data)
        assert seen == [f"m{each}" for each in range(count)]

    asyncio.run(read())


async def test_an_answer_finds_who_asked_and_a_refusal_is_raised() -> None:
    devtools, wire = connected()
    first, second = (asyncio.create_task(devtools.ask("X.y", {"a": 1}, "s")) for _ in range(2))
    await asyncio.sleep(0)
    assert wire.written[0] == {"id": 1, "method": "X.y", "params": {"a": 1}, "sessionId": "s"}
    devtools.received(message(id=2, error={"message": "no such page"}) + message(id=1, result={"b": 2}))
    assert await first == {"b": 2}
    with pytest.raises(DevtoolsError, match="no such page"):
        await second


async def test_who_waits_and_who_listens_is_told_that_the_browser_is_gone() -> None:
    devtools, _ = connected()
    seen: list[str] = []
    devtools.listen("a", remember(seen))
    asked = asyncio.create_task(devtools.ask("X.y"))
    await asyncio.sleep(0)
    devtools.close()
    with pytest.raises(DevtoolsError):
        await asked
    with pytest.raises(DevtoolsError):
        devtools.send("X.y")
    assert seen == [GONE]


async def test_a_session_that_is_muted_is_not_read() -> None:
    devtools, _ = connected()
    seen: list[str] = []
    for session in ("a", "b"):
        devtools.listen(session, remember(seen))
    devtools.mute("a")
    devtools.received(b'{"this is": no JSON,"sessionId":"a"}\0' + message(method="of b", sessionId="b"))
    assert seen == ["of b"]
