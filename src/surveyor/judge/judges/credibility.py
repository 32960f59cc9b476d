"""DomainCredibilityJudge: how far a host is believed."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from surveyor.judge.hosts import Hosts
from surveyor.judge.reading import Reading
from surveyor.profiles import Profile

_REMEMBERED: Final = 1 << 13  # hosts; about 2 MB, results of one host come together


class CredibilityJudge:
    name = "DomainCredibilityJudge"

    def __init__(self, profile: Profile) -> None:
        # What is said of a host does not change from one result to the next.
        self._of_host = lru_cache(maxsize=_REMEMBERED)(Hosts(profile).of_host)

    def __call__(self, reading: Reading) -> tuple[int, str]:
        return self._of_host(reading.domain)
