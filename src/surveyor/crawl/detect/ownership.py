"""Whether a domain still has the owner it was approved with: or is parked, redirected, or unlike before.

What a visit fetches of a domain that was crawled before is held back until one page proves to be the old
owner's, because it is unchanged or similar; usually the first page does. So nothing of a new owner is stored
before a person has looked. A single sign is never enough: the start page or several pages must confirm it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from surveyor.crawl.detect.parking import may_be_parked, offer_of
from surveyor.crawl.detect.similarity import Version, is_alike, is_comparable
from surveyor.crawl.pages.response import PageAnswer, ResponseReader
from surveyor.crawl.results import START, PageReason, PageResult, is_gone, is_same
from surveyor.crawl.session import SiteSession
from surveyor.crawl.store import versions as store
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_NORMAL, Taken
from surveyor.names import parent_domain, resolve, url_key
from surveyor.net.fetcher import Response
from surveyor.registry.store.refreshes import Refreshing

# Known pages that must be another's, the start page among them, unless the domain has fewer.
_SEVERAL, _AT_LEAST = 3, 2
# Answers held back; if they have not decided it, nobody can say, and the old owner has the benefit.
_MOST_HELD = 8
_FOR_GOOD = 301, 308


class Evidence(NamedTuple):
    """Why a person should look again; kept with the event, so it holds nothing that a page said."""

    sign: str
    message: str
    seen: str | int  # the phrase as we know it, the other domain, or how many pages

    def to_json(self) -> dict[str, str | int]:
        return {"sign": self.sign, "seen": self.seen}


class ChangedHands(Exception):
    """The visit ends; nothing that it holds back is stored."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence


Held = tuple[Taken, PageAnswer]


@dataclass(eq=False)
class Ownership:
    """Of one visit."""

    _session: SiteSession
    _reader: ResponseReader
    _is_asked: bool = True  # False: a person has answered this very question
    _is_proved: bool = True
    _known: int = 0  # pages that the domain is known for
    _held: list[Held] = field(default_factory=list)
    _unlike: set[str] = field(default_factory=set)
    _gone: int = 0
    _away: set[str] = field(default_factory=set)  # where known pages lead now
    _start: PageAnswer | None = None
    _start_was_asked: bool = False

    def begin(self, known: int, refreshing: Refreshing) -> None:
        """How many pages earlier visits stored, and what became of earlier questions."""
        asked, answered = refreshing.questioned_at, self._session.lease.domain.reviewed_at
        # A person approved it after it was questioned: what is found now is what the domain is.
        is_answered = asked is not None and answered is not None and answered > asked
        self._is_asked = not (is_answered and refreshing.exhausted_at is None)
        self._known = known
        self._is_proved = not (self._is_asked and known)

    def wants_text(self, taken: Taken) -> bool:
        """Whether the page must be read with its text."""
        return not self._is_proved and taken.past is not None

    async def weigh(self, taken: Taken, answer: PageAnswer, response: Response) -> list[Held]:
        """What may be stored now: this answer, nothing, or all that was held back. Raises `ChangedHands`."""
        if taken.target == START:
            self._start, self._start_was_asked = answer, True
        if not self._is_asked or is_same(answer.result):
            return self._proved(taken, answer)
        if answer.facts is not None and may_be_parked(answer.facts) and not answer.facts.text:
            # With its text: few pages are so thin that they are read again.
            answer.facts = (await self._read(taken, response)).facts
        try:
            await self._look_for_parking(taken, answer)
            leads_away = bool(self._known) and await self._leads_away(taken, answer)
            if self._is_proved:
                return [(taken, answer)]
            return self._hold(taken, answer) if leads_away else await self._compare(taken, answer)
        except ChangedHands:
            if not self._held or self._held[-1][0] is not taken:
                self._held.append((taken, answer))  # it was fetched too
            raise

    def give_up(self) -> list[Held]:
        """No more pages come, so nobody can say: all that is held back."""
        held, self._held = self._held, []
        return held

    @property
    def results(self) -> list[PageResult]:
        """What was fetched and is held back."""
        return [answer.result for _, answer in self._held]

    def _hold(self, taken: Taken, answer: PageAnswer) -> list[Held]:
        self._held.append((taken, answer))
        if len(self._held) < _MOST_HELD:
            return []
        self._is_proved = True
        return self.give_up()

    def _proved(self, taken: Taken, answer: PageAnswer) -> list[Held]:
        self._is_proved = True
        return [*self.give_up(), (taken, answer)]

    # -- parked

    async def _look_for_parking(self, taken: Taken, answer: PageAnswer) -> None:
        facts, domain = answer.facts, self._session.domain
        offer = offer_of(facts, domain) if facts else None
        if offer is not None and taken.target != START:
            start = await self._start_page()
            offer = offer_of(start.facts, domain) if start and start.facts else None
        if offer is not None:
            raise ChangedHands(Evidence("parking_page", "it shows a parking page", offer))

    # -- sent elsewhere

    async def _leads_away(self, taken: Taken, answer: PageAnswer) -> bool:
        """Whether a known page leads to another domain, which may be for a while only."""
        away = self._away_from_here(answer)
        if away is None:
            return False
        if taken.target == START:
            is_moved = answer.result.status in _FOR_GOOD or away in self._away
        else:
            start = await self._start_page() if _was_page(taken) else None
            is_moved = start is not None and self._away_from_here(start) == away
        self._away.add(away)
        if is_moved:
            raise ChangedHands(Evidence("redirect_foreign", f"it leads to {away}", away))
        return True

    def _away_from_here(self, answer: PageAnswer) -> str | None:
        """The registrable domain that a page leads to, if it is another one."""
        if answer.result.reason != PageReason.REDIRECT_FOREIGN or not answer.result.foreign:
            return None
        to = resolve(answer.result.foreign[0], answer.result.foreign[0])
        parent = parent_domain(to.domain) if to else None
        return None if parent == self._session.lease.domain.parent_domain else parent

    # -- unlike all before

    async def _compare(self, taken: Taken, answer: PageAnswer) -> list[Held]:
        alike = await self._is_alike(taken, answer)
        if alike:
            return self._proved(taken, answer)
        self._gone += _was_page(taken) and is_gone(answer.result)
        if alike is None and not self._held:
            return [(taken, answer)]
        if alike is False:
            self._unlike.add(taken.target)
            await self._ask_the_start_page()
        if self._is_proved:
            return self._proved(taken, answer)
        stored = self._hold(taken, answer)
        if not stored:
            self._decide()
        return stored

    async def _ask_the_start_page(self) -> None:
        if START not in self._unlike and not self._start_was_asked and (start := await self._start_page()):
            alike = await self._is_alike(_START, start)
            self._is_proved = alike is True
            if alike is False:
                self._unlike.add(START)

    async def _is_alike(self, taken: Taken, answer: PageAnswer) -> bool | None:
        """None: nobody can say, for there is no page, or there was none."""
        facts = answer.facts
        if facts is None or facts.needs_javascript or not _was_page(taken):
            return None
        async with self._session.context.db.read() as tx:
            old = await store.latest(tx, self._session.lease.no, taken.key)
        if old is None or not is_comparable(old):
            return None
        new = Version(facts.title, [target for target, _ in facts.links])
        return is_alike(old, new, facts.text)

    def _decide(self) -> None:
        """The start page with several others, if there are so many; or several others alone."""
        others = len(self._unlike) + self._gone
        enough = min(_SEVERAL, max(_AT_LEAST, self._known))
        if others >= enough and (START in self._unlike or len(self._unlike) >= _SEVERAL):
            message = "its pages are unlike all that was known of it"
            raise ChangedHands(Evidence("unlike_before", message, others))

    # -- the start page

    async def _start_page(self) -> PageAnswer | None:
        """As it is now, asked for at most once in a visit; None if there is no answer."""
        session = self._session
        if not self._start_was_asked:
            self._start_was_asked = True
            if session.site.robots is None or not session.site.robots.allows(START):
                return None
            await session.turn()
            try:
                response = await session.fetch(_START)
            except NetError:
                return None
            session.outbox.extra_bytes += response.wire_bytes
            self._start = await self._read(_START, response)
        return self._start

    async def _read(self, taken: Taken, response: Response) -> PageAnswer:
        session = self._session
        url = session.site.page(taken.target)
        return await self._reader.read(url, taken, response, session.context.clock.now(), want_text=True)


# Asked for whatever it was: nothing to compare with, so that its content comes.
_START = Taken(url_key(START), START, 0, RANK_NORMAL, 0, 0, None, None)


def _was_page(taken: Taken) -> bool:
    return taken is _START or (taken.past is not None and taken.past.content_hash is not None)
