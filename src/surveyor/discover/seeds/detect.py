"""Tells sheets of decisions, tables and plain lists apart by their first lines, without losing those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from surveyor.discover.seeds.decisions import is_header
from surveyor.discover.seeds.formats import SeedFormat, detect
from surveyor.discover.seeds.prose import is_mail, is_prose
from surveyor.discover.seeds.tables import is_table
from surveyor.errors import BadInput
from surveyor.names import NameRules

# Enough to see past a title, a heading and a few notes.
_SAMPLE_LINES = 50
_PROSE = (
    "it reads like an e-mail or another text, not like a list; --format links queues the addresses in it for"
    " review, --format table or plain takes it for a list all the same"
)


def with_format(
    lines: Iterable[bytes], wanted: SeedFormat, rules: NameRules
) -> tuple[SeedFormat, Iterator[bytes]]:
    """The format, `DECISIONS` where the first line is its header, and all lines.

    What is written for people is refused: it names sites for many reasons, and a list approves them all.
    """
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
    if found is not SeedFormat.PLAIN:
        return found
    is_tabular = is_table(first, rules)
    if is_mail(first) or (is_tabular and is_prose(first, rules)):
        raise BadInput(_PROSE)
    return SeedFormat.TABLE if is_tabular else SeedFormat.PLAIN
