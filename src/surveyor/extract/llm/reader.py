"""The model behind one call: a page and what the rules read of it in, the same with more out.

Only a relevant page is asked about, unless the model is to judge that too. Without an answer the page has
what the rules found; where the model may answer later, the reading says when.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, NamedTuple

from surveyor.extract.llm import verdict
from surveyor.extract.llm.answer import ClaimedRecord, framed, read_records, to_json
from surveyor.extract.llm.prompt import Prompt, sent_text
from surveyor.extract.llm.proof import Proof, pruned
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page, Reading, Relevance
from surveyor.llm.asking import Asker
from surveyor.llm.postponed import Postponed
from surveyor.llm.question import content_hash, stands_in
from surveyor.llm.store import Key
from surveyor.settings import ModelSettings


class _Claimed(NamedTuple):
    """What a model says of one page, believed or not."""

    records: list[ClaimedRecord]
    verdict: verdict.Verdict | None = None
    postponed: Postponed | None = None


class ModelReader:
    """For one worker."""

    def __init__(self, asker: Asker, prompt: Prompt, view: ProfileView, settings: ModelSettings) -> None:
        self._asker, self._prompt, self._view, self._settings = asker, prompt, view, settings

    @property
    def seconds(self) -> float:
        """The longest that a page may wait: for another one's question, and then for its own."""
        return 2 * self._settings.timeout_seconds

    @property
    def version(self) -> str:
        """Names the model and the question: pages are read again when one of them changes."""
        decides = " decides" if self._settings.relevance_decides else ""
        return f"{self._asker.model} {self._prompt.version}{decides}"

    async def __call__(self, page: Page, reading: Reading) -> Reading:
        """The reading with what the model adds; raises `DatabaseUnreachable` only while nothing was asked."""
        sent = sent_text(reading.text, self._settings.max_page_chars)
        is_asked = self._prompt.is_judging or (reading.relevance.is_relevant and self._prompt.kinds)
        if not is_asked or not sent.strip():
            return reading
        claimed = await self._claimed(sent, page.domain_no)
        judged = self._judged(reading.relevance, claimed.verdict, sent)
        reading = replace(reading, relevance=judged, postponed=claimed.postponed)
        if not claimed.records or not reading.relevance.is_relevant:
            return reading
        proof = Proof(sent, page.seen_on, reading.text.language, self._view)
        found = await asyncio.to_thread(proof.records, claimed.records)
        return replace(reading, records=[*reading.records, *pruned(found, reading.records)])

    def _judged(self, relevance: Relevance, said: verdict.Verdict | None, sent: str) -> Relevance:
        """With the model's voice, where it shows words of the page."""
        if said is None or not stands_in(said.quote, sent):
            return relevance
        decides = self._settings.relevance_decides
        return verdict.judged(relevance, said, self._view.threshold, decides=decides)

    async def _claimed(self, sent: str, domain_no: int) -> _Claimed:
        key = Key(content_hash(sent), self._asker.model, self._prompt.version)
        question = self._prompt.ask(sent)
        schema = self._prompt.schema
        reply = await self._asker.ask_or_postpone(key, domain_no, question, schema, self._understood)
        kept = reply.answer
        records = read_records(kept, self._prompt.kinds)
        return _Claimed(records, verdict.kept_verdict(kept), reply.postponed)

    def _understood(self, content: str) -> list[Any]:
        """What is remembered of an answer; `Nonsense` where it has another frame."""
        answer = framed(content, verdict.KEYS if self._prompt.is_judging else ())
        judged = verdict.read_verdict(answer) if self._prompt.is_judging else None
        records = to_json(read_records(answer["records"], self._prompt.kinds))
        return [judged._asdict(), *records] if judged else records
