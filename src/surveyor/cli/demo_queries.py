"""What the demo wants to know of its workspace; each function opens its own transactions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from surveyor.crawl import service as crawling
from surveyor.extract import queries
from surveyor.extract import service as extracting
from surveyor.extract.queries import RecordFilter
from surveyor.names import url_key
from surveyor.refresh import policy
from surveyor.refresh import store as refreshing
from surveyor.refresh.policy import History
from surveyor.registry.store import due_dates, rows
from surveyor.review import queries as reviewing

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.extract.queries import RecordRow, RecordStory
    from surveyor.registry.candidates import Candidate

# Rows of a list: several times what the small web has.
MOST = 500
# Longer than the first interval between two visits, in any of the built-in profiles.
_WEEKS = timedelta(days=15)


async def best_and_worst(workspace: Workspace) -> tuple[Candidate, ...]:
    """The candidates that the judges like most and least."""
    found = await reviewing.list_candidates(workspace.db, None, MOST)
    found.sort(key=lambda one: (one.confidence, one.domain))
    return (found[-1], found[0]) if len(found) > 1 else tuple(found)


async def records(workspace: Workspace, domain_no: int | None = None) -> list[RecordRow]:
    """Records that pages mention now, published or not."""
    return await queries.list_records(workspace.db, RecordFilter(domain_no, unpublished=True), MOST)


async def record_on(workspace: Workspace, host: str, page: str) -> RecordStory | None:
    """What the page is about; most pages also name their organisation, which is not meant."""
    async with workspace.db.read() as tx:
        domain = await rows.find(tx, host)
    if domain is None:
        return None
    for record in await records(workspace, domain.no):
        story = await queries.record_story(workspace.db, record.id)
        is_there = any(urlsplit(source.url).path == page for source in story.sources)
        if is_there and record.kind != "organisation":
            return story
    return None


async def pictures(workspace: Workspace, host: str) -> set[str]:
    """Addresses of the pictures that are stored of a domain."""
    async with workspace.db.read() as tx:
        domain = await rows.find(tx, host)
    if domain is None or not domain.images_stored:
        return set()
    return {picture.url for picture in (await reviewing.dossier(workspace.db, domain.no)).images}


async def was_interrupted(workspace: Workspace) -> bool:
    """Whether the last crawl was ended by an interrupt."""
    (run,) = await crawling.list_runs(workspace.db, 1)
    return run.stopped_by == "interrupt"


async def weeks_pass(workspace: Workspace, host: str, targets: Sequence[str]) -> None:
    """The dates of these pages come two weeks sooner: nobody waits that long for the end of a demo."""
    async with workspace.db.write() as tx:
        no = await rows.find_no(tx, host)
        found = await refreshing.locked(tx, no, [url_key(target) for target in targets])
        sooner = [(page, page.next_visit_at - _WEEKS) for page in found if page.next_visit_at]
        written = [
            (page.key, page.history or b"", at, policy.rank_of(History.of(page.history)))
            for page, at in sooner
        ]
        await refreshing.write(tx, no, written)
        if sooner:
            await due_dates.make_due_by(tx, no, min(at for _, at in sooner))


async def pages_wait(workspace: Workspace) -> bool:
    """Whether pages are left that could be read."""
    return await extracting.count_waiting(workspace.db) > 0
