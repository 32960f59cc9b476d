"""Memory between pages: the C library is asked to keep what a parsed page freed.

A parsed page is freed as a whole, and glibc gives such a lump back to the system at once, to ask for
it again with the next page. That costs as much as the parsing itself.
"""

from __future__ import annotations

import ctypes

# Bytes; a hostile page's tree is larger, and goes back.
_KEPT = 32 * 1024 * 1024
# Names of mallopt's parameters in glibc.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3


def keep_heap() -> bool:
    """To be called once when a worker starts; says whether the C library understood."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return False
    return bool(mallopt(_M_TRIM_THRESHOLD, _KEPT) and mallopt(_M_MMAP_THRESHOLD, _KEPT))
