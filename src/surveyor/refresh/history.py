"""What past visits showed of a page, in a few bytes: whole numbers, written with a version.

Bytes of another version, or of none, are a page without a past: a schedule begins anew, nothing breaks.
"""

from __future__ import annotations

from typing import NamedTuple

_VERSION = 1
# A visit counts as so much. Halving what is known then loses no change to rounding.
UNIT = 8
# A field is at most this large, in six bytes; enough for minutes of a thousand years.
_LARGEST = (1 << 42) - 1
_SEVEN_BITS, _MORE = 0x7F, 0x80


class History(NamedTuple):
    """Visits and changes are in units and fade, see `policy.remember`; times are minutes."""

    visits: int = 0  # after the first
    changes: int = 0  # of these, those that found another content
    minutes: int = 0  # between these visits, in all, fading with them
    interval: int = 0  # to the next visit, as it was planned
    gone: int = 0  # visits in a row that found no page
    barren: int = 0  # minutes of visits since the page gave its last record, or was first seen
    is_fruitful: int = 0  # 1: it has given a record

    def to_bytes(self) -> bytes:
        out = bytearray((_VERSION,))
        for number in self:
            rest = min(max(number, 0), _LARGEST)
            while rest > _SEVEN_BITS:
                out.append(rest & _SEVEN_BITS | _MORE)
                rest >>= 7
            out.append(rest)
        return bytes(out)

    @classmethod
    def of(cls, data: bytes | None) -> History:
        """Whatever the bytes are, a history comes of them; what cannot be one is empty."""
        if not data or data[0] != _VERSION:
            return cls()
        fields, number, shift = [], 0, 0
        for byte in data[1:]:
            number |= (byte & _SEVEN_BITS) << shift
            shift += 7
            if not byte & _MORE:
                fields.append(min(number, _LARGEST))
                number = shift = 0
        whole = len(fields) == len(cls._fields) and not shift
        found = cls(*fields) if whole else cls()
        return found if found.changes <= found.visits and found.is_fruitful <= 1 else cls()
