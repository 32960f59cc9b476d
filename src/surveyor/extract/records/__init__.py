"""Records of a page: one finder per kind, and `find` asks those of the kinds that the profile wants.

A record is what the page itself offers or is; what it reports of others, teases or sells is none.
"""

from __future__ import annotations

from surveyor.extract.document import Document
from surveyor.extract.ground import Ground
from surveyor.extract.records import business, funding, opportunity, organisation, service
from surveyor.extract.values import FoundRecord

__all__ = ["find"]


def find(document: Document, ground: Ground) -> list[FoundRecord]:
    """All records of the kinds of `ground`."""
    bodies = organisation.find(document, ground)
    names = [body.name for body in bodies]
    found: list[FoundRecord] = []
    if funding.KIND in ground.kinds:
        found += funding.find(document, ground, names)
    if opportunity.KIND in ground.kinds:
        found += opportunity.find(document, ground, names)
    if "service" in ground.kinds:
        found += service.find(document, ground)
    if "business" in ground.kinds:
        found += business.find(document, ground)
    if "organisation" in ground.kinds:
        found += bodies
    return found
