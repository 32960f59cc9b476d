"""URLs of requests as the register names them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from surveyor.errors import NotADomain, NotAUrl
from surveyor.names import NameRules, PageUrl, parse_url

# What all pages of a site share is on each of them: so many URLs are remembered, some 2 MB.
_REMEMBERED = 4_096


def url_reader(rules: NameRules) -> Callable[[str], PageUrl | None]:
    """A function that reads a URL; None where it is none of a page."""

    @lru_cache(maxsize=_REMEMBERED)
    def read(text: str) -> PageUrl | None:
        try:
            return parse_url(text, rules=rules)
        except (NotADomain, NotAUrl):
            return None

    return read
