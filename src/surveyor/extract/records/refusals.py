"""Pages that talk of programmes and offer none: reports, explanations, brokers, advisers, shops, logins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

from surveyor.extract.document import Block, BlockKind, Document, Region
from surveyor.extract.layout.boilerplate import is_stamp
from surveyor.extract.lexicon import cues, plain, words
from surveyor.extract.records.naming import is_generic, names_a_body
from surveyor.extract.structured import Structured

# Characters of the content that are looked at.
_LOOKED_AT: Final = 12_000
_ARTICLES: Final = frozenset(
    {"NewsArticle", "ReportageNewsArticle", "AnalysisNewsArticle", "OpinionNewsArticle"}
)
_POSTS: Final = frozenset({"BlogPosting", "LiveBlogPosting", "Review", "Product", "Recipe"})
# Marks of a report or of a blog, in its address; and of pages that list what others say.
_PRESS_PATHS: Final = frozenset(words("refusals", "press_paths"))
_WEAK_PATHS: Final = frozenset(words("refusals", "weak_paths"))
_LIST_PATHS: Final = frozenset(words("refusals", "list_paths"))
# An address with a year and a month in it, as blogs and newspapers have, or with the number of an article.
_DATED_PATH: Final = re.compile(r"/(?:19|20)\d\d/\d{1,2}/|/article[_-][\da-f]{6,}")
# What somebody else says stands between marks.
_SAID: Final = re.compile(r"[“„«\"][^“”„«»\"]{2,600}[”“»\"]")
# "Tier I" is a number.
_ROMAN: Final = re.compile(r"\b(?:tier|phase|part|type|level|class|stage|chapter|section|cycle|round) i\b")
# Blocks at the top among which a report is signed and dated, and characters of such a line.
_TOP, _BYLINE = 4, 60
# Different reporting words of a text without a "we" that make it a report; and times that whoever writes a
# signed or dated page says "we" before it is taken for their own.
_REPORTED, _OWN_VOICE = 2, 2
# Characters of a page on which "coming soon" is all that it says.
_PARKED: Final = 200
# Words of investors from which the money is a share and no grant; and of donors, where nobody is to apply.
_INVESTS, _GIVES = 3, 4
# Those who live on other people's money.
_MIDDLEMEN: Final = frozenset({"broker", "adviser", "loan"})
# Those who look for money: for a share, or as a gift.
_TAKING: Final = frozenset({"investor", "donors"})


def is_other_call(name: str) -> bool:
    """Whether a heading calls for papers, bids, staff: not for applicants who get money."""
    return bool(cues("refusals", "other_calls", "vacancy").search(plain(name)))


class Marks:
    """What speaks against a page, counted once."""

    def __init__(self, document: Document, structured: Structured) -> None:
        main = document.main
        self._counts: dict[tuple[str, str], int] = {}
        self.title = plain(document.title)
        self.text = plain(" ".join(block.text for block in main)[:_LOOKED_AT])
        self._site = plain(document.site_name or "")
        self._structured = structured
        path = plain(urlsplit(document.page.url).path)
        self._path = frozenset(path.replace("-", "/").split("/"))
        self._folders = frozenset(path.strip("/").split("/"))
        self._around = plain(
            " ".join(
                block.text
                for block in document.blocks
                if block.region in {Region.HEADER, Region.ASIDE, Region.NOTICE}
            )[:_LOOKED_AT]
        )
        headings = [plain(block.text) for block in main if block.kind is BlockKind.HEADING]
        self.head = " | ".join([self.title, *headings[:1]])
        self._is_dated = bool(_DATED_PATH.search(path) or (_PRESS_PATHS - _WEAK_PATHS) & self._path)
        self._is_signed = bool(_WEAK_PATHS & self._path) or _is_signed(document.blocks, main)

    @cached_property
    def _own(self) -> int:
        """How often whoever made the page says "we"."""
        return self._count("we", _SAID.sub(" ", self.text))

    @property
    def speaks(self) -> bool:
        """Whether whoever made the page speaks of themselves."""
        return self._own > 0

    def voice(self) -> Iterator[str]:
        """Who seems to speak, as signs."""
        own, reported = self._own, len(set(cues("refusals", "reported").findall(self.text)))
        yield f"we {min(own, 3)}"
        yield f"reports {min(reported, 2)}"
        types = _ARTICLES | _POSTS
        tests = {
            "dated": self._is_dated,
            "signed": self._is_signed,
            "press path": bool(_PRESS_PATHS & self._path),
            "list path": bool(self._folders & _LIST_PATHS),
            "article type": self._structured.meta.get("og:type", "") == "article"
            or any(self._structured.of_types(types)),
            "explains": bool(cues("refusals", "explains").match(self.title)),
            "diary": self._is_diary(),
            "shop": self._is_shop(),
            "no page": self._is_no_page(),
        }
        yield from (name for name, holds in tests.items() if holds)

    @cached_property
    def against(self) -> tuple[str, ...]:
        """Signs of what is no offer for those who come."""
        text, title = self.text, self.title
        broker, adviser = self._count("broker", text), self._count("adviser", text)
        is_offer = bool(cues("records", "clear_offer").search(title))
        is_loan = not is_offer and bool(cues("refusals", "loan").search(title))
        tests = {
            "other call": is_other_call(self.head),
            "appeal": bool(cues("refusals", "appeal").search(title)),
            "recipients": bool(cues("refusals", "recipients").search(self.head)),
            "investor": self._count("investor", text) >= _INVESTS,
            "donors": self._count("donors", text) >= _GIVES
            and not cues("applicants", "applying").search(text),
            "broker": broker >= 2 or broker + self._count("broker", self._around) >= 2,
            "adviser": adviser >= 2 or (adviser > 0 and "consult" in self._site),
            "loan": is_loan or self._count("loan", text) >= (5 if is_offer else 3),
        }
        return tuple(name for name, holds in tests.items() if holds)

    def refuse(self) -> bool:
        """Whether no programme of this page's own is on it."""
        return (
            self._is_no_page()
            or self._is_shop()
            or self.is_report
            or self._is_diary()
            or not _MIDDLEMEN.isdisjoint(self.against)
        )

    def refuse_offers(self) -> bool:
        """Whether its title or address says that it gives no money to applicants."""
        if self._folders & _LIST_PATHS or "other call" in self.against:
            return True
        if self._is_titled("appeal", "recipients") or cues("refusals", "finder").search(self.head):
            return True
        if cues("refusals", "books").search(self._site):
            return True
        return not _TAKING.isdisjoint(self.against)

    def is_list(self) -> bool:
        """Whether its title or address says that it lists posts, asks for gifts or tells who got some."""
        return bool(self._folders & _LIST_PATHS) or self._is_titled("appeal", "recipients")

    def _is_titled(self, *names: str) -> bool:
        """Whether the title says one of these and hardly anything else: "Past grantees 2019"."""
        found = cues("refusals", *names).search(self.title)
        return found is not None and is_generic(self.title[: found.start()] + self.title[found.end() :])

    def _is_no_page(self) -> bool:
        head = self.head
        if cues("refusals", "missing").search(head):
            return True
        if cues("refusals", "login").match(head) and len(self.text) < 1_500:
            return True
        within = head if len(self.text) > _PARKED else head + " " + self.text
        return len(self.text) < 800 and bool(cues("refusals", "parked").search(within))

    def _is_shop(self) -> bool:
        return any(self._structured.of_types({"Product"})) or bool(cues("refusals", "shop").search(self.text))

    def _count(self, name: str, text: str) -> int:
        key = name, text
        if key not in self._counts:
            self._counts[key] = sum(1 for _ in cues("refusals", name).finditer(text))
        return self._counts[key]

    @cached_property
    def is_report(self) -> bool:
        """Whether somebody tells of what others offer: a newspaper, a guide, a list of the best."""
        if self._is_press():
            return True
        own = self._own
        if own >= _OWN_VOICE:
            return False
        reporting = set(cues("refusals", "reported").findall(self.text))
        if self._is_signed and reporting:
            return True
        if self._is_dated and not self._names_itself(reporting):
            return True
        if own:
            return False
        if cues("refusals", "press").search(self._site) and not names_a_body(self._site):
            return True
        return len(reporting) >= _REPORTED or bool(cues("refusals", "explains").match(self.title))

    def _names_itself(self, reporting: set[str]) -> bool:
        """Whether somebody who reports nothing calls themselves by their name instead of "we"."""
        is_named = len(self._site) > 1 and bool(re.search(rf"\b{re.escape(self._site)}\b", self.text))
        return is_named and not reporting and not cues("refusals", "press").search(self._site)

    def _is_press(self) -> bool:
        """Marked as a report, or several of its signs at once."""
        said = self._count("reported", self.text)
        signs = 2 * any(self._structured.of_types(_ARTICLES))
        signs += bool(cues("refusals", "press").search(self._site))
        signs += bool(_PRESS_PATHS & self._path)
        signs += self._structured.meta.get("og:type", "") == "article"
        signs += min(said, 3)
        return signs >= (3 if said else 4)

    def _is_diary(self) -> bool:
        """Somebody tells of themselves, again and again."""
        count = self._count("i", _ROMAN.sub(" ", self.text))
        words = self.text.count(" ") + 1
        is_post = any(self._structured.of_types(_POSTS)) or "blog" in self._path
        return count >= 4 and count * (40 if is_post else 60) > words


def _is_signed(blocks: list[Block], main: list[Block]) -> bool:
    """Whether the first lines say who wrote the page."""
    top = [block.text for block in main if block.kind is BlockKind.TEXT][:_TOP]
    top += [block.text for block in blocks[:_TOP] if block.region is Region.ASIDE]
    return any(
        is_stamp(text) or bool(cues("refusals", "byline").match(plain(text)) and text[-1:] not in ".:!?")
        for text in top
        if len(text) <= _BYLINE
    )
