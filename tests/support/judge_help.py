"""Search results in the register, and judges that say what they are told to."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

from sqlalchemy import insert, select

from surveyor.db import Database, now
from surveyor.db.tables import discovery_sessions, search_results
from surveyor.ids import new_id
from surveyor.judge.values import JUDGE_VERSION, JudgeScore, Judgment, Names, SearchHit
from surveyor.registry.domain import Domain, SubmitterType
from tests.support.registry_help import add_domain


class Told:
    """Judges that read the confidence out of the title: "0.75 a title"; "broken" makes them fail."""

    def __init__(self, threshold: str = "0.60", version: str = JUDGE_VERSION, shift: str = "0.00") -> None:
        self.threshold = Decimal(threshold)
        self.version = version
        self._version, self._shift = version, Decimal(shift)

    def judge(self, hit: SearchHit) -> Judgment:
        if hit.title == "broken":
            raise ZeroDivisionError("a judge broke")
        confidence = Decimal(hit.title.split()[0]) + self._shift
        score = JudgeScore("TestJudge", confidence, Decimal("1.00"), "so it was told")
        return Judgment(
            domain="found.example",
            confidence=confidence,
            should_crawl=confidence >= self.threshold,
            scores=(score,),
            language="en",
            names=lambda: Names("An Organisation", None),
            judge_version=self._version,
        )


async def add_session(db: Database) -> UUID:
    made = new_id()
    async with db.write() as tx:
        values = {
            "id": made,
            "type": "manual_search",
            "status": "running",
            "started_by": "ada",
            "started_at": now(),
            "worker": "w",
            "last_seen_at": now(),
            "queries_planned": 1,
            "provider_results": {},
            "provider_errors": {},
        }
        await tx.execute(insert(discovery_sessions).values(values))
    return made


async def add_results(
    db: Database, domain: Domain, session: UUID, titles: Sequence[str], *, url: str | None = None
) -> None:
    """One result per title, each with a URL of its own unless one is given; `{n}` in it is the position."""
    async with db.write() as tx:
        for position, title in enumerate(titles, 1):
            known = len((await tx.execute(select(search_results.c.id))).all())
            values = {
                "session_id": session,
                "domain_no": domain.no,
                "provider": "test",
                "query": "q",
                "position": position,
                "url": url.format(n=position) if url else f"https://{domain.domain}/{known}",
                "title": title,
                "description": "",
                "is_duplicate": False,
                "found_at": now(),
            }
            await tx.execute(insert(search_results).values(values))


async def found_domain(db: Database, name: str = "found.example") -> Domain:
    """A domain as a search brings it: waiting for a person, nobody judged it."""
    return await add_domain(db, name, approved=False, by=SubmitterType.SYSTEM)
