"""What a process that does one thing many times asks of the system: freed memory kept, many open files.

A parsed page is freed as a whole, and glibc gives such a lump back to the system at once, to ask for
it again with the next page. That costs as much as the parsing itself. And Python looks for cycles
after every few hundred objects, which is several times per page, and with every few search results that
are judged; neither leaves any to speak of.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

# Bytes; a hostile page's tree is larger, and goes back.
_KEPT = 32 * 1024 * 1024
# Bytes of one block: larger ones, such as a picture's, lie apart and go back at once. Among the small ones
# they would leave holes, and the memory grow with their number. Trees are made of smaller blocks.
_APART = 1024 * 1024
# Names of mallopt's parameters in glibc.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
# Objects made between two looks for cycles: some fifty pages' worth, a few megabytes.
_BETWEEN_LOOKS = 50_000
# Two connections for each of ten thousand domains, and room; some systems say "without limit".
_ENOUGH_FILES = 65_536


def look_past_modules(alive: int = 0) -> None:
    """To be called when most is loaded: modules and classes stay for good, and are not looked at again.

    `alive` is how many objects the work holds at a time: that they come to be is no sign of cycles.
    """
    gc.freeze()
    gc.set_threshold(max(_BETWEEN_LOOKS, alive))


def keep_heap(alive: int = 0) -> bool:
    """To be called once before the work begins; says whether the C library understood."""
    look_past_modules(alive)
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return False
    return bool(mallopt(_M_TRIM_THRESHOLD, _KEPT) and mallopt(_M_MMAP_THRESHOLD, _APART))


def raise_file_limit() -> int:
    """To be called once before the work begins; returns how many files and connections may be open.

    Systems start programs with 256 or 1,024, for old ones that cannot do with more, and let them ask.
    """
    import resource  # not on every system, and few processes need it

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    with suppress(OSError, ValueError):  # a system with a limit that it does not tell
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft
