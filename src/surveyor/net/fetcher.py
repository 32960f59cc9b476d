"""The one polite HTTP client: one request per call, through the guard, within the limits.

A call follows nothing: a redirect comes back as an answer with a `location`, and whoever
asked decides. It adds no cookies, no referrer and no credentials, and reads no proxy
from the environment. Certificates are always verified. Whatever goes wrong is a `NetError`
with a code from `reasons`. Delays and robots rules are kept by those who call.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final

from surveyor.errors import BadSettings
from surveyor.net.body import ACCEPT_ENCODING
from surveyor.net.guard import Guard, parse
from surveyor.net.pool import Pool
from surveyor.net.resolver import Resolver
from surveyor.net.transport import (
    GRACE_SECONDS,
    Limits,
    Request,
    Response,
    Transport,
    header_lines,
    verifying_tls,
)
from surveyor.settings import NetSettings

__all__ = ["ACCEPT_PAGES", "Fetcher", "Response", "user_agent"]

ACCEPT_PAGES: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"

_PLAIN_TEXT = re.compile(r"[ -~]+")


class Fetcher(AbstractAsyncContextManager["Fetcher"]):
    """For one event loop; `close` it, or use it as an async context manager.

    `hosts` is how many are asked in turns, so that a connection to each may be kept.
    """

    def __init__(
        self,
        settings: NetSettings,
        *,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
        grace: float = GRACE_SECONDS,
        hosts: int = 0,
    ) -> None:
        self._guard = Guard(settings.allow)
        self._resolver = resolver or Resolver(settings.hosts)
        self._limits = Limits(settings.max_bytes, settings.total_seconds)
        self._transport = Transport(
            Pool(
                self._guard,
                self._resolver,
                tls or verifying_tls(),
                connect_seconds=settings.connect_seconds,
                hosts=hosts,
            ),
            bytes_per_second=settings.min_bytes_per_second,
            grace=grace,
        )
        self._always = header_lines({"User-Agent": user_agent(settings), "Accept-Encoding": ACCEPT_ENCODING})
        self._about_us: dict[str, bytes] = {}  # by Accept: there are a handful

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int | None = None,
        deadline: float | None = None,
        accept: str = ACCEPT_PAGES,
        domain: str | None = None,
    ) -> Response:
        """Ask for one URL, once.

        A body over the limit of the settings fails as `too_large`; with `max_bytes` it is cut there
        instead, and says so (`truncated`). `deadline` is in seconds from now and includes connecting.
        `domain` is the domain being crawled: a port that it carries is allowed for its own host.
        """
        target = parse(url)
        self._guard.check_target(target.scheme, target.host, target.port, domain)
        about_us = self._about_us.get(accept)
        if about_us is None:
            about_us = self._about_us[accept] = self._always + header_lines({"Accept": accept})
        tail = about_us + header_lines(headers) + b"\r\n" if headers else about_us + b"\r\n"
        most, seconds, _ = self._limits
        limits = Limits(
            most if max_bytes is None else max_bytes,
            seconds if deadline is None else deadline,
            truncate=max_bytes is not None,
        )
        return await self._transport.send(Request(target, tail), limits)

    async def address_of(self, url: str) -> str:
        """The IP address a request to this URL would go to; for those who share an address fairly."""
        endpoints = await self._transport.pool.addresses(parse(url))
        return endpoints[0].address

    async def close(self) -> None:
        """Drop idle connections and forget what was resolved."""
        self._transport.pool.close()
        self._resolver.close()
        await asyncio.sleep(0)  # closed transports say good-bye in the loop's next round

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def user_agent(settings: NetSettings) -> str:
    """Who we are, and whom to write to."""
    text = f"{settings.user_agent} (+{settings.contact})" if settings.contact else settings.user_agent
    if not _PLAIN_TEXT.fullmatch(text):
        raise BadSettings(
            "net.user_agent and net.contact: use plain ASCII letters, they are sent in a header"
        )
    return text
