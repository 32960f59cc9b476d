"""Duplicate pages: the same text under an address that names another one as its own.

Nothing is believed unseen: a page is a duplicate once the page that it names was fetched in this
visit and says the same.
"""

from __future__ import annotations

from surveyor.names import url_key

# Pages of a visit whose texts are remembered, 10 MB; beyond that duplicates are kept.
_MOST = 100_000


class Texts:
    """What the pages of one visit say, by the hash of their text."""

    def __init__(self) -> None:
        self._keys: dict[int, int] = {}

    def remember(self, text_hash: int, key: int) -> None:
        """A page that is its own canonical one."""
        if len(self._keys) < _MOST:
            self._keys.setdefault(text_hash, key)

    def stands_at(self, text_hash: int, target: str) -> bool:
        """Whether the page at this target was seen to say the same; a page without text says nothing."""
        return bool(text_hash) and self._keys.get(text_hash) == url_key(target)
