"""Files and connections: a process asks for as many as it may have."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest

from surveyor.process.resources import raise_file_limit


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_low_limit_is_raised_as_far_as_the_system_allows() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    most = raise_file_limit()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, hard)
    assert most > 256 or hard == 256


def test_a_high_limit_is_not_lowered() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    assert raise_file_limit() == hard
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
