"""Cookies of one visit: what a site sets while it redirects goes back to it, and nowhere else.

Some sites answer the first request with a cookie and a redirect to the same page, and show it only to
those who send the cookie back. Cookies of ordinary pages are not kept, so a site shows everybody the
same pages; nothing outlives the visit.
"""

from __future__ import annotations

import re
from typing import Final

from surveyor.net.transport import Response

# A site that checks for cookies sets one or two; these keep a header within what every server takes.
_MOST: Final = 20
_MOST_CHARS: Final = 3_000
# Printable ASCII, as servers really send it, commas and quotes among it; nothing that could end a header.
_COOKIE: Final = re.compile(r"([!#-'*+.\w^`|~-]+)=([ -:<-~]*)(?:;(.*))?", re.ASCII)
_ENDED: Final = re.compile(r"(?:^|;)\s*max-age\s*=\s*(?:0|-\d+)\s*(?:;|$)", re.IGNORECASE)


class Cookies:
    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def learn(self, redirect: Response) -> bool:
        """Keep what a redirect sets; says whether the next request differs from the last one."""
        before = self.header
        for line in redirect.headers.getall("Set-Cookie"):
            if (found := _COOKIE.fullmatch(line)) is None:
                continue
            name, value, attributes = found.groups()
            if _ENDED.search(attributes or ""):
                self._values.pop(name, None)
            elif self._fits(name, value):
                self._values[name] = value
        return self.header != before

    @property
    def header(self) -> str | None:
        """The value of the Cookie header; none if there is nothing to send."""
        return "; ".join(f"{name}={value}" for name, value in self._values.items()) or None

    def _fits(self, name: str, value: str) -> bool:
        others = sum(len(key) + len(kept) for key, kept in self._values.items() if key != name)
        is_one_more = name not in self._values and len(self._values) >= _MOST
        return not is_one_more and others + len(name) + len(value) <= _MOST_CHARS
