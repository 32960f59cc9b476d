"""How many files and connections this process may open: as many as the system lets it."""

from __future__ import annotations

import resource
from contextlib import suppress

# Two connections for each of ten thousand domains, and room; some systems say "without limit".
_ENOUGH = 65_536


def raise_limit() -> int:
    """To be called once before the work begins; returns how many may be open.

    Systems start programs with 256 or 1,024, for old ones that cannot do with more, and let them ask.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    with suppress(OSError, ValueError):  # a system with a limit that it does not tell
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft
