"""Real Scrapy processes of the example project, on a site and a workspace of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from surveyor.db import Database
from surveyor.registry import workers
from surveyor.registry.workers import WorkerKind
from surveyor.settings import DatabaseSettings
from tests.support import servers
from tests.support.cli_help import Ran, environment, fork, surveyor
from tests.support.databases import move_into
from tests.support.forked import Forked
from tests.support.site import Entry, SiteProcess, SiteSpec

PROJECT = Path(__file__).parents[3] / "examples" / "scrapy-project"
# So long a process has on a busy machine (seconds).
PATIENCE = 120


@dataclass
class Project:
    """The site, the workspace, and what their processes find in the environment."""

    site: SiteProcess
    workspace: Path
    settings: dict[str, str]

    def start(self, *arguments: str, **flags: str) -> Forked:
        quickly = ("-s", "DOWNLOAD_DELAY=0", "-s", "LOG_LEVEL=INFO")
        return self.start_module("scrapy", *arguments, *quickly, **flags)

    def start_module(self, module: str, *arguments: str, **flags: str) -> Forked:
        """A program with Scrapy in it."""
        known = self.settings | {"SURVEYOR_WORKSPACE": str(self.workspace)} | flags
        # Scrapy asks the site as its proxy: names need no resolver, and every host has its own.
        known |= {"http_proxy": f"http://127.0.0.1:{self.site.port}", "no_proxy": ""}
        return Forked(module, arguments, environment(**known), PROJECT)

    def start_native(self, *arguments: str) -> Forked:
        """One of Surveyor's own."""
        return fork(*arguments, workspace=self.workspace, **self.settings)

    def scrapy(self, *arguments: str, **flags: str) -> str:
        """Run to the end; returns its log."""
        process = self.start(*arguments, **flags)
        log = said(process)
        assert process.returncode == 0, log
        return log

    def surveyor(self, *arguments: str) -> Ran:
        return surveyor(*arguments, workspace=self.workspace, **self.settings)

    def domains(self) -> dict[str, dict[str, Any]]:
        listed = self.surveyor("domain-status", "--limit", "1000", "--json").json
        return {row["domain"]: row for row in listed}

    def answered(self) -> list[Entry]:
        """Requests of pages that were answered with one, or with an error."""
        moved = range(300, 400)
        return [one for one in self.site.log() if one.target != "/robots.txt" and one.status not in moved]

    def pages_asked(self) -> list[tuple[str, str]]:
        return [(entry.host, entry.target) for entry in self.site.log() if entry.target != "/robots.txt"]


def said(process: Forked) -> str:
    """All that it said until it ended."""
    return b"".join(process.communicate(PATIENCE)).decode()


MakeProject = Callable[[SiteSpec], Project]


@pytest.fixture
def make_project(
    tmp_path: Path, db_url: str, engine_name: str, request: pytest.FixtureRequest
) -> Iterator[MakeProject]:
    """On SQLite alone, and on PostgreSQL with the frontier in Valkey."""
    running: list[SiteProcess] = []

    def make(spec: SiteSpec) -> Project:
        site = SiteProcess(spec, tmp_path / "requests.log")
        running.append(site.__enter__())
        settings = site.environment | {"SURVEYOR_EXTRACT__ENABLED": "false"}
        settings |= move_into(tmp_path / "ws", db_url)
        settings["SURVEYOR_CRAWL__DELAY_SECONDS"] = "0.01"  # of Surveyor's own worker
        if engine_name == "postgresql":
            valkey: servers.Valkey = request.getfixturevalue("valkey")
            settings["SURVEYOR_FRONTIER__URL"] = valkey.url
        project = Project(site, tmp_path / "ws", settings)
        made = surveyor("init", project.workspace, **settings)
        assert made.code == 0, made.err
        return project

    yield make
    for site in running:
        site.__exit__(None, None, None)


def beside(project: Project, kind: WorkerKind, *arguments: str, **flags: str) -> tuple[str, str]:
    """Run Scrapy while a worker of this kind is at work; returns its log and that worker's name."""
    url = project.settings.get("SURVEYOR_DATABASE__URL", "")

    async def whole() -> tuple[str, str]:
        db = Database.open(DatabaseSettings(url=url), project.workspace)
        other = workers.new_worker_id()
        try:
            lock = await workers.enter(db, other, kind)
            log = await asyncio.to_thread(project.scrapy, *arguments, **flags)
            await workers.leave(db, other, lock)
        finally:
            await db.close()
        return log, other

    return asyncio.run(whole())
