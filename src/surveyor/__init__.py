"""Surveyor keeps a register of web domains.

Six stages read domains in one condition and write to the registry:
discover, judge, review, crawl, extract, refresh. They never call each other.

For programs:

    import surveyor

    async with surveyor.open_workspace("my-workspace") as workspace:
        async for record in workspace.records():
            print(record.name, record.source_url)

The names below are the public face, and those of `surveyor.plugins` are for extensions; everything else is
private and may change with any release. They are loaded when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surveyor.errors import SurveyorError
    from surveyor.public import (
        Candidate,
        Decided,
        Document,
        Domain,
        Event,
        FoundRecord,
        Judgment,
        Page,
        Record,
        Submitted,
        Workspace,
        open_workspace,
    )

__all__ = [
    "Candidate",
    "Decided",
    "Document",
    "Domain",
    "Event",
    "FoundRecord",
    "Judgment",
    "Page",
    "Record",
    "Submitted",
    "SurveyorError",
    "Workspace",
    "__version__",
    "open_workspace",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'surveyor' has no attribute {name!r}")
    if name == "SurveyorError":
        from surveyor import errors

        return errors.SurveyorError
    from surveyor import public

    return getattr(public, name)


def __dir__() -> list[str]:
    return sorted(__all__)
