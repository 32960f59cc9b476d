"""Whether there is something to do for a part: looked up in a few short statements, in whichever process."""

from __future__ import annotations

from surveyor.db import Database
from surveyor.extract.store import completion, postponed, queue
from surveyor.operations import job_store
from surveyor.operations.jobs import SILENT
from surveyor.registry.store import leases
from surveyor.registry.store.leases import ClaimFilter, Work


class Demand:
    """Of one workspace."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_crawl(self, work: Work) -> bool:
        """A domain is due, for a visit of this kind."""
        async with self._db.read() as tx:
            return await leases.is_anything_due(tx, ClaimFilter(work=work))

    async def is_at_work(self) -> bool:
        """Somebody holds a domain, which may come to this process or bring pages to read."""
        async with self._db.read() as tx:
            return await leases.is_anything_held(tx)

    async def of_extraction(self) -> bool:
        """A version of a page waits to be read, a domain to be judged at its crawl's end, or questions of the
        language model may be asked again."""
        async with self._db.read() as tx:
            if await queue.is_anything_waiting(tx, None) or await completion.finished(tx, 1):
                return True
            return await postponed.are_due(tx)

    async def of_jobs(self) -> bool:
        """Somebody asked for work in the admin, or its machine is gone."""
        async with self._db.read() as tx:
            return await job_store.is_any_to_do(tx, SILENT)
