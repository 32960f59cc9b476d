"""Discovery sessions: all queries on all providers at once, each answer stored as it comes.

The results of an answer, the session's counts and the providers' usage change in one transaction, so the
statistics are right whenever the process dies; the next command ends what it left running. One
failing provider makes a session partial, and what the others found is kept.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from surveyor import logs
from surveyor.db import Database
from surveyor.discover import usage
from surveyor.discover.adapters import Answer, SearchQuery
from surveyor.discover.blacklisting import blacklist_spam
from surveyor.discover.errors import SUSPENSIONS, ProviderFailed, Trouble
from surveyor.discover.provider import Provider
from surveyor.discover.provider_queue import ProviderQueue, ProviderReport
from surveyor.discover.results import Refusal, SpamCheck, accept_all, sort_hits
from surveyor.discover.session import Session, SessionStatus, SessionType, Totals
from surveyor.discover.store import results as result_store
from surveyor.discover.store import sessions as store
from surveyor.discover.store.results import Batch
from surveyor.errors import SurveyorError
from surveyor.ids import new_id
from surveyor.names import NameRules
from surveyor.process import locks
from surveyor.registry import workers
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

REPORT_SECONDS = 10.0  # how often a session says that it lives; see store.sessions.SILENT
WAITED_SECONDS = 10.0  # a shorter suspension is waited for; a longer one ends the provider's part
_TRIES = 4  # per query: three suspensions that are waited for are patience, more would be hope
_SHORT_WAITS = 30  # per query: asked to wait a moment so often, the provider means something else
_RETRY_SECONDS = 1.0  # before a server error is held against the provider
_log = logs.get("discover")


@dataclass(frozen=True, slots=True)
class Plan:
    type: SessionType
    queries: tuple[SearchQuery, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """How results are treated."""

    rules: NameRules
    spam_check: SpamCheck = accept_all
    blacklist_after: int | None = None  # verdicts of spam; None: never


@dataclass(frozen=True, slots=True)
class Report:
    """What a session leaves to be shown besides its row."""

    session: Session
    queues: list[ProviderReport]
    refused: Counter[Refusal] = field(default_factory=Counter)
    blacklisted: list[str] = field(default_factory=list)


class SessionRun:
    """One session at work. `totals` and `queues` may be watched meanwhile."""

    def __init__(
        self,
        db: Database,
        plan: Plan,
        providers: Sequence[Provider],
        by: Actor,
        policy: Policy,
    ) -> None:
        self.db, self.plan, self.by, self.policy = db, plan, by, policy
        self.id: UUID = new_id()
        self.worker = workers.new_worker_id()
        self.totals = Totals()
        self.queues = [ProviderQueue(provider, plan.queries) for provider in providers]
        self.refused: Counter[Refusal] = Counter()
        self.blacklisted: list[str] = []
        self._executed: set[str] = set()
        self._writing = asyncio.Lock()  # one answer at a time: the counts are those of one row
        self.watch: Callable[[SessionRun], None] = lambda _: None
        """Called after every query that was asked."""

    async def run(self) -> Report:
        folder = workers.lock_folder(self.db)
        lock = locks.WorkerLock(folder, self.worker) if folder else None
        try:
            await self._start()
            await self._work()
        finally:
            if lock:
                lock.close()
        async with self.db.read() as tx:
            session = await store.get(tx, self.id)
        return Report(session, [queue.report for queue in self.queues], self.refused, self.blacklisted)

    async def _start(self) -> None:
        names = [queue.name for queue in self.queues]
        self.totals = Totals(provider_results=dict.fromkeys(names, 0))
        data = {"session": str(self.id), "type": self.plan.type.value, "queries": len(self.plan.queries)}
        event = NewEvent(EventKind.DISCOVERY_STARTED, self.by.name, data=data | {"providers": names})
        async with self.db.write() as tx:
            kind, count = self.plan.type, len(self.plan.queries)
            await store.start(tx, self.id, kind, self.by.name, self.worker, count, names)
            await events.append(tx, [event])

    async def _work(self) -> None:
        tasks = [asyncio.create_task(self._live())]
        for queue in self.queues:
            hands = min(queue.provider.settings.concurrency, queue.report.planned)
            tasks += [asyncio.create_task(self._ask_all(queue)) for _ in range(hands)]
        why: str | None = None
        try:
            await asyncio.gather(*tasks[1:])
        except asyncio.CancelledError:
            why = "interrupted"
            raise
        except BaseException as error:
            why = str(error) if isinstance(error, SurveyorError) else f"unexpected {type(error).__name__}"
            raise
        finally:
            await _cancel(tasks)
            await self._end(why)

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            async with self._writing, self.db.write() as tx:
                await store.seen(tx, self.id)

    async def _ask_all(self, queue: ProviderQueue) -> None:
        while query := queue.next():
            await self._ask(queue, query)
            self.watch(self)

    async def _ask(self, queue: ProviderQueue, query: SearchQuery) -> None:
        """Until it is answered or refused, or the provider must be left alone for longer than we wait."""
        message, attempt, waits = "", 0, 0
        while attempt < _TRIES:
            if not await self._is_free(queue):
                return
            try:
                async with queue.turn():
                    answer = await queue.provider.search(query)
            except ProviderFailed as error:
                if waits < _SHORT_WAITS and _is_short_wait(error):
                    waits += 1  # no failed try: it said when to come back
                    queue.hold(error.retry_after or 0.0)
                    continue
                message = f"{error.trouble.value}: {error.detail}"
                if not await self._goes_on(queue, query, error, attempt):
                    return
                attempt += 1
            else:
                await self._take(queue, query, answer)
                return
        queue.stop(f"{message} ({_TRIES} tries)")

    async def _is_free(self, queue: ProviderQueue) -> bool:
        """Whether the provider may be asked; a short suspension is waited for."""
        suspended = await usage.suspension(self.db, queue.provider.account)
        if suspended is None:
            return True
        seconds = (suspended.until - suspended.read_at).total_seconds()
        if seconds > WAITED_SECONDS:
            queue.stop(_message(suspended))
            return False
        await asyncio.sleep(seconds)
        return True

    async def _goes_on(
        self, queue: ProviderQueue, query: SearchQuery, error: ProviderFailed, attempt: int
    ) -> bool:
        """Record the failure; whether the query is worth another try."""
        _log.warning("provider failed", provider=queue.name, trouble=error.trouble.value, detail=error.detail)
        once_more = error.trouble is Trouble.SERVER and attempt == 0
        blamed = error.trouble in SUSPENSIONS and not once_more
        account = queue.provider.account
        await usage.failed(self.db, account, query.text, error, self.by, held_against=blamed)
        if once_more:
            await asyncio.sleep(_RETRY_SECONDS)
        elif not blamed:
            queue.note(f"{error.trouble.value}: {error.detail}")
        return once_more or blamed

    async def _take(self, queue: ProviderQueue, query: SearchQuery, answer: Answer) -> None:
        # In a thread: detectors look at every word of every hit.
        found = await asyncio.to_thread(sort_hits, answer.hits, self.policy.rules, self.policy.spam_check)
        invalid = sum(found.refused.values())
        batch = Batch(self.id, queue.name, query.text, query.language, found.results, found.spam, invalid)
        async with self._writing:
            executed = self._executed | {query.text}
            async with self.db.write() as tx:
                counts = await result_store.write(tx, batch, self.by.name)
                totals = self.totals.plus(queue.name, counts, len(executed))
                await store.write_totals(tx, self.id, totals)
                brought = (counts.results_found, counts.new_domains, answer.millicredits)
                await usage.succeeded(tx, queue.provider.account, query.text, *brought)
            self.totals, self._executed = totals, executed
        queue.took(counts.results_found, counts.new_domains)
        self.refused += Counter(found.refused)
        if self.policy.blacklist_after and found.spam:
            names = [result.domain for result, _ in found.spam]
            self.blacklisted += await blacklist_spam(self.db, names, self.policy.blacklist_after, self.id)

    async def _end(self, why: str | None) -> None:
        errors = {queue.name: queue.report.error for queue in self.queues if queue.report.error}
        async with self.db.write() as tx:
            session = await store.get(tx, self.id)  # an interrupt may have come right after a commit
            status = _ending(session, troubled=bool(errors) or why is not None)
            message = why or ("; ".join(errors.values()) if status is SessionStatus.FAILED else None)
            await store.end(tx, self.id, status, errors, message)
            data = {"session": str(self.id), "results": session.results_found, "new": session.new_domains}
            arrow = (session.status.value, status.value)
            event = NewEvent(EventKind.DISCOVERY_ENDED, self.by.name, None, None, *arrow, why, data)
            await events.append(tx, [event])


def _ending(session: Session, *, troubled: bool) -> SessionStatus:
    if not troubled:
        return SessionStatus.COMPLETED
    return SessionStatus.PARTIAL_SUCCESS if session.queries_executed else SessionStatus.FAILED


def _is_short_wait(error: ProviderFailed) -> bool:
    wait = error.retry_after
    return error.trouble is Trouble.RATE_LIMITED and wait is not None and wait <= WAITED_SECONDS


def _message(suspended: usage.Suspended) -> str:
    return f"{suspended.error}: {suspended.detail} (suspended until {suspended.until:%Y-%m-%d %H:%M:%S} UTC)"


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)  # what went wrong first is on its way already
