"""The flags of the phases: each can be turned off alone, by the environment or by a setting.

The environment is stronger, so that an operator can take a phase back without a release.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


class _Settings(Protocol):
    def get(self, name: str, default: object = None, /) -> object: ...


class BadFlag(ValueError):
    """A flag is neither on nor off; it says which one."""


@dataclass(frozen=True, slots=True)
class Flags:
    domain_tracking: bool = True  # phase A: domains and their counters; off: nothing is written at all

    @classmethod
    def read(cls, settings: _Settings, environment: Mapping[str, str] | None = None) -> Flags:
        found = os.environ if environment is None else environment
        values = {}
        for name, default in _DEFAULTS.items():
            spelled = f"ENABLE_{name.upper()}"
            values[name] = _flag(spelled, found.get(spelled, settings.get(spelled, default)))
        return cls(**values)


_DEFAULTS = {"domain_tracking": True}


def _flag(name: str, value: object) -> bool:
    text = str(value).strip().lower()
    if text in _YES:
        return True
    if text in _NO:
        return False
    raise BadFlag(f"{name} is “{text[:40]}”; write true or false")
