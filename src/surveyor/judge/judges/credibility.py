"""DomainCredibilityJudge: how far a host is believed."""

from __future__ import annotations

from surveyor.judge.hosts import Hosts
from surveyor.judge.reading import Reading
from surveyor.profiles import Profile


class CredibilityJudge:
    name = "DomainCredibilityJudge"

    def __init__(self, profile: Profile) -> None:
        self._hosts = Hosts(profile)

    def __call__(self, reading: Reading) -> tuple[int, str]:
        return self._hosts.of_host(reading.domain)
