"""JSON over HTTP to a service an admin configured: a search provider, a model, a webhook.

A client knows one base URL. Its host and port are allowed for this client alone, even on a
private address; nothing else is, so a key can leave for no other host, not even by a
redirect. Secrets named at construction appear in no error, no repr and no answer: a
service that echoes a key gets it redacted before anybody sees the text.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson

from surveyor.errors import BadSettings, NetError
from surveyor.net.body import ACCEPT_ENCODING
from surveyor.net.fetcher import user_agent
from surveyor.net.guard import BaseUrlGuard, ParsedUrl, parse
from surveyor.net.pool import Pool
from surveyor.net.reasons import Reason
from surveyor.net.redact import Redactor
from surveyor.net.resolver import Resolver
from surveyor.net.transport import (
    REDIRECTS,
    Limits,
    Request,
    Response,
    Transport,
    header_lines,
    verifying_tls,
)
from surveyor.settings import NetSettings

MAX_ANSWER_BYTES: Final = 8_000_000  # a page of results is some 100 kB, a model's answer less
MAX_HOPS: Final = 3  # redirects within the same origin, for requests that change nothing
TEXT_HEAD_CHARS: Final = 500  # enough of an error page to see what is wrong

_HEAD_READ_CHARS: Final = 4 * TEXT_HEAD_CHARS  # so that no secret is cut in two before it is redacted


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """What a service answered, whatever the status; `data` is None when it was not JSON."""

    status: int
    seconds: float
    headers: Mapping[str, str] = field(repr=False)
    data: Any = field(repr=False)
    text_head: str = field(repr=False)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class ApiClient(AbstractAsyncContextManager["ApiClient"]):
    """Speaks to one base URL. For one event loop; `close` it, or use it as an async context manager."""

    def __init__(
        self,
        base_url: str,
        settings: NetSettings,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Sequence[str] = (),
        seconds: float | None = None,
        tls: ssl.SSLContext | None = None,
        max_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        self._base = base = _base(base_url)
        self._redactor = Redactor(secrets)
        self._headers = {
            "User-Agent": user_agent(settings),
            "Accept": "application/json",
            "Accept-Encoding": ACCEPT_ENCODING,
            **(headers or {}),
        }
        _check_sendable(base.host, self._headers)
        self._limits = Limits(max_bytes, settings.total_seconds if seconds is None else seconds)
        self._resolver = Resolver(settings.hosts)
        self._guard = BaseUrlGuard(base.scheme, base.host, base.port)
        pool = Pool(
            self._guard, self._resolver, tls or verifying_tls(), connect_seconds=settings.connect_seconds
        )
        # No least rate: a model may think between words. The deadline holds.
        self._transport = Transport(pool, bytes_per_second=0)

    def __repr__(self) -> str:
        return f"ApiClient({self._base.scheme}://{self._base.authority})"

    async def request_json(
        self,
        method: str,
        path: str = "",
        *,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> ApiResponse:
        """Ask the service. `path` continues the base URL, or is a whole URL of the same origin."""
        request = self._request(method, path, params, json, headers)
        try:
            return self._response(await self._follow(request))
        except NetError as error:
            raise NetError(error.code, self._redactor.clean(error.detail)) from None

    async def _follow(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.seconds  # of all hops together
        for _ in range(MAX_HOPS + 1):
            target = request.target
            self._guard.check_target(target.scheme, target.host, target.port)
            left = self._limits._replace(seconds=deadline - loop.time())
            answer = await self._transport.send(request, left)
            if answer.status not in REDIRECTS:
                return answer
            if not request.repeatable or answer.location is None:
                raise NetError(
                    Reason.FORBIDDEN_REDIRECT,
                    f"{target.host} answers {request.method} with a redirect; "
                    "set the base URL to the final address",
                )
            request = request._replace(target=parse(answer.location))
        raise NetError(Reason.TOO_MANY_REDIRECTS, f"{request.target.host}: more than {MAX_HOPS} redirects")

    def _request(
        self,
        method: str,
        path: str,
        params: Mapping[str, str | int] | None,
        json: Any,
        headers: Mapping[str, str] | None,
    ) -> Request:
        fields = {**self._headers, **(headers or {})}
        body = b""
        if json is not None:
            body = orjson.dumps(json)
            fields["Content-Type"] = "application/json"
        if method != "GET":
            fields["Content-Length"] = str(len(body))
        _check_sendable(self._base.host, fields)
        target = parse(_with_params(self._url(path), params))
        return Request(target, header_lines(fields) + b"\r\n" + body, method, repeatable=method == "GET")

    def _url(self, path: str) -> str:
        if path.startswith(("http://", "https://")):
            return path
        return f"{self._base.url.rstrip('/')}/{path.lstrip('/')}" if path else self._base.url

    def _response(self, answer: Response) -> ApiResponse:
        text = answer.body.decode("utf-8", "replace")
        try:
            data = orjson.loads(text)
        except orjson.JSONDecodeError:
            data = None
        if data is not None and self._redactor.may_be_in(text):
            data = self._redactor.clean_json(data)
            text = orjson.dumps(data).decode()  # anew, so that nothing hides behind an escape
        head = self._redactor.clean(text[:_HEAD_READ_CHARS])[:TEXT_HEAD_CHARS]
        return ApiResponse(answer.status, answer.seconds, answer.headers, data, head)

    async def close(self) -> None:
        self._transport.pool.close()
        self._resolver.close()
        await asyncio.sleep(0)  # closed transports say good-bye in the loop's next round

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _base(base_url: str) -> ParsedUrl:
    try:
        return parse(base_url)
    except NetError:
        # Not shown: people paste keys into URLs.
        raise BadSettings("the base URL of a service must be like https://api.example.com/v1") from None


def _check_sendable(host: str, headers: Mapping[str, str]) -> None:
    if header_lines(headers).count(b"\r\n") != len(headers):
        raise BadSettings(f"a header or key for {host} holds a line break or control character; remove it")


def _with_params(url: str, params: Mapping[str, str | int] | None) -> str:
    if not params:
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode(params, quote_via=quote)}"
