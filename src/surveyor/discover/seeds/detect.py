"""Tells sheets of decisions, tables and plain lists apart by their first lines, without losing those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from surveyor.discover.seeds.decisions import is_header
from surveyor.discover.seeds.formats import SeedFormat, detect
from surveyor.discover.seeds.tables import is_table
from surveyor.names import NameRules

# Enough to see past a title, a heading and a few notes.
_SAMPLE_LINES = 50


def with_format(
    lines: Iterable[bytes], wanted: SeedFormat, rules: NameRules
) -> tuple[SeedFormat, Iterator[bytes]]:
    """The format, `DECISIONS` where the first line is its header, and all lines."""
    remaining = iter(lines)
    if wanted is not SeedFormat.AUTO:
        return wanted, remaining
    first = list(islice(remaining, _SAMPLE_LINES))
    return _format_of(first, rules), chain(first, remaining)


def _format_of(first: list[bytes], rules: NameRules) -> SeedFormat:
    texts = [line.decode("utf-8", "replace").strip() for line in first]
    if texts and is_header(texts[0]):
        return SeedFormat.DECISIONS
    speaking = next((text for text in texts if text and not text.startswith("#")), "")
    found = detect(speaking)
    if found is SeedFormat.PLAIN and is_table(first, rules):
        return SeedFormat.TABLE
    return found
