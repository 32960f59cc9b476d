"""Where a request goes: a URL cut once into the parts that are resolved, dialled and sent.

The guard, the resolver, TLS and the Host header all see the same parts, so there is no
second parser to disagree with. URLs that are already canonical (all that the register
holds) are cut by one regular expression; any other goes through the WHATWG parser first.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import ada_url

from surveyor.errors import NetError
from surveyor.net.reasons import Reason

MAX_URL_CHARS = 16_384  # twice what the longest real links need; checked before any parsing

_DEFAULT_PORTS = {"http": 80, "https": 443}
# A name whose last label begins with a letter (so no spelling of an IPv4 address gets here),
# then a target of printable ASCII without a fragment.
_CANONICAL = re.compile(
    r"(https?)://((?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}\.?|\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+)"
    r"(?::(\d{1,5}))?(/[!\"$-~]*)?",
)
_NUMERIC = re.compile(r"\d+\.\d+\.\d+\.\d+")


class ParsedUrl(NamedTuple):
    scheme: str
    host: str  # lower-case ASCII; an IPv6 address without its brackets
    port: int
    authority: str  # what the Host header says: host, and port unless it is the scheme's own
    path: str  # path and query

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse(url: str) -> ParsedUrl:
    """The parts of an absolute http(s) URL, or NetError (`bad_url`, `forbidden_scheme`)."""
    if len(url) > MAX_URL_CHARS:
        raise NetError(Reason.BAD_URL, f"longer than {MAX_URL_CHARS} characters")
    match = _CANONICAL.fullmatch(url)
    if match is None or _NUMERIC.fullmatch(match[2]):
        match = _CANONICAL.fullmatch(_normal(url))
        if match is None:
            raise NetError(Reason.BAD_URL, "the URL has no usable host, or more in it than host and path")
    scheme, host, port_text, path = match.groups()
    return _target(scheme, host, port_text, path or "/")


def _target(scheme: str, host: str, port_text: str | None, path: str) -> ParsedUrl:
    port = _DEFAULT_PORTS[scheme] if port_text is None else int(port_text)
    if not 0 < port < 65_536 or len(host) > 253:
        raise NetError(Reason.BAD_URL, "the host is too long, or the port is none")
    authority = host if port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"
    return ParsedUrl(scheme, host.strip("[]"), port, authority, path)


def _normal(url: str) -> str:
    """The URL as a browser would write it; user names and passwords in it are refused, not sent."""
    try:
        parsed = ada_url.URL(url)
    except (ValueError, UnicodeError):
        raise NetError(Reason.BAD_URL, "not an absolute URL") from None
    if parsed.protocol not in ("http:", "https:"):
        raise NetError(Reason.FORBIDDEN_SCHEME, f"{parsed.protocol[:20]} only http and https are fetched")
    if parsed.username or parsed.password:
        raise NetError(Reason.BAD_URL, "a URL with a user name or password in it is not fetched")
    return str(parsed.href.partition("#")[0])


def join(base: ParsedUrl, location: str) -> str | None:
    """The absolute URL a Location header means, of whatever scheme, or None when it means nothing."""
    if not location or len(location) > MAX_URL_CHARS:
        return None
    try:
        return str(ada_url.join_url(base.url, location)).partition("#")[0]
    except ValueError:
        return None
