"""Lines and messages of the protocol, without a register."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from surveyor.mcp import deciding, reading, server
from surveyor.mcp.protocol import HANDSHAKE_VERSIONS, REQUEST_VERSIONS, Protocol
from surveyor.mcp.server import Lines
from surveyor.mcp.tools import MOST_BYTES, Arguments, Session, Tool, Toolbox, page


class Echo(Arguments):
    text: str = Field(default="", max_length=50)


async def _echo(session: Session, asked: Echo) -> dict[str, Any]:
    if asked.text == "break":
        raise RuntimeError("the table is on fire")
    return {"text": asked.text}


PROTOCOL = Protocol(Toolbox(None, [Tool("echo", "Says it again.", Echo, _echo)]))
META = {
    "io.modelcontextprotocol/protocolVersion": REQUEST_VERSIONS[0],
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def ask(method: str, **params: Any) -> Any:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    made = json.loads(await PROTOCOL.answer(line.encode()))
    assert made["id"] == 7 and made["jsonrpc"] == "2.0"
    return made.get("result") or made.get("error")


@given(st.lists(st.binary(max_size=40)), st.lists(st.integers(1, 30)))
def test_lines_are_the_same_however_they_were_cut(lines: list[bytes], cuts: list[int]) -> None:
    whole = b"".join(line.replace(b"\n", b"") + b"\n" for line in lines) + b"rest"
    split, found, start = Lines(), [], 0
    for cut in [*cuts, len(whole)]:
        found += split.feed(whole[start : start + cut])
        start += cut
    assert [*found, *split.last()] == whole.split(b"\n")


def test_a_line_without_end_is_refused_once_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LONGEST_LINE", 100)
    split = Lines()
    for _ in range(50):
        assert split.feed(b"x" * 90) == []
        assert len(split._begun) <= 100
    assert split.feed(b"\nnext\n") == [None, b"next"]
    assert split.feed(b"y" * 101) == [] and split.last() == [None]


async def _read(descriptor: int) -> list[bytes | None]:
    async with asyncio.timeout(5):
        return [line async for line in server._lines(descriptor)]


async def test_an_input_that_does_not_block_is_waited_for() -> None:
    source, target = os.pipe()
    os.set_blocking(source, False)
    found = asyncio.create_task(_read(source))
    await asyncio.sleep(0.1)
    os.write(target, b"one\ntwo")
    os.close(target)
    assert await found == [b"one", b"two"]
    os.close(source)


async def test_an_input_that_cannot_be_read_has_ended(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    assert await _read(folder) == []
    os.close(folder)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_METHODS = st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "server/discover", "x"])
_MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | _VALUES},
    optional={
        "id": st.integers() | st.text(max_size=5) | _VALUES,
        "method": _METHODS | _VALUES,
        "params": _VALUES
        | st.fixed_dictionaries(
            {},
            optional={
                "name": st.just("echo") | _VALUES,
                "arguments": _VALUES,
                "protocolVersion": st.sampled_from(HANDSHAKE_VERSIONS) | _VALUES,
                "_meta": st.just(META) | st.dictionaries(st.sampled_from(list(META)), _VALUES) | _VALUES,
            },
        ),
        "result": _VALUES,
    },
)


@given(st.binary(max_size=200) | (_MESSAGES | st.lists(_MESSAGES | _VALUES, max_size=3)).map(json.dumps))
async def test_no_line_is_answered_with_anything_but_one_line_of_json(line: str | bytes) -> None:
    made = await PROTOCOL.answer(line.encode() if isinstance(line, str) else line)
    if made is None:
        return
    assert made.endswith(b"\n") and made.count(b"\n") == 1
    for one in found if isinstance(found := json.loads(made), list) else [found]:
        assert one["jsonrpc"] == "2.0" and ("result" in one) is not ("error" in one)
        assert "\n" not in one.get("error", {}).get("message", "")


def test_nesting_without_end_is_no_json() -> None:
    deep = b"[" * 500_000
    assert b"-32700" in asyncio.run(PROTOCOL.answer(deep))


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
async def test_a_handshake_agrees_on_what_is_offered(version: str) -> None:
    assert (await ask("initialize", protocolVersion=version))["protocolVersion"] == version


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", None, 7])
async def test_a_handshake_offers_its_latest_where_it_does_not_know_the_clients(version: object) -> None:
    agreed = (await ask("initialize", protocolVersion=version))["protocolVersion"]
    assert agreed == HANDSHAKE_VERSIONS[-1]


async def test_a_request_that_says_its_version_gets_what_that_version_has() -> None:
    found = await ask("server/discover", _meta=META)
    assert found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete"
    assert (await ask("tools/list", _meta=META))["ttlMs"] > 0
    assert "resultType" not in await ask("tools/list")
    later = META | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    refused = await ask("tools/list", _meta=later)
    assert refused["code"] == -32022 and "2026-07-28" in refused["data"]["supported"]
    half = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    assert (await ask("tools/list", _meta=half))["code"] == -32602


async def test_a_batch_is_answered_as_a_batch_without_its_notifications() -> None:
    lines = [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    assert await PROTOCOL.answer(json.dumps(lines).encode()) is None
    lines += [{"jsonrpc": "2.0", "id": name, "method": "ping"} for name in ("a", "b")]
    assert [one["id"] for one in json.loads(await PROTOCOL.answer(json.dumps(lines).encode()))] == ["a", "b"]
    assert b"-32600" in await PROTOCOL.answer(b"[]")


async def test_errors_of_a_tool_are_one_line_for_the_assistant() -> None:
    wrong = await ask("tools/call", name="echo", arguments={"texts": "x"})
    assert wrong["isError"] and wrong["content"][0]["text"] == "texts: Extra inputs are not permitted"
    broken = await ask("tools/call", name="echo", arguments={"text": "break"})
    assert broken["isError"] and "fire" not in broken["content"][0]["text"]
    assert (await ask("tools/call", name="approve"))["code"] == -32602


async def test_words_that_nobody_would_see_are_taken_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "approve")
    found = await ask("tools/call", name="echo", arguments={"text": f"grants{hidden}"})
    assert json.loads(found["content"][0]["text"])["text"] == "grants"


def test_a_long_list_ends_early_and_says_where_to_go_on() -> None:
    rows = [{"id": number, "text": "x" * 3_000} for number in range(51)]
    shown, seen = page(rows, 50, dict, lambda row: row["id"]), 0
    assert 1 < len(shown["items"]) * 3_000 <= MOST_BYTES
    assert shown["next"] == str(shown["items"][-1]["id"])
    while rows:  # every row is given, whatever the size of an answer
        shown = page(rows, 50, dict, lambda row: row["id"])
        seen += len(shown["items"])
        rows = rows[len(shown["items"]) :]
    assert seen == 51 and shown["next"] is None


def test_one_row_that_is_too_long_is_given_alone() -> None:
    rows = [{"id": 1, "text": "x" * MOST_BYTES * 2}, {"id": 2}]
    shown = page(rows, 50, dict, lambda row: row["id"])
    assert len(shown["items"]) == 1 and shown["next"] == "1"


def test_every_tool_says_what_it_does_and_takes() -> None:
    for tool in (*reading.TOOLS, *deciding.TOOLS):
        described = tool.described()
        assert described["description"].endswith(".") and described["inputSchema"]["type"] == "object"
        assert described["annotations"]["readOnlyHint"] is (tool in reading.TOOLS)
        assert '"title": "' not in json.dumps(described)
