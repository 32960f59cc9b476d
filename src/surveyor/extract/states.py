"""How far extraction is with one version of a page."""

from __future__ import annotations

from enum import StrEnum


class ExtractState(StrEnum):
    """How far extraction is with a snapshot."""

    WAITING = "waiting"  # new, or read with other rules or another profile
    TAKEN = "taken"  # a reader has it until its claim ends
    DONE = "done"  # read, or nothing that can be read
    UNCHANGED = "unchanged"  # read, and it says what the version before says
    QUARANTINED = "quarantined"  # it stopped three readers; the reason is kept
