"""What every answer carries and every request is held to, whatever its route: headers and size.

The policy lets a page load scripts, styles and images from here and from nowhere else, run no
script written into it, and be framed by nobody.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Bytes; the largest form is a pasted list of domains.
MOST_BYTES = 1_000_000
_TOO_LARGE = f"this is too large; the most is {MOST_BYTES:,} bytes"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # What a person may see is not for a cache between them and us.
    "cache-control": "no-store",
}


class Protection:
    """Wraps the whole application.

    `unexpected` makes the answer to an error that nobody foresaw, `too_large` to a body that is.
    """

    def __init__(
        self,
        app: ASGIApp,
        unexpected: Callable[[Request, Exception], ASGIApp],
        too_large: Callable[[Request, str], ASGIApp],
    ) -> None:
        self.app, self.unexpected, self.too_large = app, unexpected, too_large

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        secure = scope.get("scheme") == "https"
        has_begun = False

        async def send_shielded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if secure:
                    headers.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        if _declared_size(scope) > MOST_BYTES:
            await self.too_large(Request(scope), _TOO_LARGE)(scope, receive, send_shielded)
            return
        try:
            await self.app(scope, _counted(receive), send_shielded)
        except ClientDisconnect:
            return  # the client closed the connection in the middle of a body: nobody waits for an answer
        except _TooLarge:
            await self.too_large(Request(scope), _TOO_LARGE)(scope, receive, send_shielded)
        except Exception as error:
            answer = self.unexpected(Request(scope), error)
            if has_begun:
                raise
            await answer(scope, receive, send_shielded)


class _TooLarge(Exception):
    pass


def _declared_size(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else MOST_BYTES + 1
    return 0


def _counted(receive: Receive) -> Receive:
    """A body without a declared size ends at the limit too."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MOST_BYTES:
            raise _TooLarge
        return message

    return counted
