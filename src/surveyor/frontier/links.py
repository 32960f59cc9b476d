"""Links of a fetched page as one compressed value, as `page_links` keeps them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

# Links compress well anyhow, and this is paid per page.
_ZLIB_LEVEL = 1


def pack_links(links: Sequence[str], foreign: Sequence[str]) -> bytes:
    """Targets of the domain begin with a slash, foreign links with their scheme."""
    return zlib.compress("\n".join([*links, *foreign]).encode(), _ZLIB_LEVEL)


def unpack_links(data: bytes) -> tuple[list[str], list[str]]:
    """Targets of the domain, and foreign links."""
    text = zlib.decompress(data).decode()
    every = text.split("\n") if text else []
    return [link for link in every if link.startswith("/")], [
        link for link in every if not link.startswith("/")
    ]
