"""What is worked out of a page once, for every finder that asks: structured data, facts, channels, sections.

What takes long is made when it is first asked for, so a profile that wants no contacts or no programmes does
not pay for them. A value: nothing here changes once it is made, and nothing is kept beyond the page.
"""

from __future__ import annotations

from functools import cached_property

from surveyor.extract import structured
from surveyor.extract.contacts import channels
from surveyor.extract.contacts.channels import Channels
from surveyor.extract.document import Document
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.records import gate
from surveyor.extract.records.facts import Fact, facts_of, own_blocks
from surveyor.extract.records.programmes import Scope, sections_of
from surveyor.extract.records.refusals import Marks


class Analysis:
    """One page for one profile."""

    def __init__(self, document: Document, view: ProfileView) -> None:
        self.document, self.view = document, view
        self.structured = structured.read(document)
        self.main = own_blocks(document.main)
        """The main content without the parts that lead elsewhere."""
        self.is_month_first = document.language in {"en", None} and view.phone_regions[:1] == ("US",)
        """Whether 3/4 is the fourth of March."""
        self.chances: dict[str, float] = {}
        """How likely the page offers something of a kind, as far as it was asked."""

    @cached_property
    def facts(self) -> list[Fact]:
        """The main content as facts."""
        return facts_of(self.main)

    @cached_property
    def sections(self) -> list[Scope]:
        """The main content by its headings."""
        return sections_of(self.main)

    @cached_property
    def marks(self) -> Marks:
        """What speaks against the page as a source of records."""
        return Marks(self.document, self.structured)

    @cached_property
    def voice(self) -> tuple[str, ...]:
        """Who speaks, as signs."""
        return tuple(gate.voice_signs(self))

    @cached_property
    def channels(self) -> Channels:
        """Addresses, numbers, mail, hours and people, each with where it stands."""
        return channels.read(self.document, self.view, self.structured)
