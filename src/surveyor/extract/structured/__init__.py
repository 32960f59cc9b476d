"""What a page says in marks for programs: JSON-LD, microdata, RDFa and meta elements, read in one pass each.

    read            all marks of a document: `items` and `meta`
    Item            one thing with types and properties; `text`, `texts` and `items` look into it
    address_text    a PostalAddress as people write it
    hours_text      opening hours as people write them

Broken marks give less, never an error; size, number and nesting are bounded.
"""

from __future__ import annotations

from surveyor.extract.structured.marks import read
from surveyor.extract.structured.readable import address_text, hours_text
from surveyor.extract.structured.values import Item, Structured

__all__ = ["Item", "Structured", "address_text", "hours_text", "read"]
