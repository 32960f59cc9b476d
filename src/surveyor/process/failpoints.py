"""Named points at which a test lets the process die: `SURVEYOR_FAILPOINT=name:n` kills it at the nth pass.

With `name:n:raise` the code fails there instead, with an error that nobody expects.
They stand at the boundaries of what is durable. Without the variable a pass costs one comparison.
"""

from __future__ import annotations

import os
import signal

NAMES = frozenset(
    {
        "after_claim",
        "after_open",
        "after_robots",
        "after_fetch",
        "after_archive",
        "in_commit",
        "before_commit",
        "after_commit",
        "after_settle",
        "before_release",
        "in_release",
        "after_release",
    }
)

# The same for extraction: between the claim of a version and what was read of it.
EXTRACTING = frozenset(
    {"after_extract_claim", "in_extract_commit", "before_extract_commit", "after_extract_commit"}
)

# The same for judging: within a domain's transaction, and after it.
JUDGING = frozenset({"in_judging", "after_judging"})

_name, _count, _manner, *_ = [*os.environ.get("SURVEYOR_FAILPOINT", "").split(":"), "", ""]
_left = int(_count or 1)


class Broken(Exception):
    """What a failpoint raises; no error of ours, as a mistake would not be."""


def failpoint(name: str) -> None:
    global _left
    if name == _name:
        _left -= 1
        if _left <= 0 and _manner == "raise":
            raise Broken(f"failpoint {name}")
        if _left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
