"""What a Scrapy process is to do, and the parts that write it: frontier, group commit, archive, images."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surveyor.archive import WarcWriter
from surveyor.bootstrap import workers
from surveyor.clock import Clock
from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.image_commits import SpiderImages
from surveyor.contrib.scrapy.pages import ScrapyPage
from surveyor.contrib.scrapy.queue import RequestFrontier
from surveyor.contrib.scrapy.session import Session
from surveyor.contrib.scrapy.visit import ScrapyVisit
from surveyor.crawl.commit import Committer
from surveyor.crawl.group_writer import GroupWriter
from surveyor.crawl.plan import RunOptions
from surveyor.extract.contributed import PageRecords, RecordWriter
from surveyor.extract.record_set import Contributor
from surveyor.refresh.policy import RefreshPolicy
from surveyor.registry.actors import Actor
from surveyor.registry.store.leases import Work
from surveyor.registry.store.register import Origin

if TYPE_CHECKING:
    from surveyor.archive.keeper import ImageKeeper


@dataclass(frozen=True, slots=True)
class Task:
    flags: Flags
    origin: Origin
    options: RunOptions
    work: Work
    needs: Collection[str] = ()
    """What pipelines store, of `images` and `records`."""

    @property
    def takes_what_is_due(self) -> bool:
        """Whether the register says which domains are crawled; if not, the spider's requests do."""
        return self.flags.smart_scheduling or self.work is Work.REFRESH


@dataclass(frozen=True, slots=True)
class Parts:
    frontier: RequestFrontier
    committer: Committer
    images: ImageKeeper | None
    has_records: bool

    def page_is_over(self, visit: ScrapyVisit, page: ScrapyPage) -> None:
        """What pipelines made of the items of a page that is over now."""
        taken, result = page.taken, page.result
        if taken is None or result is None:
            return
        is_unchanged = result.status == 304
        box = visit.outbox.images
        box.sightings += page.images.sightings
        box.results += page.images.results
        if self.images is not None and is_unchanged:
            box.unchanged.append((taken.key, result.fetched_at))
        was_here = taken.past is not None and not is_unchanged
        if self.has_records and (page.records or was_here):
            # Whole, if no item was refused and no callback failed: what it reported before is gone then.
            contributor = Contributor.ITEMS if page.is_whole else Contributor.SOME_ITEMS
            self.frontier.keep_records(visit.no, PageRecords(taken.key, page.records, contributor))


async def open_parts(stack: AsyncExitStack, session: Session, task: Task, clock: Clock) -> Parts:
    """`stack` closes them."""
    workspace = session.workspace
    has_records = "records" in task.needs
    records = RecordWriter(Actor.worker(session.worker), workspace.profile.yields) if has_records else None
    frontier = RequestFrontier(await stack.enter_async_context(workers.frontier_of(workspace)), records)
    images = _keeper(stack, session) if "images" in task.needs else None
    along = workspace.profile.policies.approve_assets
    writer = GroupWriter(
        workspace.db,
        frontier,
        session.worker,
        session.run,
        clock,
        archive=_archive(stack, session, clock),
        images=SpiderImages(session.run, approve_assets=along, keeper=images) if images else None,
        schedule=RefreshPolicy(),
    )
    return Parts(frontier, Committer(writer, session.crawl_settings, clock), images, has_records)


def _archive(stack: AsyncExitStack, session: Session, clock: Clock) -> WarcWriter | None:
    workspace = session.workspace
    if workspace.settings.crawl.archive != "warc":
        return None
    largest = workspace.settings.archive.warc_bytes
    archive = WarcWriter(workspace.archive_folder, session.worker, largest, clock)
    stack.callback(archive.close)
    return archive


def _keeper(stack: AsyncExitStack, session: Session) -> ImageKeeper:
    from surveyor.archive.keeper import ImageKeeper  # it loads Pillow

    keeper = ImageKeeper(session.workspace.archive_folder)
    stack.push_async_callback(keeper.close)
    return keeper
