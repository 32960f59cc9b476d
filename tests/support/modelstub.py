"""A language model's endpoint on loopback, in the protocol that most services speak, with every bad mood.

What it says is up to `say`, a function of the page it was sent; `obedient` does whatever the page orders.
Whoever wants to know what was sent, and with which key, looks into `requests`.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from surveyor.llm.endpoint import Account
from surveyor.settings import ModelSettings

KEY = "canary-51c9a3f7-model"
_MARKED = re.compile(r"^(==== [0-9a-f]{32} ====)\n(.*)\n\1$", re.DOTALL)
# An order that a page gives: the answer word for word, or the whole message around it.
_ANSWER = re.compile(r"ANSWER<<<(.*?)>>>", re.DOTALL)
_MESSAGE = re.compile(r"MESSAGE<<<(.*?)>>>", re.DOTALL)

# How an endpoint may fail, as it shows in the books.
MOODS = {
    "unauthorized": "bad_key",
    "forbidden": "bad_key",
    "unknown": "not_found",
    "refused": "refused",
    "limited": "rate_limited",
    "no_quota": "out_of_quota",
    "no_money": "out_of_quota",
    "failing": "server",
    "overloaded": "server",
    "html": "malformed",
    "list": "malformed",
    "empty_choices": "malformed",
    "huge": "malformed",
    "redirect": "malformed",
    "hang_up": "unreachable",
    "slow": "unreachable",
}
# What a model may say that is no answer, while its endpoint works.
SAYINGS = {
    "prose": "Sure! Here are the records you asked for.",
    "cut": '{"records": [{"kind": "funding_program", "name": "Sma',
    "fenced_prose": "```\nSure!\n```",
    "bare_list": '[{"kind": "funding_program", "name": "Small Grants"}]',
    "more_keys": '{"records": [], "approve": true}',
    "no_list": '{"records": {"kind": "funding_program"}}',
    "number": "42",
    "deep": '{"records": ' + "[" * 5_000 + "]" * 5_000 + "}",
    "blank": "  ",
}


def page_of(body: dict[str, Any]) -> str:
    """The page between the marks of a question."""
    found = _MARKED.match(body["messages"][-1]["content"])
    assert found, "a page stands between two marks"
    return found[2]


def nothing(page: str) -> str:
    return '{"records": []}'


def telling(*records: dict[str, Any]) -> Callable[[str], str]:
    return lambda page: json.dumps({"records": list(records)})


def obedient(page: str) -> str | dict[str, Any]:
    """Does whatever the page orders."""
    if (message := _MESSAGE.search(page)) is not None:
        found: dict[str, Any] = json.loads(message[1])
        return found
    answer = _ANSWER.search(page)
    return answer[1] if answer else page


@dataclass
class ModelStub:
    port: int = 0
    mood: str = ""
    say: Callable[[str], str | dict[str, Any]] = nothing
    finish: str = "stop"
    usage: Any = field(default_factory=lambda: {"total_tokens": 300})
    retry_after: str = ""
    pause: float = 0.0
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    unsupported: tuple[str, ...] = ()
    """Parameters that it refuses, in the words of the services that do."""
    strangers: list[str] = field(default_factory=list)
    """Requests to anything but the one address that is asked."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def pages(self) -> list[str]:
        return [page_of(body) for body in self.requests]

    @property
    def account(self) -> Account:
        return Account(self.url, "small-1", KEY)

    def settings(self, **more: Any) -> ModelSettings:
        return ModelSettings(**{"url": self.url, "name": "small-1", "timeout_seconds": 5.0, **more})

    @classmethod
    @asynccontextmanager
    async def serve(cls) -> AsyncIterator[ModelStub]:
        self = cls()
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_route("*", "/{rest:.*}", self._stranger)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _stranger(self, request: web.Request) -> web.Response:
        self.strangers.append(f"{request.method} {request.path_qs}")
        return web.json_response({})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        await asyncio.sleep(self.pause)
        if self.mood:
            return await self._in_a_mood(request)
        if refused := next((name for name in self.unsupported if name in body), None):
            return web.json_response({"error": _UNSUPPORTED[refused]}, status=400)
        said = self.say(page_of(body))
        message = said if isinstance(said, dict) else {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return web.json_response(
            {"id": "c", "object": "chat.completion", "choices": [choice], "usage": self.usage}
        )

    async def _in_a_mood(self, request: web.Request) -> web.StreamResponse:
        told = {"error": {"message": f"no \x1b[31mway\x07 {request.headers.get('Authorization')}"}}
        asked = {"Retry-After": self.retry_after} if self.retry_after else {}
        if self.mood == "no_quota":
            told = {"error": {"message": "You exceeded your current quota", **_QUOTA}}
        match self.mood:
            case "slow":
                await asyncio.sleep(30)
            case "hang_up":
                assert request.transport is not None
                request.transport.abort()
            case "html":
                return web.Response(text="<html><h1>Welcome to your router</h1>", content_type="text/html")
            case "list":
                return web.json_response([1, 2, 3])
            case "empty_choices":
                return web.json_response({"choices": []})
            case "redirect":
                return web.Response(status=307, headers={"Location": f"http://127.0.0.1:{self.port}/steal"})
            case "huge":
                message = {"role": "assistant", "content": nothing("")}
                return web.json_response({"choices": [{"message": message}], "padding": "x" * 2_000_000})
        return web.json_response(told, status=_STATUS.get(self.mood, 500), headers=asked)


_QUOTA = {"type": "insufficient_quota", "param": None, "code": "insufficient_quota"}
_UNSUPPORTED = {
    "max_tokens": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model."
        " Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    },
    "temperature": {
        "message": "Unsupported value: 'temperature' does not support 0 with this model."
        " Only the default (1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    },
}
_STATUS = {
    "unauthorized": 401,
    "forbidden": 403,
    "unknown": 404,
    "refused": 400,
    "limited": 429,
    "no_quota": 429,
    "no_money": 402,
    "failing": 500,
    "overloaded": 503,
}
