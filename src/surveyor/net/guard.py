"""The guard: says which schemes, ports and addresses a request may go to.

Only public unicast addresses pass. The lists are our own, because the standard
library's `is_global` follows a registry made for another question: it lets through
6to4, NAT64 and other addresses that carry a private IPv4 address inside. For IPv6 the
rule is turned round: only 2000::/3 is unicast in use, and from that the special parts
are taken away. Every check is made on addresses, after name resolution, so that no
spelling of a host can get around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

import ada_url

from surveyor.errors import BadSettings, NetError
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
    """Where a request goes: a URL cut once into the parts that are resolved, dialled and sent.

    The guard, the resolver, TLS and the Host header all see the same parts, so there is no second parser to
    disagree with. URLs that are already canonical (all that the register holds) are cut by one regular
    expression; any other goes through the WHATWG parser first.
    """

    scheme: str
    host: str  # lower-case ASCII; an IPv6 address without its brackets
    port: int
    authority: str  # what the Host header says: host, and port unless it is the scheme's own
    path: str  # path and query

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


@lru_cache(maxsize=128)  # a page's URL is cut for its address, and again for the request
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
    port = _DEFAULT_PORTS[scheme] if port_text is None else int(port_text)
    if not 0 < port < 65_536 or len(host) > 253:
        raise NetError(Reason.BAD_URL, "the host is too long, or the port is none")
    authority = host if port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"
    return ParsedUrl(scheme, host.strip("[]"), port, authority, path or "/")


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


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

WEB_PORTS: Final = frozenset({80, 443, 8000, 8008, 8080, 8081, 8088, 8443, 8888})
"""The registered ports, and those web servers commonly use beside them. No port here
belongs to another well-known service; any other must be part of the domain itself."""

_NOT_PUBLIC_V4: Final = tuple(
    (IPv4Network(network), why)
    for network, why in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud host services"),  # public by registry, private in one cloud
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmark"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)

_UNICAST_V6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_V6: Final = tuple(
    (IPv6Network(network), why)
    for network, why in (
        ("2001::/23", "protocol assignments"),  # Teredo, benchmark and ORCHID are in here
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3ffe::/16", "returned 6bone"),
        ("3fff::/20", "documentation"),
    )
)
# Why an address outside 2000::/3 is refused; only for the message, the refusal needs no list.
_NAMED_V6: Final = tuple(
    (IPv6Network(network), why)
    for network, why in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("::ffff:0:0:0/96", "IPv4-translated"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b::/32", "NAT64"),
        ("100::/16", "discard only"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
# The upper half of an ISATAP interface identifier; the lower half is an IPv4 address. The bit
# that says "unique" (0x0200) may be set or not.
_ISATAP_MARK: Final = 0x0000_5EFE
_ISATAP_MASK: Final = 0xFDFF_FFFF


def why_not_public(address: Address) -> str | None:
    """None when the address is public unicast, else the kind of address it is."""
    if isinstance(address, IPv4Address):
        return _kind_in(_NOT_PUBLIC_V4, address)
    if address not in _UNICAST_V6:
        return _kind_in(_NAMED_V6, address) or "not unicast in use"
    if (int(address) >> 32) & _ISATAP_MASK == _ISATAP_MARK:
        return "ISATAP"
    return _kind_in(_NOT_PUBLIC_V6, address)


def _kind_in(networks: Iterable[tuple[Network, str]], address: Address) -> str | None:
    return next((why for network, why in networks if address in network), None)


def parse_address(text: str) -> Address | None:
    """An address literal as a socket takes it (a zone id is dropped), or None for a name."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


class Guard:
    """The rule for crawled sites: public addresses, and the networks `net.allow` names besides."""

    __slots__ = ("_allow", "_passed")

    # Addresses remembered as allowed: a verdict never changes, and is asked for before every request.
    _MOST_PASSED = 10_000

    def __init__(self, allow: Sequence[str] = ()) -> None:
        self._allow = tuple(_network(text) for text in allow)
        self._passed: set[str] = set()

    def check_target(self, scheme: str, host: str, port: int, domain: str | None = None) -> None:
        """Refuse a scheme or port before anything is resolved.

        `domain` is the domain being crawled: a port that it carries is its own, for its own
        host alone.
        """
        if scheme not in ("http", "https"):
            raise NetError(Reason.FORBIDDEN_SCHEME, f"{scheme}: only http and https are fetched")
        if port not in WEB_PORTS and not _is_own_port(host, port, domain):
            raise NetError(Reason.FORBIDDEN_PORT, f"{host}:{port}: not a web port, nor the domain's own")

    def check_addresses(self, host: str, addresses: Sequence[str]) -> None:
        """Refuse a host when any address it has is forbidden: a mixed answer is an attack or a mistake."""
        for text in addresses:
            if text in self._passed:
                continue
            address = parse_address(text)
            why = "not an address" if address is None else why_not_public(address)
            if why is not None and not any(address in network for network in self._allow if address):
                raise NetError(
                    Reason.FORBIDDEN_ADDRESS,
                    f"{host} leads to {text} ({why}); if it is yours, name its network in net.allow",
                )
            if len(self._passed) >= self._MOST_PASSED:
                self._passed.clear()
            self._passed.add(text)


class BaseUrlGuard:
    """The rule for a service an admin configured: its own host and port, wherever they lead, and no other."""

    __slots__ = ("_host", "_port", "_scheme")

    def __init__(self, scheme: str, host: str, port: int) -> None:
        self._scheme, self._host, self._port = scheme, host, port

    def check_target(self, scheme: str, host: str, port: int, domain: str | None = None) -> None:
        if (scheme, host, port) != (self._scheme, self._host, self._port):
            raise NetError(
                Reason.FORBIDDEN_REDIRECT,
                f"{self._host} sends on to {scheme}://{host}:{port}; "
                "keys go to the configured base URL alone: set it to the final address",
            )

    def check_addresses(self, host: str, addresses: Sequence[str]) -> None:
        """Any address will do: the admin may well run the service on this machine."""


def _is_own_port(host: str, port: int, domain: str | None) -> bool:
    return domain is not None and f"{host.removeprefix('www.')}:{port}" == domain.removeprefix("www.")


def _network(text: str) -> Network:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise BadSettings(
            f"net.allow: “{text}” is not a network; write it like 10.1.0.0/16 or fd00::/8"
        ) from None
