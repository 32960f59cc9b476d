"""A kind of records: places that say how many beds, places or rooms they have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from surveyor.plugins import Found, PageContent

_NUMBERS = {"ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80}
_ROOM = re.compile(
    rf"^.*?\b(\d{{1,4}}|{'|'.join(_NUMBERS)})\s+(beds|places|rooms)\b.*$", re.IGNORECASE | re.MULTILINE
)


class Shelter:
    fields = ("name", "capacity", "unit", "website")

    def find(self, page: PageContent) -> Iterable[Mapping[str, Any]]:
        if page.title and (room := _ROOM.search(page.text)):
            number = _NUMBERS.get(room[1].lower()) or int(room[1])
            yield {
                "name": page.title,
                "capacity": Found(number, quote=room[0]),
                "unit": Found(room[2].lower(), quote=room[0]),
                "website": page.url,
            }


KIND = Shelter()
