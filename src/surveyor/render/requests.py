"""A request of a page that waits for an answer, and the answers that there are."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from surveyor.net.fetcher import Response

# Headers of an answer that mean something to the page. Cookies, validators and hints are not among them.
_PASSED_ON: Final = (
    "Content-Type",
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Expose-Headers",
    "Content-Security-Policy",
)


class Paused(NamedTuple):
    """As the browser says it."""

    session: str
    values: dict[str, Any]

    @property
    def url(self) -> str:
        return str(self.values["request"]["url"])

    @property
    def method(self) -> str:
        return str(self.values["request"]["method"])

    @property
    def kind(self) -> str:
        """`document`, `script`, `xhr`, `fetch`, `stylesheet`, `image`, ..."""
        return str(self.values.get("resourceType", "")).lower()

    @property
    def frame(self) -> str:
        return str(self.values.get("frameId", ""))

    @property
    def navigates(self) -> bool:
        return self.kind == "document"

    def header(self, name: str) -> str:
        headers = self.values["request"].get("headers", {})
        return next((str(value) for key, value in headers.items() if key.lower() == name), "")


class Sending(Protocol):
    def send(self, method: str, params: dict[str, Any], session: str = "") -> None: ...


def fulfill(tab: Sending, paused: Paused, response: Response) -> None:
    known = ((name, response.headers.get(name)) for name in _PASSED_ON)
    headers = {name: value for name, value in known if value is not None and _plain(value)}
    _send(tab, paused, response.status, _with_origin(paused, headers), response.body)


def fulfill_empty(tab: Sending, paused: Paused, content_type: str) -> None:
    _send(tab, paused, 200, _with_origin(paused, {"Content-Type": content_type}), b"")


def fulfill_preflight(tab: Sending, paused: Paused) -> None:
    """The browser asks whether a page may ask: it may, and what it then asks for is judged like anything."""
    headers = {
        "Access-Control-Allow-Methods": paused.header("access-control-request-method") or "GET",
        "Access-Control-Allow-Headers": paused.header("access-control-request-headers"),
    }
    _send(tab, paused, 204, _with_origin(paused, headers), b"")


def fail(tab: Sending, paused: Paused, reason: str) -> None:
    tab.send(
        "Fetch.failRequest",
        {"requestId": paused.values["requestId"], "errorReason": reason},
        session=paused.session,
    )


def _send(tab: Sending, paused: Paused, status: int, headers: dict[str, str], body: bytes) -> None:
    values = {
        "requestId": paused.values["requestId"],
        "responseCode": status,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
        "body": b64encode(body).decode("ascii"),
    }
    tab.send("Fetch.fulfillRequest", values, session=paused.session)


def _with_origin(paused: Paused, headers: dict[str, str]) -> dict[str, str]:
    """We ask without naming the page's origin, so a site that names those it allows names nobody."""
    origin = paused.header("origin")
    if not origin or "Access-Control-Allow-Origin" in headers or _origin(paused.url) == origin:
        return headers
    if not _plain(origin):
        return headers
    return headers | {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Credentials": "true",
    }


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _plain(value: str) -> bool:
    return value.isprintable() and value.isascii()
