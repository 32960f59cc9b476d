"""Addresses that nobody may be led to, addresses that are public, and the ways to write them in a URL."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, ip_address

_FORBIDDEN = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1 127.1.2.3
127.255.255.255 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170
192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::2 ::127.0.0.1 ::10.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:0:10.0.0.1
64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::a00:1 100::1 100:0:0:1::1 2001::1 2001:0:a00:1::1 2001:2::1
2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:a00:1:: 2002:808:808::1 3ffe::1 3fff::1 3fff:fff::1
5f00::1 4000::1 8000::1 fc00::1 fd12:3456::1 fd00:ec2::254 fe80::1 fe80::1%eth0 febf::1 fec0::1 feff::1
ff02::1 ff0e::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:192.168.0.1 2a00::5efe:8.8.8.8
"""
FORBIDDEN = _FORBIDDEN.split()

_PUBLIC = """
1.1.1.1 8.8.8.8 9.9.9.9 9.255.255.255 11.0.0.0 23.1.2.3 52.95.110.1 64.233.160.1 93.184.216.34 99.255.255.255
100.63.255.255 100.128.0.0 104.16.0.1 126.255.255.255 128.0.0.1 151.101.1.69 168.63.129.15 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 185.199.108.153 191.255.255.255 192.0.1.0 192.0.3.1 192.88.98.255
192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 203.0.112.255 203.0.114.0
216.58.0.1 223.255.255.255
2001:200::1 2001:4860:4860::8888 2001:500:88::1 2400:cb00::1 2600:1f18::1 2606:4700:4700::1111 2620:fe::fe
2800:3f0::1 2a00:1450:4001::200e 2a02:26f0::1 2a03:2880:f003::1 2c0f:fb50::1 2003::1 2001:db7::1 2001:db9::1
3ffd::1
"""
PUBLIC = _PUBLIC.split()


def in_url(address: str) -> str:
    """As the host of a URL."""
    return f"[{address}]" if ":" in address else address


def spellings(address: str) -> Iterator[str]:
    """Other ways to write it that a browser understands, as the host of a URL."""
    parsed = ip_address(address)
    if not isinstance(parsed, IPv4Address):
        yield f"[{parsed.exploded}]"
        return
    number, parts = int(parsed), address.split(".")
    yield f"{address}."
    yield str(number)
    yield hex(number)
    yield f"0{number:o}"
    yield ".".join(f"0{int(part):o}" for part in parts)
    yield ".".join(hex(int(part)) for part in parts)
    yield f"{parts[0]}.{number & 0xFF_FFFF}"
    yield address.replace(".", "。")
    yield address.translate({ord("0") + digit: chr(0xFF10 + digit) for digit in range(10)})
    yield f"%{ord(address[0]):x}{address[1:]}"
