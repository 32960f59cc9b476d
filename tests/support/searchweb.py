"""Six search providers on loopback, each in its documented format, with its documented errors.

A provider answers below `/NAME`. Its mood says how: well, or in one of the ways in which it may
fail. Whoever wants to know what was sent, and with which key, looks into `requests`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from surveyor.discover.adapters import ADAPTERS
from surveyor.discover.provider import Account
from surveyor.settings import ProviderSettings

CANARY = "canary-7f3a9c51"  # part of every key, so that one search finds a leak of any
NAMES = tuple(ADAPTERS)
Row = tuple[str, str, str]  # url, title, description


def key_of(name: str) -> str:
    return f"{CANARY}-{name}"


def rows_of(name: str, query: str) -> list[Row]:
    return [(f"https://{query}-{place}.example/{name}", f"Title {place}", "A text.") for place in range(3)]


@dataclass
class Seen:
    provider: str
    method: str
    path: str
    query: str
    asked: dict[str, Any]
    headers: dict[str, str]


@dataclass
class SearchWeb:
    port: int = 0
    moods: dict[str, str] = field(default_factory=dict)
    rows: Callable[[str, str], Sequence[Row]] = rows_of
    requests: list[Seen] = field(default_factory=list)
    strangers: list[dict[str, str]] = field(default_factory=list)
    """Headers of requests to the host that providers in the mood `elsewhere` redirect to."""
    retry_after: str = "120"
    refused_languages: set[str] = field(default_factory=set)
    """Values of Brave's `search_lang` that are not in its list today."""
    per_second: int | None = None
    """Queries that Brave takes in each second, as its key's policy says; refused are those beyond."""
    refused_for_rate: int = 0
    _last_at: float = 0.0
    failures_left: int | None = None
    """How often a mood shows before the provider answers well again; None: always."""

    def base_url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"

    def account(self, name: str, **settings: Any) -> Account:
        given = {"base_url": self.base_url(name), "total_seconds": 5.0, "concurrency": 2} | settings
        return Account(ADAPTERS[name], ProviderSettings(**given), key_of(name))

    def settings(self, *names: str) -> dict[str, str]:
        """The environment that sets these providers up."""
        found = {}
        for name in names:
            section = f"SURVEYOR_PROVIDERS__{name.upper()}"
            found |= {f"{section}__BASE_URL": self.base_url(name), f"{section}__KEY": key_of(name)}
        return found

    def asked(self, name: str) -> int:
        return sum(1 for seen in self.requests if seen.provider == name)

    @classmethod
    @asynccontextmanager
    async def serve(cls) -> AsyncIterator[SearchWeb]:
        self = cls()
        app, other = web.Application(), web.Application()
        app.router.add_route("*", "/{name}/{rest:.*}", self._answer)
        other.router.add_route("*", "/{rest:.*}", self._stranger)
        async with _running(app) as self.port, _running(other) as self.other_port:
            yield self

    other_port: int = 0

    async def _stranger(self, request: web.Request) -> web.Response:
        self.strangers.append(dict(request.headers))
        return web.json_response({})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        asked = await request.json() if request.method == "POST" else dict(request.query)
        query = str(asked.get("q", asked.get("query")))
        path = request.match_info["rest"]
        self.requests.append(Seen(name, request.method, path, query, asked, dict(request.headers)))
        if not _has_key(name, request):
            return _error(name, "bad_key", self)
        if name == "brave" and asked.get("search_lang") in self.refused_languages:
            where = {"type": "enum", "loc": ["query", "search_lang"], "msg": "Input should be 'ar', 'eu'"}
            error = {"code": "VALIDATION", "status": 422, "meta": {"errors": [where]}}
            return web.json_response({"type": "ErrorResponse", "error": error}, status=422)
        if name == "brave" and self.per_second:
            return self._at_its_rate(query)
        mood = self.moods.get(name)
        if mood and self.failures_left is not None:
            self.failures_left -= 1
            mood = mood if self.failures_left >= 0 else None
        if mood is None:
            return web.json_response(_document(name, query, self.rows(name, query)))
        if mood == "slow":
            await asyncio.sleep(30)
        return _error(name, mood, self)

    def _at_its_rate(self, query: str) -> web.Response:
        """One query in each part of the second that the rate gives it; no cap on the month."""
        assert self.per_second
        now = asyncio.get_running_loop().time()
        is_free = now - self._last_at >= 1 / self.per_second
        headers = {
            "X-RateLimit-Limit": f"{self.per_second}, 0",
            "X-RateLimit-Policy": f"{self.per_second};w=1, 0;w=2592000",
            "X-RateLimit-Remaining": f"{int(is_free)}, 0",
            "X-RateLimit-Reset": "1, 1419704",
        }
        if is_free:
            self._last_at = now
            return web.json_response(_document("brave", query, self.rows("brave", query)), headers=headers)
        self.refused_for_rate += 1
        error = {"code": "RATE_LIMITED", "status": 429, "detail": "Request rate limit exceeded for plan."}
        return web.json_response({"type": "ErrorResponse", "error": error}, status=429, headers=headers)


@asynccontextmanager
async def _running(app: web.Application) -> AsyncIterator[int]:
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _has_key(name: str, request: web.Request) -> bool:
    key = key_of(name)
    header = {"brave": "X-Subscription-Token", "serper": "X-API-KEY", "browserbase": "x-bb-api-key"}.get(name)
    shown = request.headers.get(header, "") if header else request.headers.get("Authorization", "")
    return name == "searxng" or shown == (key if header else f"Bearer {key}")


def _document(name: str, query: str, rows: Sequence[Row]) -> dict[str, Any]:
    """An answer as the provider documents it, with some of what it sends besides."""

    def listed(url: str, description: str | None, **more: Any) -> list[dict[str, Any]]:
        return [
            {url: row[0], "title": row[1], **({description: row[2]} if description else {}), **more}
            for row in rows
        ]

    match name:
        case "brave":
            web_part = {
                "type": "search",
                "results": listed("url", "description", language="en", age="1 day ago"),
            }
            return {
                "type": "search",
                "query": {"original": query, "more_results_available": True},
                "web": web_part,
            }
        case "searxng":
            found = listed("url", "content", engine="mojeek", score=1.0)
            return {
                "query": query,
                "number_of_results": 0,
                "results": found,
                "unresponsive_engines": [["qwant", "timeout"]],
            }
        case "serper":
            organic = [{**row, "position": place} for place, row in enumerate(listed("link", "snippet"), 1)]
            return {"searchParameters": {"q": query, "type": "search"}, "organic": organic, "credits": 2}
        case "tavily":
            usage = {"credits": 1}
            return {
                "query": query,
                "results": listed("url", "content", score=0.9),
                "usage": usage,
                "request_id": "r",
            }
        case "perplexity":
            return {"results": listed("url", "snippet", date="2026-01-01", last_updated=None), "id": "r"}
    return {"requestId": "r", "query": query, "results": listed("url", None, id="1", author=None)}


def _error(name: str, mood: str, server: SearchWeb) -> web.Response:
    match mood:
        case "captcha":
            return web.Response(
                status=403, text="<html><title>Captcha</title>Prove it.", content_type="text/html"
            )
        case "server_error":
            # Some echo what they were sent when they fall over.
            return web.json_response({"error": f"boom {key_of(name)}", "message": key_of(name)}, status=500)
        case "not_json":
            return web.Response(text="<html>Welcome</html>", content_type="text/html")
        case "no_frame":
            return web.json_response({"answer": 42})
        case "elsewhere":
            there = f"http://127.0.0.1:{server.other_port}/steal"
            return web.Response(status=302, headers={"Location": there})
    status, body, headers = _documented(name, mood, server.retry_after)
    return web.json_response(body, status=status, headers=headers)


def _documented(name: str, mood: str, wait: str) -> tuple[int, Any, dict[str, str]]:
    """Status, body and headers of the errors that providers tell apart."""
    limited = {"Retry-After": wait}
    match name, mood:
        case "brave", "bad_key":
            error = {
                "code": "SUBSCRIPTION_TOKEN_INVALID",
                "detail": "The provided subscription token is invalid.",
            }
            return 422, {"type": "ErrorResponse", "error": {**error, "status": 422}, "time": 1}, {}
        case "brave", "no_credit":
            windows = {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"}
            return 429, {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429}}, windows
        case "brave", "rate_limited":
            windows = {"X-RateLimit-Remaining": "0, 900", "X-RateLimit-Reset": f"{wait}, 1419704"}
            return 429, {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429}}, windows
        case "searxng", "bad_key":
            return 403, {"error": "Forbidden"}, {}
        case "searxng", "no_credit":
            return 402, {"error": "the proxy in front wants money"}, {}
        case "serper", "bad_key":
            return 403, {"message": "Unauthorized.", "statusCode": 403}, {}
        case "serper", "no_credit":
            return 400, {"message": "Not enough credits", "statusCode": 400}, {}
        case "tavily", "bad_key":
            return 401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}, {}
        case "tavily", "no_credit":
            return 432, {"detail": {"error": "This request exceeds your plan's set usage limit."}}, {}
        case "tavily", "rate_limited":
            return (
                429,
                {"detail": {"error": "Your request has been blocked due to excessive requests."}},
                limited,
            )
        case "perplexity", "bad_key":
            return (
                401,
                {"error": {"message": "Invalid API key", "type": "authentication_error", "code": 401}},
                {},
            )
        case "perplexity", "no_credit":
            error = {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": 401}
            return 401, {"error": error}, {}
        case "browserbase", "bad_key":
            return 401, {"statusCode": 401, "error": "Unauthorized", "message": "Invalid API key"}, {}
        case "browserbase", "no_credit":
            return 402, {"statusCode": 402, "error": "Payment Required", "message": "Out of searches"}, {}
    return 429, {"error": {"message": "Too many requests"}}, limited
