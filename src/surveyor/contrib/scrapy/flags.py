"""The flags of the phases: each can be turned off alone, by the environment or by a setting.

The environment is stronger, so that an operator can take a phase back without a release.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Protocol

_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


class _Settings(Protocol):
    def get(self, name: str, default: object = None, /) -> object: ...


class BadFlag(ValueError):
    """A flag is neither on nor off; it says which one."""


@dataclass(frozen=True, slots=True)
class Flags:
    domain_tracking: bool = True  # phase A: domains and their counters; off: nothing is written at all
    per_domain_budget: bool = True  # phase B: pages per domain and run; what is left stays in the queue
    smart_scheduling: bool = False  # phase C: the register says which domains are crawled, not the seeds
    claim_protocol: bool = False  # phase C: domains are claimed when due, beside other workers
    refresh_mode: bool = False  # phase D: the spider `refresh` may run

    @classmethod
    def read(cls, settings: _Settings, environment: Mapping[str, str] | None = None) -> Flags:
        found = os.environ if environment is None else environment
        values = {}
        for field in fields(cls):
            spelled = f"ENABLE_{field.name.upper()}"
            values[field.name] = _flag(spelled, found.get(spelled, settings.get(spelled, field.default)))
        return cls(**values)

    @property
    def keeps_queue(self) -> bool:
        """Whether requests wait in the register's frontier; if not, Scrapy's own scheduler has them."""
        phases = self.per_domain_budget, self.smart_scheduling, self.claim_protocol, self.refresh_mode
        return self.domain_tracking and any(phases)


def _flag(name: str, value: object) -> bool:
    text = str(value).strip().lower()
    if text in _YES:
        return True
    if text in _NO:
        return False
    raise BadFlag(f"{name} is “{text[:40]}”; write true or false")
