"""Records of a page: one finder per kind, and `find` asks those of the kinds that the profile wants.

A record is what the page itself offers or is; what it reports of others, teases or sells is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.extract import organisations
from surveyor.extract.records import funding, opportunity
from surveyor.extract.values import FoundRecord

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis
    from surveyor.extract.records.declared import Finder

__all__ = ["find"]


def find(page: Analysis, declared: Sequence[Finder] = ()) -> list[FoundRecord]:
    """All records of the kinds that the profile wants."""
    wanted = page.view.kinds
    around = organisations.find(page)
    names = [around.organisation.name] if around.organisation is not None else []
    found: list[FoundRecord] = []
    if funding.KIND in wanted:
        found += funding.find(page, names)
    if opportunity.KIND in wanted:
        found += opportunity.find(page, names)
    for finder in declared:
        found += finder.find(page, names)
    found += [one for one in around.places if one.kind in wanted]
    if around.organisation is not None and around.organisation.kind in wanted:
        found.append(around.organisation)
    return found
