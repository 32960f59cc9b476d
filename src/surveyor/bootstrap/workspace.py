"""A folder with its settings, its profile and its database, opened for one command."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor import logs, settings
from surveyor.db import Database, schema
from surveyor.errors import BadSettings
from surveyor.names import NameRules, canonical_domain
from surveyor.profiles import head
from surveyor.profiles.head import Head
from surveyor.registry.store import register
from surveyor.settings import Settings

if TYPE_CHECKING:
    from surveyor.discover.provider import Account
    from surveyor.discover.sessions import Policy
    from surveyor.judge.panel import Panel
    from surveyor.judge.values import SearchHit
    from surveyor.profiles.model import Profile
    from surveyor.review.submission_values import Intake

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
        from surveyor.profiles import loader  # only here: a list does without the words

        loaded = loader.load(self.settings.profile, self.path)
        kinds.declare(loaded.kinds)
        return loaded

    async def profile_head(self) -> Head:
        """What the profile says besides its words, which take long to read: as the register keeps it, kept
        anew where the file or the program changed."""
        mark = head.mark(self.settings.profile, self.path)
        async with self.db.read() as tx:
            found = Head.known(await register.get_fact(tx, head.FACT), mark)
        if found is None:
            found = Head.of(self.profile)
            async with self.db.write() as tx:
                await register.set_fact(self.db, tx, head.FACT, found.kept(mark))
        return found

    @property
    def yields(self) -> str:
        """What pages are crawled for, as the profile says; without its words, which take long to read."""
        return head.yields(self.settings.profile, self.path)

    @property
    def name_rules(self) -> NameRules:
        names = self.settings.names
        return NameRules(collapse_subdomains=names.collapse_subdomains, allow_hosts=names.allow_hosts)

    async def panel(self) -> Panel:
        """The judges of the profile, their words compiled once, with the model that was trained here."""
        from surveyor.judge.panel import Panel
        from surveyor.judge.training import load_model

        if self._panel is None:
            model = await load_model(self.db, self.profile) if self.settings.judge.learned else None
            # Thousands of words are compiled: whoever waits for something else meanwhile goes on.
            self._panel = await asyncio.to_thread(Panel, self.profile, self.name_rules, model)
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
        from surveyor.review.submission_values import Intake

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


def find_workspace(given: Path | None) -> Path:
    """The folder named on the command line, else by the environment, else the present one."""
    path = given or Path(os.environ.get(WORKSPACE_VARIABLE) or ".")
    if path.is_file():
        raise BadSettings(f"{path} is a file; a workspace is a folder")
    if not path.is_dir():
        raise BadSettings(f"{path} is not a folder; `surveyor init {path}` makes a workspace of it")
    return path


# Entries of a folder that are looked at for a workspace among them.
_MOST_BESIDE = 1_000


def _another(path: Path) -> str:
    """How to name another workspace: the one around this folder, or the one in it, where there is one."""
    around = (Path(*[".."] * up) for up in range(1, len(path.absolute().parents) + 1))
    try:
        inside = sorted(islice(path.iterdir(), _MOST_BESIDE))
        near = next((one for one in (*inside, *(path / up for up in around)) if _is_workspace(one)), None)
    except OSError:
        near = None
    return "--workspace names another" if near is None else f"--workspace {shlex.quote(str(near))} names one"


def _is_workspace(path: Path) -> bool:
    return (path / settings.FILE_NAME).is_file()


@asynccontextmanager
async def open_workspace(
    given: Path | None, *, any_schema: bool = False, own_process: bool = True
) -> AsyncIterator[Workspace]:
    """Open for one command. `any_schema` is for the commands that look after the schema itself; in a process
    that is another program's own, its logs are left as they are."""
    path = find_workspace(given)
    loaded, has_settings = settings.load(path), (path / settings.FILE_NAME).exists()
    if not has_settings and not loaded.database.url:  # do not litter another folder with a database
        shown = "this folder" if path == Path() else str(path)
        raise BadSettings(f"{shown} is not a workspace; `surveyor init` makes one, {_another(path)}")
    if own_process:
        logs.configure(loaded.log)
    db = Database.open(loaded.database, path)
    try:
        if not any_schema:
            await schema.require_current(db)
            if has_settings and not db.is_sqlite:
                db.mark(path)
        yield Workspace(path, loaded, db)
    finally:
        await db.close()
