"""The model behind one call: a page and what the rules read of it in, more records out, whatever happens.

Only a relevant page is asked about. No answer, a bad answer, no budget and an endpoint that rests are all
the same to the page: it has the records that the rules found.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any, Final

from surveyor import logs
from surveyor.db import Database
from surveyor.errors import DatabaseUnreachable
from surveyor.extract.ground import Ground
from surveyor.extract.llm.answer import ClaimedRecord, Nonsense, read_answer, read_records, to_json
from surveyor.extract.llm.books import Books, Budget, Entry, Verdict
from surveyor.extract.llm.endpoint import Completion, Endpoint
from surveyor.extract.llm.prompt import Prompt, Question, content_hash, sent_text
from surveyor.extract.llm.proof import Proof, pruned
from surveyor.extract.llm.troubles import ModelFailed
from surveyor.extract.store.llm import Key
from surveyor.extract.values import FoundRecord, Page, Reading
from surveyor.settings import ModelSettings

# Seconds between two looks whether another worker's answer is there.
_LOOK: Final = 0.25

log = logs.get("extract")


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
        return f"{self._endpoint.account.name} {self._prompt.version}"

    async def __call__(self, page: Page, reading: Reading) -> Sequence[FoundRecord]:
        """What the model adds; raises `DatabaseUnreachable` only while nothing was asked."""
        sent = sent_text(reading.text, self._settings.max_page_chars)
        if not reading.relevance.is_relevant or not self._prompt.kinds or not sent.strip():
            return []
        claimed = await self._records(sent, page.domain_no)
        if not claimed:
            return []
        proof = Proof(sent, page.seen_on, reading.text.language, self._ground)
        found = await asyncio.to_thread(proof.records, claimed)
        return list(pruned(found, reading.records))

    async def _records(self, sent: str, domain_no: int) -> list[ClaimedRecord]:
        key = Key(content_hash(sent), self._endpoint.account.name, self._prompt.version)
        question = self._prompt.ask(sent)
        entry = await self._entered(key, domain_no, question)
        if entry.verdict is Verdict.ASK:
            return await self._ask(entry, question)
        return read_records(entry.answer or (), self._prompt.kinds)

    async def _entered(self, key: Key, domain_no: int, question: Question) -> Entry:
        """As the books have it; what another one asks is waited for as long as that may take."""
        patience = time.monotonic() + self._settings.timeout_seconds
        while True:
            entry = await self._books.enter(key, domain_no, question.tokens)
            if entry.verdict is not Verdict.UNDER_WAY or time.monotonic() > patience:
                return entry
            await asyncio.sleep(_LOOK)

    async def _ask(self, entry: Entry, question: Question) -> list[ClaimedRecord]:
        try:
            said = await self._endpoint.ask(question, self._prompt.schema)
        except ModelFailed as error:
            await self._booked(self._books.failed(entry, error))
            return []
        except asyncio.CancelledError:
            await self._booked(self._books.left(entry))
            raise
        if said.is_cut:
            log.warning("model: an answer was cut off; raise model.answer_tokens", tokens=said.tokens)
            await self._booked(self._books.cut(entry, said.tokens))
            return []
        claimed, why = self._understood(said)
        answer = None if why else to_json(claimed)
        await self._booked(self._books.answered(entry, answer, why, said.tokens))
        return claimed

    def _understood(self, said: Completion) -> tuple[list[ClaimedRecord], str | None]:
        if said.why is not None:
            return [], said.why
        try:
            return read_answer(said.content, self._prompt.kinds), None
        except Nonsense as error:
            return [], str(error)

    async def _booked(self, act: Coroutine[Any, Any, None]) -> None:
        """Not written, the question ends by time; the page has its answer all the same."""
        try:
            await act
        except DatabaseUnreachable as error:
            log.error("model: its books could not be kept", error=str(error))
