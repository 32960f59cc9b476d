"""Addresses as neighbours write them: a street with its number, perhaps a town, no postal code."""

from __future__ import annotations

import re
from typing import Final

from surveyor.extract.fields.streets import street_in

# Characters of a line that are looked at, and pieces of it.
_LOOKED_AT, _MOST_PIECES = 600, 20
_PIECES: Final = re.compile(r",\s+|[;:|()]\s*|(?<=[^\W\d_]{4})[.!?]\s+|\s[–—]\s|\n")
# "in Kulmbach", "à Grenoble": the town behind a street.
_TOWN: Final = re.compile(
    r"(?:in|à|en|în|в|гр\.|στην?|στο)\s+([A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]{2,}(?:[ -][A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]+)?)"
)
_NAME: Final = re.compile(r"[A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]{2,}(?: [A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]+){0,2}\.?")


def short_address(line: str) -> str | None:
    """The first street with a number, with the town that follows it."""
    pieces = [piece.strip() for piece in _PIECES.split(line[:_LOOKED_AT])[:_MOST_PIECES]]
    for number, piece in enumerate(pieces):
        street = street_in(piece) if piece else None
        if street is None or not street.strong or not any(map(str.isdigit, street.text)):
            continue
        town = _TOWN.match(street.rest)
        following = pieces[number + 1] if number + 1 < len(pieces) else ""
        if town is not None:
            return f"{street.text}, {town[1]}"
        if not street.rest and _NAME.fullmatch(following):
            return f"{street.text}, {following.rstrip('.')}"
        return street.text.rstrip(".,")
    return None
