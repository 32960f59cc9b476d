"""The service of a page, if it presents one."""

from __future__ import annotations

from surveyor.extract import bodies
from surveyor.extract.document import Document
from surveyor.extract.ground import Ground
from surveyor.extract.values import FoundRecord


def find(document: Document, ground: Ground) -> list[FoundRecord]:
    found = bodies.of(document, ground).service
    return [found] if found is not None else []
