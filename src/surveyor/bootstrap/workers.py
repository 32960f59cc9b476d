"""Workers with everything they need: of a crawl, of searches, of extraction, of judging."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from surveyor import entry_points
from surveyor.clock import SystemClock
from surveyor.crawl.plan import RunOptions, wants_images
from surveyor.entry_points import Group
from surveyor.registry import service
from surveyor.registry.store.leases import Work
from surveyor.registry.workers import new_worker_id

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.crawl.worker import CrawlWorker
    from surveyor.discover.provider import Provider
    from surveyor.extract.llm.reader import ModelReader
    from surveyor.extract.worker import ExtractWorker
    from surveyor.frontier.protocol import Frontier
    from surveyor.judge.model_judge import ModelJudge
    from surveyor.llm.asking import Asker
    from surveyor.process.children import Children


@asynccontextmanager
async def search_providers(workspace: Workspace, wanted: tuple[str, ...]) -> AsyncIterator[list[Provider]]:
    """The providers that were named, else all that are set up; closed when they are done."""
    from surveyor.discover.provider import Provider, chosen
    from surveyor.net.transport import verifying_tls

    tls = verifying_tls()  # shared: reading the machine's certificates takes tens of milliseconds
    async with AsyncExitStack() as stack:
        found = []
        for account in chosen(workspace.provider_accounts(), wanted):
            provider = Provider(account, workspace.settings.net, tls)
            stack.push_async_callback(provider.close)
            found.append(provider)
        yield found


@asynccontextmanager
async def crawl_worker(
    workspace: Workspace,
    run_id: UUID,
    options: RunOptions,
    *,
    work: Work = Work.CRAWL,
    only: tuple[int, ...] | None = None,
    continuous: bool = False,
) -> AsyncIterator[CrawlWorker]:
    """A worker with everything it needs; closed when it is done."""
    from surveyor.archive import WarcWriter
    from surveyor.crawl.claims import Task
    from surveyor.crawl.worker import CrawlWorker
    from surveyor.net.fetcher import Fetcher
    from surveyor.refresh.policy import RefreshPolicy

    loaded, profile = workspace.settings, await workspace.profile_head()
    await service.require_profile(workspace.db, profile.name, profile.hash)
    archive = images = None
    if wants_images(loaded.crawl, profile):
        from surveyor.archive.keeper import ImageKeeper

        images = ImageKeeper(workspace.archive_folder)
    if loaded.crawl.archive == "warc":
        most = loaded.archive.warc_bytes
        archive = WarcWriter(workspace.archive_folder, new_worker_id(), most, SystemClock())
    fetcher = Fetcher(loaded.net, hosts=loaded.crawl.domains_per_worker)
    async with frontier_of(workspace) as frontier, fetcher:
        try:
            yield CrawlWorker(
                workspace.db,
                frontier,
                fetcher,
                loaded,
                profile,
                workspace.name_rules,
                Task(run_id, options, work, only, continuous),
                schedule=RefreshPolicy(),
                archive=archive,
                images=images,
            )
        finally:
            if archive:
                archive.close()
            if images:
                await images.close()


@asynccontextmanager
async def page_readers(workspace: Workspace, count: int = 1) -> AsyncIterator[Children]:
    """Processes that read pages with the workspace's profile and the model trained here."""
    from surveyor.extract import child, messages
    from surveyor.extract.profile_view import ProfileView
    from surveyor.extract.training import load_model
    from surveyor.process.children import Children, Job

    model = await load_model(workspace.db)
    greeting = messages.pack_profile_view(ProfileView.of(workspace.profile), model)
    job = Job(child.MODULE, greeting, workspace.settings.extract.seconds_per_page)
    readers = Children(job, count)
    try:
        yield readers
    finally:
        await readers.close()


@asynccontextmanager
async def extract_worker(
    workspace: Workspace,
    *,
    processes: int | None = None,
    only: tuple[int, ...] | None = None,
    limit: int | None = None,
    continuous: bool = False,
    until_idle: float | None = None,
) -> AsyncIterator[ExtractWorker]:
    """A worker of extraction with everything it needs; closed when it is done."""
    from surveyor.extract import messages
    from surveyor.extract.worker import ExtractWorker, Plan
    from surveyor.refresh.due import RefreshHook

    loaded, profile = workspace.settings, workspace.profile
    await service.require_profile(workspace.db, profile.name, profile.hash)
    count = processes or loaded.extract.processes
    async with page_readers(workspace, count) as readers, model_reader(workspace) as model:
        also = (model.version if model else "") + entry_points.mark(Group.RECORDS, profile.records)
        plan = Plan(
            version=messages.version_of(readers.job.greeting, also),
            yields=profile.yields,
            processes=count,
            only=only,
            limit=limit,
            continuous=continuous,
            until_idle=until_idle,
            also_seconds=model.seconds if model else 0.0,
            also_at_once=loaded.model.concurrency if model else 0,
        )
        yield ExtractWorker(
            workspace.db, readers, workspace.archive_folder, plan, also=model, refresh_hook=RefreshHook()
        )


@asynccontextmanager
async def model_reader(workspace: Workspace) -> AsyncIterator[ModelReader | None]:
    """The language model that the settings name; None where they name none."""
    chosen = workspace.settings.model
    if not (chosen.url or chosen.name):
        yield None
        return
    from surveyor.extract.llm.prompt import Prompt
    from surveyor.extract.llm.reader import ModelReader
    from surveyor.extract.profile_view import ProfileView

    view = ProfileView.of(workspace.profile)
    profile = workspace.profile
    wanted = f"{profile.title}. {profile.description}" if chosen.relevance else None
    prompt = Prompt(view.kinds, answer_tokens=chosen.answer_tokens, wanted=wanted)
    async with _asker(workspace) as asker:
        yield ModelReader(asker, prompt, view, chosen)


@asynccontextmanager
async def model_judge(workspace: Workspace) -> AsyncIterator[ModelJudge | None]:
    """The language model as a judge of search results; None where the settings want none."""
    chosen = workspace.settings.model
    if not (chosen.judging and (chosen.url or chosen.name)):
        yield None
        return
    from surveyor.judge.model_judge import ModelJudge

    async with _asker(workspace) as asker:
        yield ModelJudge(asker, workspace.profile, chosen.answer_tokens)


@asynccontextmanager
async def _asker(workspace: Workspace) -> AsyncIterator[Asker]:
    from surveyor.llm.asking import Asker
    from surveyor.llm.endpoint import Endpoint, account

    chosen = workspace.settings.model
    endpoint = Endpoint(account(chosen, workspace.path), chosen, workspace.settings.net)
    try:
        yield Asker(workspace.db, endpoint, chosen)
    finally:
        await endpoint.close()


@asynccontextmanager
async def frontier_of(workspace: Workspace) -> AsyncIterator[Frontier]:
    """Where the settings say that URLs wait."""
    url = workspace.settings.frontier.url
    if not url:
        from surveyor.frontier.sql import SqlFrontier

        yield SqlFrontier()
        return
    from surveyor.frontier.redis.connect import connect

    async with connect(url, workspace.db) as frontier:
        yield frontier
