"""Reads the bodies of a page for the tests of organisations, services and businesses."""

from __future__ import annotations

from dataclasses import replace

from surveyor.extract import records
from surveyor.extract.analysis import Analysis
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import FoundRecord, Page
from surveyor.profiles import loader
from tests.unit.extract.conftest import TODAY

URL = "https://www.willow.example/page"


def organisations(
    html: str, *, kinds: tuple[str, ...] = ("organisation", "service", "business"), url: str = URL
) -> list[FoundRecord]:
    """What the three finders give, for somebody who wants these kinds."""
    view = replace(ProfileView.of(loader.load("community")), kinds=kinds)
    document = parse(Page(url, html.encode(), "text/html; charset=utf-8", TODAY), view)
    return records.find(Analysis(document, view))


def fields(record: FoundRecord) -> dict[str, object]:
    return {name: field.value for name, field in record.fields.items()}
