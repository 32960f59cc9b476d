"""How much of a long proof is done: a small piece with every run, the whole of it by `./dev lab suite`."""

from __future__ import annotations

import os
from typing import Final, TypeVar

VARIABLE: Final = "SURVEYOR_TEST_WHOLE"
WHOLE: Final = os.environ.get(VARIABLE) == "1"  # asked for once: fixtures take such variables away
T = TypeVar("T")


def size(small: T, whole: T) -> T:
    return whole if WHOLE else small
