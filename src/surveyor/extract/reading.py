"""Reads one page from first byte to last: text, relevance, records, contacts. Pure; may be slow or die."""

from __future__ import annotations

from surveyor.extract import contacts, records
from surveyor.extract.analysis import Analysis
from surveyor.extract.model import Model
from surveyor.extract.pagetext import text_of
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.records import declared
from surveyor.extract.relevance import Words
from surveyor.extract.values import Page, Reading
from surveyor.profiles.kinds import BUILT_IN


class Reader:
    """For one profile, and the model trained here; what they say is compiled once."""

    def __init__(self, view: ProfileView, model: Model | None = None) -> None:
        self._view, self._words = view, Words(view, model)
        self._plugged = [kind for kind in view.kinds if kind not in BUILT_IN and kind not in view.declared]
        self._declared = [declared.Finder(name, kind) for name, kind in view.declared.items()]

    def read(self, page: Page) -> Reading:
        document = parse(page, self._view)
        text = text_of(document)
        analysis = Analysis(document, self._view)
        found = records.find(analysis, self._declared)
        failures: list[str] = []
        if self._plugged:
            from surveyor.extract import plugged  # loaded where a profile names what a package brings

            more, failures = plugged.find(page, text, self._plugged)
            found += more
        people = contacts.find(analysis)
        relevance = self._words.judge(document, text, found)
        relevance.reasons.extend(failures)
        return Reading(text, relevance, found, people)
