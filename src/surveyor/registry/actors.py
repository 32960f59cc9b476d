"""Who does something: every change names its actor."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    ADMIN = "admin"  # everything
    REVIEWER = "reviewer"  # decide and see
    SUBMITTER = "submitter"  # own submissions
    SYSTEM = "system"  # the program itself: policies, workers, stages


@dataclass(frozen=True, slots=True)
class Actor:
    name: str
    role: Role

    @classmethod
    def operator(cls) -> Actor:
        """Whoever runs a command on this machine; they hold the database, so they are an admin."""
        try:
            name = getpass.getuser()
        except (OSError, KeyError):  # no such user in a container
            name = "operator"
        return cls(f"cli:{name}", Role.ADMIN)

    @classmethod
    def worker(cls, worker_id: str) -> Actor:
        return cls(worker_id, Role.SYSTEM)


SYSTEM = Actor("system", Role.SYSTEM)
