"""Meta elements by property or name: OpenGraph and its relatives."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.structured.values import LONGEST_TEXT

# Meta elements of one page that are read.
_MOST = 300


def read(tree: LexborHTMLParser) -> dict[str, str]:
    """The first content of each, by its name in small letters."""
    found: dict[str, str] = {}
    for node in tree.css("meta[content]")[:_MOST]:
        values = node.attributes
        name = (values.get("property") or values.get("name") or "").strip().lower()
        content = " ".join((values.get("content") or "")[:LONGEST_TEXT].split())
        if name and content:
            found.setdefault(name, content)
    return found
