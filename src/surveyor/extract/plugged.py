"""Kinds of records that others brought: what their finders are given, and what is taken from them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, Final

from surveyor import entry_points
from surveyor.entry_points import Group, described
from surveyor.extract.values import Field, FoundRecord, Page, PageText, Source
from surveyor.plugins import Found, PageContent

# Records that one finder gives for one page; the rest is left.
_MOST: Final = 100


def find(page: Page, text: PageText, kinds: Collection[str]) -> tuple[list[FoundRecord], list[str]]:
    """The records of plugged kinds, and what went wrong, a line each."""
    content = PageContent(page.url, text.title, text.language, text.text, page.body, page.seen_on)
    records, failures = list[FoundRecord](), list[str]()
    plugged = entry_points.load(Group.RECORDS)
    for kind in kinds:
        try:
            if kind not in plugged.objects:
                raise LookupError(_why_missing(plugged, kind))
            records += list(_records(kind, plugged.objects[kind], content))
        except Exception as error:
            failures.append(f"the plugin {kind} failed: {described(error)}")
    return records, failures


def _why_missing(plugged: entry_points.Loaded, kind: str) -> str:
    broken = [one.error for one in plugged.plugins if one.name == kind and one.error]
    return broken[0] if broken else "no package brings it"


def _records(kind: str, finder: Any, content: PageContent) -> Iterator[FoundRecord]:
    known = tuple(finder.fields)
    for found in islice(finder.find(content), _MOST):
        fields = {name: _field(found[name]) for name in known if found.get(name) not in (None, "", [])}
        if isinstance(fields.get("name", Field("", Source.TEXT, "")).value, str) and fields.get("name"):
            yield FoundRecord(kind, fields)


def _field(given: Any) -> Field:
    value, quote = given if isinstance(given, Found) else (given, "")
    if not isinstance(value, str | int | float | list):
        raise TypeError(f"a field is a text, a number or a list of texts, not {type(value).__name__}")
    return Field(value, Source.STRUCTURE, " ".join(str(quote).split()))
