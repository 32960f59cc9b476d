"""Heads that the parser refuses, written again as browsers read them.

Home-made servers, old gateways and careless plugins send header lines without a name, the same
Content-Length twice, or lengths beside chunks. Every browser reads over them, so nobody at the site
notices. What contradicts itself, such as two lengths, stays as it is and is refused again.

Nothing of an answer is sent on, and its connection serves no other, so nobody can be made to see another
answer than we do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

# A blank line. Some programs write one CR too many at each line. It is looked for from its LF, since a search
# that began at each CR would take a second for a head that is nothing else.
_END: Final = re.compile(rb"\n\r*\n")
_STATUS: Final = re.compile(rb"HTTP(?:/\d(?:\.\d)?)?[ \t]+(\d{3})(?:[ \t](.*))?", re.IGNORECASE | re.DOTALL)
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)", re.DOTALL)
_SWITCHES: Final = b"101"

_Fields = list[tuple[bytes, bytes]]


def may_be_head(data: bytes) -> bool:
    """Whether what a connection began with could become the head of an answer."""
    return data[:5].upper() in (b"HTTP/", b"HTTP ")


def repaired(data: bytes) -> bytes | None:
    """An answer with a plain head; None while its head is not all there. Interim answers are left out.

    What has no status line is given back as it is, for the parser to refuse.
    """
    while (end := _END.search(data)) is not None:
        first, *lines = (line.strip(b"\r") for line in data[: end.start()].split(b"\n"))
        status = _STATUS.fullmatch(first)
        if status is None:
            return data
        if not status[1].startswith(b"1") or status[1] == _SWITCHES:
            return _written(status, _framed(_fields(lines))) + data[end.end() :]
        data = data[end.end() :]
    return None


def _written(status: re.Match[bytes], fields: _Fields) -> bytes:
    lines = [b"HTTP/1.1 %b %b" % (status[1], _one_line(status[2] or b""))]
    lines += [b"%b: %b" % field for field in fields]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _fields(lines: Iterable[bytes]) -> _Fields:
    """Name and value of each line that has a name; what is folded belongs to the line above, named or not."""
    unfolded: list[bytes] = []
    for line in lines:
        if line[:1] in (b" ", b"\t") and unfolded:
            unfolded[-1] += b" " + line.strip()
        else:
            unfolded.append(line)
    found = (_FIELD.fullmatch(line) for line in unfolded)
    return [(field[1], _one_line(field[2])) for field in found if field is not None]


def _one_line(value: bytes) -> bytes:
    return value.replace(b"\r", b" ").strip(b" \t")


def _framed(fields: _Fields) -> _Fields:
    """One way to tell where the body ends: chunks before a length, and a length once."""
    codings = _values(fields, b"transfer-encoding")
    lengths = _values(fields, b"content-length")
    dropped = set()
    if codings <= {b"identity", b""}:
        dropped.add(b"transfer-encoding")
    elif lengths:
        dropped.add(b"content-length")
    kept = [field for field in fields if field[0].lower() not in dropped]
    if len(lengths) != 1 or b"content-length" in dropped:
        return kept
    kept = [field for field in kept if field[0].lower() != b"content-length"]
    return [*kept, (b"Content-Length", lengths.pop())]


def _values(fields: _Fields, name: bytes) -> set[bytes]:
    """What all headers of a name say, each of their lists cut at its commas."""
    texts = [value for known, value in fields if known.lower() == name]
    return {part.strip().lower() for text in texts for part in text.split(b",")}
