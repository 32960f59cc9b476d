"""The public face, as `import surveyor` shows it: a workspace to open, and the values it gives.

These names stay; `docs/using-from-python.md` says what is promised about them. Every other module of the
package is private and may change with any release.
"""

from surveyor.public.values import (
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
)
from surveyor.public.workspace import Workspace, open_workspace

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
    "Workspace",
    "open_workspace",
]
