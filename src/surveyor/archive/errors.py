"""What can go wrong with content on disk.

    ArchiveError            the archive cannot be written or reached: stop, and tell a person
    └── ContentDamaged      one stored thing is not what was stored: fetch that one again
    NotAnImage              bytes that were offered as an image and are none (see images)

The difference between the first two matters: storage that is not mounted must never
look like a million damaged pages.
"""

from __future__ import annotations

from typing import Literal

from surveyor.errors import SurveyorError


class ArchiveError(SurveyorError):
    """The storage refused; nothing appended since the last good `sync` may be named in a row."""


class ContentDamaged(ArchiveError):
    """`location` (text) names content that is missing, cut off or altered; `detail` says which."""

    def __init__(self, location: object, detail: str) -> None:
        self.location, self.detail = str(location), detail
        super().__init__(f"{self.location} is damaged: {detail}; the page must be fetched again")

    def __reduce__(self) -> tuple[type[ContentDamaged], tuple[str, str]]:
        return ContentDamaged, (self.location, self.detail)


NotAnImageReason = Literal[
    "empty", "markup", "unknown_format", "too_large", "truncated", "damaged", "harmful"
]


class NotAnImage(SurveyorError):
    """`reason` is the code that is stored; `detail` is for people."""

    def __init__(self, reason: NotAnImageReason, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"not an image ({reason}): {detail}")

    def __reduce__(self) -> tuple[type[NotAnImage], tuple[NotAnImageReason, str]]:
        # Where it is pickled, the default would call it with the message alone.
        return NotAnImage, (self.reason, self.detail)
