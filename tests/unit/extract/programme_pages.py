"""Small whole pages with programmes and things to sign up for, and what a person would take from each."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from surveyor.extract import records
from surveyor.extract.analysis import Analysis
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import FoundRecord, Page
from surveyor.profiles import loader

FOLDER: Final = Path(__file__).parents[2] / "data" / "programmes"
TODAY: Final = date(2026, 11, 15)
ANSWERS: Final[dict[str, Any]] = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def names(kind: str) -> list[str]:
    """Pages of the profile that looks for this kind."""
    profile = "funding" if kind == "funding_program" else "community"
    return sorted(name for name, answer in ANSWERS.items() if answer["profile"] == profile)


URL = "https://www.giver.example/page"


def read(
    html: str | bytes,
    *,
    profile: str = "funding",
    language: str = "en",
    url: str = URL,
    content_type: str = "text/html; charset=utf-8",
) -> list[FoundRecord]:
    """The records of a page."""
    view = ProfileView.of(loader.load(profile))
    if language not in view.languages:
        view = replace(view, languages=(*view.languages, language))
    body = html.encode() if isinstance(html, str) else html
    page = Page(url, body, content_type, TODAY)
    return records.find(Analysis(parse(page, view), view))


def found_on(name: str, kind: str) -> dict[str, Any]:
    """What is found on a page, in the shape of the answers."""
    answer = ANSWERS[name]
    html = (FOLDER / f"{name}.html").read_bytes()
    found = read(html, profile=answer["profile"], language=answer["language"])
    return {
        "records": [
            {"kind": one.kind, "fields": {key: field.value for key, field in one.fields.items()}}
            for one in found
            if one.kind == kind
        ],
        "contacts": [],
    }
