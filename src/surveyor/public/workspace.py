"""An open workspace for programs: iterate, submit, decide, judge, extract, listen.

Nothing here prints, and no method needs another to be called before it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import date, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import surveyor.bootstrap.workspace as bootstrap
from surveyor.errors import BadInput, UsageError
from surveyor.export.service import rows_of
from surveyor.export.values import Row, Wanted, What
from surveyor.listeners.plugged import event_of
from surveyor.public.values import (
    Candidate,
    Decided,
    Document,
    Domain,
    Event,
    FoundRecord,
    Judgment,
    Page,
    Record,
    Submitted,
)
from surveyor.registry import feed
from surveyor.registry.actors import Actor, Role
from surveyor.registry.store import rows

if TYPE_CHECKING:
    from surveyor.registry.feed import FeedEntry

Listener = Callable[[Sequence[Event]], Awaitable[None]]
# What a record has besides its fields.
_OF_RECORD = frozenset(
    "id domain kind source_url published first_seen_at last_seen_at gone_at updated_at sources".split()  # noqa: SIM905
)


class Workspace:
    """Made by `open_workspace`, and good within its block. Iterations give rows of one moment."""

    def __init__(self, parts: bootstrap.Workspace, by: Actor) -> None:
        self._parts, self._db, self._by = parts, parts.db, by
        self._iterating: set[AsyncGenerator[list[Row]]] = set()  # each holds a connection
        self._is_ended = False

    @property
    def path(self) -> Path:
        """The folder."""
        return self._parts.path

    @property
    def profile(self) -> str:
        """The name of what this workspace looks for."""
        return self._parts.profile.name

    # -- what is there

    async def domains(self, *, since: datetime | None = None) -> AsyncIterator[Domain]:
        """Every domain, in the order in which they were registered; `since`: changed or crawled since."""
        async for row in self._rows(What.DOMAINS, since=since):
            yield Domain(**_promised(Domain, row), row=row)

    async def candidates(
        self, *, domain: str | None = None, since: datetime | None = None
    ) -> AsyncIterator[Candidate]:
        """Every judged possibility, oldest first."""
        async for row in self._rows(What.CANDIDATES, domain, since):
            row["id"] = str(row["id"])
            yield Candidate(**_promised(Candidate, row), row=row)

    async def records(
        self, *, domain: str | None = None, kind: str | None = None, everything: bool = False
    ) -> AsyncIterator[Record]:
        """Published records, oldest first; with `everything` also those not published, and those gone."""
        async for row in self._rows(What.RECORDS, domain, everything=everything):
            if kind is None or row["kind"] == kind:
                fields = {name: value for name, value in row.items() if name not in _OF_RECORD}
                source = row.get("source_url")
                yield Record(str(row["id"]), row["domain"], row["kind"], row["name"], source, fields, row)

    async def pages(self, *, domain: str | None = None, since: datetime | None = None) -> AsyncIterator[Page]:
        """Every page that was read, with its main text; by domain."""
        async for row in self._rows(What.TEXTS, domain, since):
            yield Page(**_promised(Page, row), row=row)

    # -- what people do

    async def submit(
        self, domain_or_url: str, *, context: str | None = None, for_review: bool = True
    ) -> Submitted:
        """Name a domain for review, or a page of an approved one to be fetched."""
        from surveyor.review.submissions import Submission, Submitter, submit

        given = Submission(domain_or_url, context, for_review)
        answer = await submit(self._db, given, Submitter.of(self._by), self._parts.intake)
        return Submitted(answer.domain, answer.outcome.value, answer.message)

    async def decide(self, verb: str, *domains: str, reason: str | None = None) -> Decided:
        """Decide on domains as the command of that name does: `approve`, `reject`, `suspend`, `trust`, ..."""
        from surveyor.review import decisions
        from surveyor.review.decisions import Decision, Target, Verb

        if verb not in list(Verb):
            raise UsageError(f"there is no decision {verb}; there are {', '.join(Verb)}")
        decision = Decision(
            Verb(verb), self._by, reason, approve_assets=self._parts.profile.policies.approve_assets
        )
        targets = [Target(self._parts.domain_name(name)) for name in domains]
        report = await decisions.decide(self._db, decision, targets)
        return Decided([one.domain for one in report.done], {one.domain: one.why for one in report.refused})

    async def decide_candidate(self, candidate_id: str, approve: bool, *, reason: str | None = None) -> None:
        """Publish a candidate's domain, or reject it with a reason."""
        from surveyor.review import candidates

        try:
            known = UUID(candidate_id)
        except ValueError:
            raise UsageError(f"{candidate_id!r} is no id of a candidate; `candidates()` has them") from None
        await candidates.decide(self._db, known, approve, self._by, reason)

    # -- in memory

    async def judge(self, url: str, title: str, description: str = "", position: int = 1) -> Judgment:
        """What the profile's judges say of a search result."""
        from surveyor.judge.values import SearchHit

        hit = SearchHit(url, title, description, position)
        found = (await self._parts.panel()).judge(hit)
        spam = self._parts.spam_reasons(hit)
        return Judgment(
            found.domain,
            found.confidence,
            found.should_crawl and spam is None,
            spam or [],
            {score.judge: score.score for score in found.scores},
            {score.judge: score.explanation for score in found.scores},
        )

    async def extract(
        self, body: bytes, url: str, *, content_type: str | None = None, seen_on: date | None = None
    ) -> Document:
        """Text, relevance, records and contacts of a page, read in a process of its own."""
        from surveyor.extract import messages
        from surveyor.public.reading import read_document

        reading = await read_document(self._parts, body, url, content_type, seen_on)
        records = [
            FoundRecord(one.kind, {name: each.value for name, each in one.fields.items()})
            for one in reading.records
        ]
        contacts = [messages.contact_json(one) | {"confidence": one.confidence} for one in reading.contacts]
        text, relevance = reading.text, reading.relevance
        return Document(
            title=text.title,
            language=text.language,
            text=text.markdown,
            is_relevant=relevance.is_relevant,
            relevance=relevance.score,
            reasons=relevance.reasons,
            records=records,
            contacts=contacts,
        )

    # -- what happens

    async def events(self, *, after: int = 0, follow: bool = False) -> AsyncIterator[Event]:
        """Events behind the one with the id `after`; with `follow`, as they come, for ever."""
        if follow:
            async for one in feed.follow(self._db, after):
                yield event_of(one)
            return
        while found := await feed.read(self._db, after, _EVENTS):
            for one in found:
                yield event_of(one)
            after = found[-1].event.id

    async def listen(self, name: str, listener: Listener, *, from_start: bool = False) -> None:
        """Call `listener` with every batch, for ever, going on where this name stopped last time.

        A batch is accepted when the listener returns, and comes again when it raises a `SurveyorError`.
        """
        from surveyor.listeners import listen

        async def deliver(batch: Sequence[FeedEntry]) -> None:
            await listener([event_of(one) for one in batch])

        await listen(self._db, name, deliver, from_start=from_start)

    async def _rows(
        self,
        what: What,
        domain: str | None = None,
        since: datetime | None = None,
        everything: bool = False,
    ) -> AsyncIterator[Row]:
        no = None
        if domain is not None:
            async with self._db.read() as tx:
                no = await rows.find_no(tx, self._parts.domain_name(domain))
        yields, rules = self._parts.profile.yields, self._parts.name_rules
        found = rows_of(self._db, what, Wanted(yields, rules, no, since, everything))
        self._iterating.add(found)
        try:
            async for page in found:
                for row in page:
                    if self._is_ended:
                        raise UsageError("the workspace was closed in the middle of this iteration")
                    yield row
            if self._is_ended:
                raise UsageError("the workspace was closed in the middle of this iteration")
        finally:
            self._iterating.discard(found)
            await _give_back(found)

    async def _end(self) -> None:
        """Iterations that nobody finished give back their connections, while there is a loop to do it on."""
        self._is_ended = True
        for found in list(self._iterating):
            await _give_back(found)


async def _give_back(found: AsyncGenerator[list[Row]]) -> None:
    with suppress(RuntimeError):  # another task is in the middle of it, and gives back when it is through
        await found.aclose()


# Events read at once.
_EVENTS = 500


# Characters of a name under which something is done.
_LONGEST_NAME = 200


def _name(actor: str) -> str:
    if not (actor.strip() and actor.isprintable() and len(actor) <= _LONGEST_NAME):
        raise BadInput(f"an actor is a name of up to {_LONGEST_NAME} printable characters")
    return actor


def _promised(value_class: type[Any], row: Row) -> dict[str, Any]:
    return {name: row[name] for name in value_class.__slots__ if name != "row"}


@asynccontextmanager
async def open_workspace(
    path: str | PathLike[str] | None = None, *, actor: str | None = None
) -> AsyncIterator[Workspace]:
    """Open a workspace: the folder, else what SURVEYOR_WORKSPACE names, else the present folder.

    `actor` is the name that stands beside what is decided; without it, the user of this machine. Whoever can
    open the database may do everything with it.
    """
    by = Actor.operator() if actor is None else Actor(_name(actor), Role.ADMIN)
    async with bootstrap.open_workspace(None if path is None else Path(path), own_process=False) as parts:
        workspace = Workspace(parts, by)
        try:
            yield workspace
        finally:
            await workspace._end()
