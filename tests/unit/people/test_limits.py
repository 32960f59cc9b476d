"""Whom an address counts for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.people.limits import TooManyTries, address_prefix


@pytest.mark.parametrize(
    ("address", "counts_for"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unix socket", "unix socket"),
        ("", ""),
    ],
)
def test_an_address_counts_for_its_customer(address: str, counts_for: str) -> None:
    assert address_prefix(address) == counts_for


@given(st.text())
def test_whatever_a_proxy_says_is_an_address_of_some_kind(text: str) -> None:
    assert len(address_prefix(text)) <= 100


def test_a_refusal_says_when_to_come_back() -> None:
    assert str(TooManyTries("logins", 0.2)) == "too many logins; try again in 1 s"
    assert str(TooManyTries("logins", 599.1)) == "too many logins; try again in 10 minutes"
