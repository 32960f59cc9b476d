"""From settings to working parts. Alone in knowing every concrete class.

Parts that few commands need are loaded where they are made: a list of domains should not wait for the
client, the judges and Redis.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from surveyor import entry_points, logs, profiles, settings
from surveyor.clock import SystemClock
from surveyor.crawl.plan import RunOptions, wants_images
from surveyor.db import Database, schema
from surveyor.entry_points import Group
from surveyor.errors import BadInput, BadSettings
from surveyor.names import NameRules, canonical_domain
from surveyor.profiles import head
from surveyor.registry import service
from surveyor.registry.events import EventKind
from surveyor.registry.store.leases import Work
from surveyor.registry.workers import new_worker_id
from surveyor.review.submission_values import Intake
from surveyor.settings import Settings

if TYPE_CHECKING:
    from surveyor.archive.keeper import ImageKeeper
    from surveyor.crawl.worker import CrawlWorker
    from surveyor.discover.provider import Account, Provider
    from surveyor.discover.sessions import Policy
    from surveyor.extract.llm.reader import ModelReader
    from surveyor.extract.worker import ExtractWorker
    from surveyor.frontier.protocol import Frontier
    from surveyor.judge.model_judge import ModelJudge
    from surveyor.judge.panel import Panel
    from surveyor.judge.values import SearchHit
    from surveyor.listeners import Dispatcher, Webhook
    from surveyor.llm.asking import Asker
    from surveyor.notify.channels import Channel
    from surveyor.process.children import Children
    from surveyor.profiles import Profile

WORKSPACE_VARIABLE = "SURVEYOR_WORKSPACE"


@dataclass
class Workspace:
    """A folder with its settings, its profile and its database."""

    path: Path
    settings: Settings
    db: Database
    _panel: Panel | None = field(default=None, repr=False)

    @cached_property
    def profile(self) -> Profile:
        from surveyor.extract import kinds

        loaded = profiles.load(self.settings.profile, self.path)
        kinds.declare(loaded.kinds)
        return loaded

    @property
    def yields(self) -> str:
        """What pages are crawled for, as the profile says; without its words, which take long to read."""
        return head.yields(self.settings.profile, self.path)

    @property
    def name_rules(self) -> NameRules:
        names = self.settings.names
        return NameRules(collapse_subdomains=names.collapse_subdomains, allow_hosts=names.allow_hosts)

    async def panel(self) -> Panel:
        """The judges of the profile, their words compiled once, with what they were taught here."""
        from surveyor.judge.panel import Panel
        from surveyor.judge.teaching import load_model

        if self._panel is None:
            model = await load_model(self.db, self.profile) if self.settings.judge.learned else None
            self._panel = Panel(self.profile, self.name_rules, model)
        return self._panel

    def take_profile(self, named: str) -> None:
        """The settings name another one by now: it holds for whoever asks from here on."""
        self.settings = self.settings.model_copy(update={"profile": named})
        self.__dict__.pop("profile", None)
        self._panel = None

    def spam_reasons(self, hit: SearchHit) -> list[str] | None:
        """Why a search result is spam; None if it is not."""
        from surveyor.discover import spam

        found = spam.verdict(hit.url, hit.title, hit.description, self.profile.languages)
        return found.reasons if found.is_spam else None

    @property
    def intake(self) -> Intake:
        """What submissions are held to."""
        depth = self.settings.crawl.depth
        deepest = self.profile.limits.max_crawl_depth if depth is None else depth
        return Intake(self.settings.review, self.name_rules, deepest)

    @property
    def archive_folder(self) -> Path:
        return self.path / self.settings.archive.path

    def domain_name(self, text: str) -> str:
        """What a person wrote, as the register knows it."""
        return canonical_domain(text, self.name_rules)

    def provider_accounts(self) -> dict[str, Account]:
        """Every search provider with its key; not all of them need be set up."""
        from surveyor.discover.provider import accounts

        return accounts(self.settings.providers, self.path)

    def search_policy(self) -> Policy:
        """How the results of searches are treated here."""
        from surveyor.discover import spam
        from surveyor.discover.sessions import Policy

        profile = self.profile
        policies, check = profile.policies, partial(spam.verdict, languages=profile.languages)
        return Policy(
            self.name_rules, check, policies.blacklist_spam_after if policies.blacklist_spam else None
        )


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

    loaded, profile = workspace.settings, workspace.profile
    await service.require_profile(workspace.db, profile.name, profile.hash)
    archive, images = None, _image_keeper(workspace)
    if loaded.crawl.archive == "warc":
        folder = workspace.path / loaded.archive.path
        archive = WarcWriter(folder, new_worker_id(), loaded.archive.warc_bytes, SystemClock())
    async with frontier_of(workspace) as frontier, Fetcher(loaded.net) as fetcher:
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
    """Processes that read pages with the workspace's profile and what people taught."""
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


def _image_keeper(workspace: Workspace) -> ImageKeeper | None:
    if not wants_images(workspace.settings.crawl, workspace.profile):
        return None
    from surveyor.archive.keeper import ImageKeeper

    return ImageKeeper(workspace.path / workspace.settings.archive.path)


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


@asynccontextmanager
async def webhooks_of(workspace: Workspace) -> AsyncIterator[list[Webhook]]:
    """The receivers that the settings name, each with its secret."""
    from surveyor.listeners import Webhook

    chosen, made = workspace.settings.listeners, []
    try:
        for name, url in chosen.webhooks.items():
            secrets = _secrets(workspace, name)
            kinds = _known_kinds(name, chosen.kinds.get(name, []))
            made.append(Webhook(name, url, secrets, workspace.settings.net, kinds=kinds))
        yield made
    finally:
        for webhook in made:
            await webhook.close()


@asynccontextmanager
async def channels_of(workspace: Workspace) -> AsyncIterator[dict[str, Channel]]:
    """The ways to people that are set up, by name."""
    from surveyor.net.smtp import SmtpServer
    from surveyor.notify.channels import MailChannel, PluggedChannel, SlackChannel, WebhookChannel

    mail, chosen, net = workspace.settings.mail, workspace.settings.notify, workspace.settings.net
    found: dict[str, Channel] = {}
    try:
        if mail.server and mail.sender:
            password = _secret_line(workspace, mail.password_file, "mail.password_file")
            server = SmtpServer(
                mail.server, mail.port, mail.security, mail.user, password, mail.timeout_seconds
            )
            found["mail"] = MailChannel(server, mail.sender)
        if chosen.webhook:
            found["webhook"] = WebhookChannel(chosen.webhook, net)
        if chosen.slack_file:
            found["slack"] = SlackChannel(
                _secret_line(workspace, chosen.slack_file, "notify.slack_file"), net
            )
        for name, notifier in entry_points.load(Group.NOTIFIERS).objects.items():
            found[name] = PluggedChannel(name, notifier)
        yield found
    finally:
        for channel in found.values():
            await channel.close()


def _secret_line(workspace: Workspace, file: str, setting: str) -> str:
    """The one line of a file that holds a secret; nothing if none is named."""
    if not file:
        return ""
    try:
        return (workspace.path / file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{setting}: {file} cannot be read: {error}") from None


def plugged_dispatchers(workspace: Workspace) -> list[Dispatcher]:
    """Listeners that other packages bring; each keeps its own place in the feed."""
    from surveyor.listeners import Dispatcher, plugged

    return [Dispatcher(workspace.db, name, tell) for name, tell in plugged.listeners().items()]


def _secrets(workspace: Workspace, name: str) -> list[str]:
    """One secret a line: several while one is changed, the newest first."""
    from surveyor.listeners.webhooks import key_of

    file = workspace.settings.listeners.secret_files.get(name)
    if file is None:
        raise BadSettings(f"the webhook {name} has no secret; name a file with one in listeners.secret_files")
    try:
        lines = (workspace.path / file).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"the secret of the webhook {name} cannot be read from {file}: {error}") from None
    try:
        for secret in lines or [""]:
            key_of(secret)
    except BadInput as error:
        raise BadSettings(f"the secret of the webhook {name} in {file} cannot be used: {error}") from None
    return lines


def _known_kinds(name: str, kinds: list[str]) -> list[str]:
    known = {kind.value for kind in EventKind}
    if unknown := sorted(set(kinds) - known):
        raise BadSettings(
            f"listeners.kinds.{name}: there is no event {unknown[0]}; docs/reference lists them"
        )
    return kinds


def find_workspace(given: Path | None) -> Path:
    """The folder named on the command line, else by the environment, else the present one."""
    path = given or Path(os.environ.get(WORKSPACE_VARIABLE) or ".")
    if not path.is_dir():
        raise BadSettings(f"{path} is not a folder; `surveyor init {path}` makes a workspace of it")
    return path


@asynccontextmanager
async def open_workspace(given: Path | None, *, any_schema: bool = False) -> AsyncIterator[Workspace]:
    """Open for one command. `any_schema` is for the commands that look after the schema itself."""
    path = find_workspace(given)
    loaded = settings.load(path)
    _require_workspace(path, loaded)
    logs.configure(loaded.log)
    db = Database.open(loaded.database, path)
    try:
        if not any_schema:
            await schema.require_current(db)
            if (path / settings.FILE_NAME).exists():
                db.mark(path)
        yield Workspace(path, loaded, db)
    finally:
        await db.close()


def _require_workspace(path: Path, loaded: Settings) -> None:
    """Without settings of any kind this is the wrong folder; do not litter it with a database."""
    if not (path / settings.FILE_NAME).exists() and not loaded.database.url:
        shown = "this folder" if path == Path() else str(path)
        raise BadSettings(f"{shown} is not a workspace; `surveyor init` makes one, --workspace names another")
