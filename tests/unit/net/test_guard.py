"""The guard as a pure function: which addresses, ports and schemes pass."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import BadSettings, NetError
from surveyor.net.guard import BaseUrlGuard, Guard, parse_address, why_not_public
from tests.support.addresses import FORBIDDEN, PUBLIC


def refuses(address: str) -> bool:
    try:
        Guard().check_addresses("host.example", [address])
    except NetError as error:
        assert error.code == "forbidden_address"
        return True
    return False


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_public_unicast_is_refused(address: str) -> None:
    assert refuses(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_passes(address: str) -> None:
    assert not refuses(address)


def test_both_lists_are_long_enough_to_mean_something() -> None:
    assert len(set(FORBIDDEN)) >= 48
    assert len(set(PUBLIC)) >= 50


@given(st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address))
def test_whatever_the_standard_library_calls_not_global_is_refused(
    address: IPv4Address | IPv6Address,
) -> None:
    if not address.is_global:
        assert why_not_public(address)


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_inside_an_ipv6_address_is_refused_public_or_not(inner: int) -> None:
    site = 0x2606_4700 << 96
    carriers = [
        inner,  # compatible
        0xFFFF << 32 | inner,  # mapped
        0xFFFF << 48 | inner,  # translated
        0x0064_FF9B << 96 | inner,  # NAT64
        0x2002 << 112 | inner << 80,  # 6to4
        0x2001_0000 << 96 | inner ^ 0xFFFF_FFFF,  # Teredo
        site | 0x0000_5EFE << 32 | inner,  # ISATAP
        site | 0x0200_5EFE << 32 | inner,
    ]
    assert all(why_not_public(IPv6Address(carrier)) for carrier in carriers)


def test_one_bad_address_among_good_ones_refuses_the_host() -> None:
    with pytest.raises(NetError, match=r"10\.0\.0\.1 \(private\)"):
        Guard().check_addresses("mixed.example", ["8.8.8.8", "1.1.1.1", "10.0.0.1"])


def test_what_is_no_address_at_all_is_refused() -> None:
    assert refuses("localhost")
    assert refuses("")


def test_an_allowed_network_is_an_exception_and_only_that_network() -> None:
    guard = Guard(["10.1.0.0/16", "fd00::/8"])
    guard.check_addresses("intranet.example", ["10.1.2.3", "fd00::1", "8.8.8.8"])
    for address in ("10.2.0.1", "::ffff:10.1.2.3", "fc00::1"):
        with pytest.raises(NetError):
            guard.check_addresses("intranet.example", [address])


def test_a_network_that_is_none_says_how_to_write_one() -> None:
    with pytest.raises(BadSettings, match=r"net\.allow.*localhost.*10\.1\.0\.0/16"):
        Guard(["localhost"])


@pytest.mark.parametrize("port", [80, 443, 8080, 8443])
def test_usual_web_ports_pass(port: int) -> None:
    Guard().check_target("http", "a.example", port)


@pytest.mark.parametrize("port", [22, 25, 53, 110, 3306, 5432, 6379, 9200, 11211, 27017])
def test_ports_of_other_services_are_refused(port: int) -> None:
    with pytest.raises(NetError) as caught:
        Guard().check_target("http", "a.example", port)
    assert caught.value.code == "forbidden_port"


def test_the_port_a_domain_carries_is_its_own_and_nobody_elses() -> None:
    guard = Guard()
    guard.check_target("http", "a.example", 3000, "a.example:3000")
    guard.check_target("http", "www.a.example", 3000, "a.example:3000")
    for host, port in (("b.example", 3000), ("a.example", 3001), ("aa.example", 3000)):
        with pytest.raises(NetError):
            guard.check_target("http", host, port, "a.example:3000")


@pytest.mark.parametrize("scheme", ["ftp", "file", "gopher", "ws", "javascript", ""])
def test_other_schemes_are_refused(scheme: str) -> None:
    with pytest.raises(NetError) as caught:
        Guard().check_target(scheme, "a.example", 80)
    assert caught.value.code == "forbidden_scheme"


def test_a_service_of_an_admin_may_be_private_but_nothing_else_may_be_asked() -> None:
    guard = BaseUrlGuard("http", "model.internal", 11434)
    guard.check_target("http", "model.internal", 11434)
    guard.check_addresses("model.internal", ["127.0.0.1", "10.0.0.1"])
    for scheme, host, port in (("http", "model.internal", 80), ("https", "model.internal", 11434)):
        with pytest.raises(NetError) as caught:
            guard.check_target(scheme, host, port)
        assert caught.value.code == "forbidden_redirect"


@given(st.text(max_size=40))
def test_parsing_an_address_never_raises(text: str) -> None:
    found = parse_address(text)
    assert found is None or found == ip_address(text.partition("%")[0])
