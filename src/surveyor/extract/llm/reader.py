"""The model behind one call: a page and what the rules read of it in, the same with more out.

Only a relevant page is asked about, unless the model is to judge that too. No answer, a bad answer, no budget
and an endpoint that rests are all the same to the page: it has what the rules found.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, Final, NamedTuple

from surveyor import logs
from surveyor.db import Database
from surveyor.errors import DatabaseUnreachable
from surveyor.extract.ground import Ground
from surveyor.extract.llm import verdict
from surveyor.extract.llm.answer import ClaimedRecord, Nonsense, framed, read_records, to_json
from surveyor.extract.llm.books import Books, Budget, Entry, Verdict
from surveyor.extract.llm.endpoint import Completion, Endpoint
from surveyor.extract.llm.prompt import Prompt, Question, content_hash, sent_text
from surveyor.extract.llm.proof import Proof, pruned
from surveyor.extract.llm.troubles import ModelFailed
from surveyor.extract.store.llm import Key
from surveyor.extract.values import Page, Reading, Relevance
from surveyor.settings import ModelSettings

# Seconds between two looks whether another worker's answer is there.
_LOOK: Final = 0.25

log = logs.get("extract")


class _Claimed(NamedTuple):
    """What a model says of one page, believed or not."""

    records: list[ClaimedRecord]
    verdict: verdict.Verdict | None = None


_NOTHING: Final = _Claimed([])


class ModelReader:
    """For one worker."""

    def __init__(
        self, db: Database, endpoint: Endpoint, prompt: Prompt, ground: Ground, settings: ModelSettings
    ) -> None:
        self._endpoint, self._prompt, self._ground, self._settings = endpoint, prompt, ground, settings
        budget = Budget(settings.requests_per_day, settings.tokens_per_day)
        self._books = Books(db, endpoint.account.mark, budget, settings.timeout_seconds)

    @property
    def seconds(self) -> float:
        """The longest that a page may wait: for another one's question, and then for its own."""
        return 2 * self._settings.timeout_seconds

    @property
    def version(self) -> str:
        """Names the model and the question: pages are read again when one of them changes."""
        decides = " decides" if self._settings.relevance_decides else ""
        return f"{self._endpoint.account.name} {self._prompt.version}{decides}"

    async def __call__(self, page: Page, reading: Reading) -> Reading:
        """The reading with what the model adds; raises `DatabaseUnreachable` only while nothing was asked."""
        sent = sent_text(reading.text, self._settings.max_page_chars)
        is_asked = self._prompt.is_judging or (reading.relevance.is_relevant and self._prompt.kinds)
        if not is_asked or not sent.strip():
            return reading
        claimed = await self._claimed(sent, page.domain_no)
        reading = replace(reading, relevance=self._judged(reading.relevance, claimed.verdict, sent))
        if not claimed.records or not reading.relevance.is_relevant:
            return reading
        proof = Proof(sent, page.seen_on, reading.text.language, self._ground)
        found = await asyncio.to_thread(proof.records, claimed.records)
        return replace(reading, records=[*reading.records, *pruned(found, reading.records)])

    def _judged(self, relevance: Relevance, said: verdict.Verdict | None, sent: str) -> Relevance:
        """With the model's voice, where it shows words of the page."""
        if said is None or not verdict.stands_in(said.quote, sent):
            return relevance
        threshold = self._ground.relevance.threshold
        return verdict.judged(relevance, said, threshold, decides=self._settings.relevance_decides)

    async def _claimed(self, sent: str, domain_no: int) -> _Claimed:
        key = Key(content_hash(sent), self._endpoint.account.name, self._prompt.version)
        question = self._prompt.ask(sent)
        entry = await self._entered(key, domain_no, question)
        if entry.verdict is Verdict.ASK:
            return await self._ask(entry, question)
        kept = entry.answer or ()
        return _Claimed(read_records(kept, self._prompt.kinds), verdict.kept_verdict(kept))

    async def _entered(self, key: Key, domain_no: int, question: Question) -> Entry:
        """As the books have it; what another one asks is waited for as long as that may take."""
        patience = time.monotonic() + self._settings.timeout_seconds
        while True:
            entry = await self._books.enter(key, domain_no, question.tokens)
            if entry.verdict is not Verdict.UNDER_WAY or time.monotonic() > patience:
                return entry
            await asyncio.sleep(_LOOK)

    async def _ask(self, entry: Entry, question: Question) -> _Claimed:
        try:
            said = await self._endpoint.ask(question, self._prompt.schema)
        except ModelFailed as error:
            await self._booked(self._books.failed(entry, error))
            return _NOTHING
        except asyncio.CancelledError:
            await self._booked(self._books.left(entry))
            raise
        if said.is_cut:
            log.warning("model: an answer was cut off; raise model.answer_tokens", tokens=said.tokens)
            await self._booked(self._books.cut(entry, said.tokens))
            return _NOTHING
        claimed, why = self._understood(said)
        judged = [claimed.verdict._asdict()] if claimed.verdict else []
        answer = None if why else [*judged, *to_json(claimed.records)]
        await self._booked(self._books.answered(entry, answer, why, said.tokens))
        return claimed

    def _understood(self, said: Completion) -> tuple[_Claimed, str | None]:
        if said.why is not None:
            return _NOTHING, said.why
        try:
            answer = framed(said.content, verdict.KEYS if self._prompt.is_judging else ())
        except Nonsense as error:
            return _NOTHING, str(error)
        judged = verdict.read_verdict(answer) if self._prompt.is_judging else None
        return _Claimed(read_records(answer["records"], self._prompt.kinds), judged), None

    async def _booked(self, act: Coroutine[Any, Any, None]) -> None:
        """Not written, the question ends by time; the page has its answer all the same."""
        try:
            await act
        except DatabaseUnreachable as error:
            log.error("model: its books could not be kept", error=str(error))
