"""Search results of another register as values; pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from surveyor.backfill.cells import Cells
from surveyor.backfill.registers.run import LeftOut, Run

_SUFFIX = "_search"


@dataclass(frozen=True, slots=True)
class TheirResult:
    domain: str
    session: UUID
    provider: str
    query: str
    language: str | None
    position: int
    url: str
    title: str
    description: str
    found_at: datetime | None

    @property
    def key(self) -> tuple[UUID, str, str, int, str]:
        """Tells a result from others of its session."""
        return (self.session, self.provider, self.query, self.position, self.url)


def read(cells: Cells, run: Run) -> TheirResult:
    domain = run.domain(cells)
    session, query, url = cells.text("session"), cells.text("query", 500), cells.text("url", 2_001)
    title, description = cells.text("title", 500) or "", cells.text("description", 1_000) or ""
    position = cells.number("position")
    if session is None or query is None:
        raise LeftOut("no session or no query is named", domain)
    if url is None or len(url) > 2_000:
        raise LeftOut("no address of at most 2,000 characters", domain)
    if not title and not description:
        raise LeftOut("neither a title nor a description", domain)
    if position is None or position < 1:
        raise LeftOut("no position from 1", domain)
    provider = (cells.text("provider", 100) or "unknown").lower().removesuffix(_SUFFIX)
    return TheirResult(
        domain,
        run.id("sessions", session),
        provider,
        query,
        cells.text("language", 20),
        position,
        url,
        title,
        description,
        cells.moment("found_at"),
    )
