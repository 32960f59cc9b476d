"""IP addresses are no domains, however they are spelled, in texts of people and in links alike."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address

import pytest

from surveyor.errors import NotADomain
from surveyor.names import NameRules, canonical_domain, resolve

# Loopback, private, link-local, shared, "this", multicast, reserved, benchmark, documentation, public.
V4 = [
    address
    for line in (
        "127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0",
        "224.0.0.1 240.0.0.1 255.255.255.255 198.18.0.1 192.0.2.1 198.51.100.7 203.0.113.9 192.0.0.8",
        "8.8.8.8 93.184.216.34",
    )
    for address in line.split()
]
# The same, and addresses that carry an IPv4 address inside.
V6 = [
    address
    for line in (
        "::1 :: ::ffff:127.0.0.1 ::127.0.0.1 fe80::1 fec0::1 fc00::1 fd12:3456:789a::1 ff02::1 2002:7f00:1::",
        "64:ff9b::7f00:1 64:ff9b:1::1 2001::1 2001:db8::1 3fff::1 5f00::1 fe80::5efe:7f00:1 100::1",
        "0000:0000:0000:0000:0000:0000:0000:0001 2606:2800:220:1:248:1893:25c8:1946",
    )
    for address in line.split()
]


def _parts(address: str) -> list[int]:
    return [int(part) for part in address.split(".")]


SPELLINGS: dict[str, Callable[[str], str]] = {
    "dotted": str,
    "final dot": lambda a: f"{a}.",
    "decimal": lambda a: str(int(IPv4Address(a))),
    "decimal, final dot": lambda a: f"{int(IPv4Address(a))}.",
    "octal": lambda a: f"0{int(IPv4Address(a)):o}",
    "hex": lambda a: hex(int(IPv4Address(a))),
    "capital hex": lambda a: hex(int(IPv4Address(a))).upper(),
    "dotted octal": lambda a: ".".join(f"0{part:o}" for part in _parts(a)),
    "dotted hex": lambda a: ".".join(map(hex, _parts(a))),
    "padded": lambda a: ".".join(f"0x{part:08x}" for part in _parts(a)),
    "mixed": lambda a: "{}.0x{:x}.0{:o}.{}".format(*_parts(a)),
    "two parts": lambda a: f"{_parts(a)[0]}.{int(IPv4Address(a)) & 0xFFFFFF}",
    "three parts": lambda a: "{}.{}.".format(*_parts(a)) + str(int(IPv4Address(a)) & 0xFFFF),
    "fullwidth": lambda a: a.translate({ord(c): 0xFF10 + int(c) for c in "0123456789"}),
    "ideographic dots": lambda a: a.replace(".", "。"),
    "fullwidth dots": lambda a: a.replace(".", "．"),
    "circled": lambda a: a.translate(dict(zip(map(ord, "0123456789"), "⓪①②③④⑤⑥⑦⑧⑨", strict=True))),
    "bold": lambda a: a.translate({ord(c): 0x1D7CE + int(c) for c in "0123456789"}),
}


def _written(host: str) -> list[str]:
    return [
        host,
        f"http://{host}",
        f"https://{host}/path",
        f"//{host}",
        f"{host}:8080",
        f"http://u:p@{host}:80/",
    ]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("address", V4)
def test_an_ipv4_address_is_refused_in_every_spelling(address: str, spelling: str) -> None:
    host = SPELLINGS[spelling](address)
    for text in _written(host):
        with pytest.raises(NotADomain, match="it is an IP address"):
            canonical_domain(text)
        assert canonical_domain(text, NameRules(allow_hosts=True)).removesuffix(":8080") == address
    assert resolve("https://example.com/", f"//{host}/x") is None


@pytest.mark.parametrize("address", V6)
def test_an_ipv6_address_is_refused_in_every_spelling(address: str) -> None:
    for text in [address, address.upper(), *_written(f"[{address}]"), *_written(f"[{address.upper()}]")]:
        with pytest.raises(NotADomain, match="it is an IP address"):
            canonical_domain(text)
    assert resolve("https://example.com/", f"http://[{address}]/") is None


@pytest.mark.parametrize(
    "text",
    ["fe80::1%eth0", "[fe80::1%eth0]", "[fe80::1%25eth0]", "[::1%lo]", "[::1", "::1]", "[1.2.3.4]", "[]"],
)
def test_what_is_almost_an_ipv6_address_is_refused(text: str) -> None:
    with pytest.raises(NotADomain):
        canonical_domain(text, NameRules(allow_hosts=True))
    assert resolve("https://example.com/", f"//{text}/", NameRules(allow_hosts=True)) is None
