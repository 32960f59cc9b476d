"""Tells a sheet of decisions from a list of seeds by its first line, without losing that line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from surveyor.discover.seeds.decisions import is_header
from surveyor.discover.seeds.formats import SeedFormat


def with_format(lines: Iterable[bytes], wanted: SeedFormat) -> tuple[SeedFormat, Iterator[bytes]]:
    """The format, `DECISIONS` where the first line is its header, and all lines."""
    remaining = iter(lines)
    if wanted is not SeedFormat.AUTO:
        return wanted, remaining
    first = next(remaining, None)
    if first is None:
        return wanted, remaining
    found = SeedFormat.DECISIONS if is_header(first.decode("utf-8", "replace")) else wanted
    return found, chain([first], remaining)
