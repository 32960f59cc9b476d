"""Jobs on both engines: asked for, done by real commands, paused, stopped, lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update

from surveyor import workspaces
from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.db import Database, now
from surveyor.db.tables import jobs as table
from surveyor.db.tables import register as facts
from surveyor.errors import ForbiddenArrow, Refused, RefusedByDatabase, UsageError
from surveyor.ids import new_id
from surveyor.operations import housekeeping, job_runner, job_store, jobs
from surveyor.operations.job_runner import JobRunner
from surveyor.operations.jobs import JOB, Job, JobKind, JobState
from surveyor.registry.actors import Actor, Role
from surveyor.registry.store import register
from tests.support.registry_help import REVIEWER
from tests.support.review_help import find, kinds_of

_S = JobState
_ENDS = (_S.DONE, _S.STOPPED, _S.FAILED)


async def test_states_follow_their_arrows_in_the_code_and_in_the_database(db: Database) -> None:
    for source in _S:
        for target in _S:
            if source is target:
                continue
            made = new_id()
            ways = {
                _S.STOPPING: _S.RUNNING,
                _S.PAUSING: _S.RUNNING,
                _S.PAUSED: _S.PAUSING,
                _S.DONE: _S.RUNNING,
            }
            ways |= {_S.FAILED: _S.RUNNING, _S.STOPPED: _S.QUEUED, _S.RUNNING: _S.QUEUED}
            path = [source]
            while path[0] in ways:
                path.insert(0, ways[path[0]])
            async with db.write() as tx:
                made = await job_store.add(tx, JobKind.JUDGE, {}, "rita")
                for step in path[1:]:
                    await job_store.move(tx, made, step, ended=step in _ENDS)
            try:
                async with db.write() as tx:
                    values = {"state": target, "ended_at": now() if target in _ENDS else None}
                    await tx.execute(update(table).where(table.c.id == made).values(values))
                was_taken = True
            except RefusedByDatabase:
                was_taken = False
            assert was_taken is JOB.allows(source, target), (source, target)


async def test_people_stop_pause_and_resume_what_is_in_the_right_state(db: Database) -> None:
    waiting = await jobs.ask(db, JobKind.JUDGE, {}, REVIEWER)
    with pytest.raises(Refused, match="only a running one"):
        await jobs.stop(db, waiting.id, REVIEWER, pause=True)
    assert (await jobs.stop(db, waiting.id, REVIEWER)).state is _S.STOPPED
    with pytest.raises(Refused, match="the job is stopped"):
        await jobs.stop(db, waiting.id, REVIEWER)
    running = await jobs.ask(db, JobKind.CRAWL, {"max_pages": 5}, REVIEWER)
    async with db.write() as tx:
        assert (await job_store.claim(tx, "mill")).id == running.id
        assert await job_store.claim(tx, "mill") is None, "one job, one machine"
    assert (await jobs.stop(db, running.id, REVIEWER, pause=True)).state is _S.PAUSING
    with pytest.raises(Refused, match="only a paused one"):
        await jobs.resume(db, running.id, REVIEWER)
    async with db.write() as tx:
        await job_store.move(tx, running.id, _S.PAUSED)
    assert (await jobs.resume(db, running.id, REVIEWER)).state is _S.QUEUED
    with pytest.raises(Refused, match="ask a reviewer"):
        await jobs.ask(db, JobKind.JUDGE, {}, Actor("sue", Role.SUBMITTER))
    with pytest.raises(ForbiddenArrow):
        JOB.check(_S.DONE, _S.QUEUED)
    assert (await kinds_of(db)).count("JobAsked") == 2


@pytest.mark.parametrize(
    ("kind", "options", "wrong"),
    [
        (JobKind.SEARCH, {"queries": "\n".join(map(str, range(101)))}, "too many"),
        (JobKind.IMPORT, {"text": "  "}, "paste a list"),
        (JobKind.IMPORT, {"text": "a.example", "source": "--out=/x"}, "letters, digits"),
        (JobKind.EXPORT, {"what": "users"}, "export domains"),
        (JobKind.EXPORT, {"what": "domains", "format": "../x"}, "as csv or jsonl"),
        (JobKind.CRAWL, {"domains": ["a.example"] * 101}, "at most 100"),
        (JobKind.CRAWL, {"domains": ["--continuous"]}, "hyphen"),
    ],
)
def test_options_that_a_command_would_not_take_are_refused(
    kind: JobKind, options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(UsageError, match=wrong):
        jobs.checked(kind, options)


def test_no_query_becomes_an_option_of_the_command() -> None:
    assert jobs.checked(JobKind.SEARCH, {"queries": "--dry-run\n - grants\ngrants"}) == {
        "queries": ["dry-run", "grants"]
    }


async def test_a_list_is_rehearsed_by_the_command_that_imports_it(db: Database) -> None:
    for options, dry in (({"dry_run": True}, ["--dry-run"]), ({}, [])):
        job = await jobs.ask(db, JobKind.IMPORT, {"text": "a.example", "source": "s"} | options, REVIEWER)
        command = jobs.arguments(job, Path())
        assert [one for one in command if one == "--dry-run"] == dry and command[-2:] == ("--source", "s")
    crawl = await jobs.ask(db, JobKind.CRAWL, {}, REVIEWER)
    assert jobs.arguments(crawl, Path())[2:] == ("--job", str(crawl.id))


async def test_jobs_of_a_machine_that_is_gone_fail(db: Database) -> None:
    job = await jobs.ask(db, JobKind.JUDGE, {}, REVIEWER)
    async with db.write() as tx:
        await job_store.claim(tx, "mill")
        assert await job_store.lost(tx, timedelta(hours=1), "lost") == 0
        assert await job_store.lost(tx, timedelta(seconds=-60), "lost") == 1
    assert (await jobs.get(db, job.id)).state is _S.FAILED


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    await workspaces.make(tmp_path / "w", "funding")
    async with open_workspace(tmp_path / "w") as opened:
        yield opened


async def test_commands_do_what_was_asked_and_say_what_came_of_it(workspace: Workspace) -> None:
    """Real processes; each takes about a second to start."""
    text = "one.example\nhttps://www.two.example/page\n"
    imported = await jobs.ask(workspace.db, JobKind.IMPORT, {"text": text, "source": "friends"}, REVIEWER)
    runner = JobRunner(workspace.db, workspace.path, lambda line: None)
    await runner.serve(asyncio.Event(), until_empty=True)
    done = await jobs.get(workspace.db, imported.id)
    assert (done.state, done.exit_code) == (_S.DONE, 0), done.log
    domain = await find(workspace.db, "two.example")
    assert domain is not None and (domain.source, domain.review_status) == ("friends", "pending_review")
    exported = await jobs.ask(workspace.db, JobKind.EXPORT, {"what": "domains"}, REVIEWER)
    failing = await jobs.ask(workspace.db, JobKind.SEARCH, {"queries": "grants"}, REVIEWER)
    await runner.serve(asyncio.Event(), until_empty=True)
    done = await jobs.get(workspace.db, exported.id)
    assert done.state is _S.DONE
    assert "two.example" in jobs.export_file(done, workspace.path).read_text(encoding="utf-8")
    failed = await jobs.get(workspace.db, failing.id)
    assert failed.state is _S.FAILED and "provider" in failed.log
    assert (await kinds_of(workspace.db)).count("JobEnded") == 3


async def marked(db: Database) -> bool:
    async with db.read() as tx:
        return await register.get_fact(tx, housekeeping._VERSIONS) is not None


async def unmark(db: Database) -> None:
    async with db.write() as tx:
        await tx.execute(delete(facts).where(facts.c.name == housekeeping._VERSIONS))


async def test_a_running_job_is_paused_goes_on_and_is_given_back_by_its_machine(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forever(job: Job, workspace: Path) -> tuple[str, ...]:
        return ("housekeep", "--continuous")

    monkeypatch.setattr(jobs, "arguments", forever)
    monkeypatch.setattr(job_runner, "_LOOK_SECONDS", 0.1)
    job = await jobs.ask(workspace.db, JobKind.CRAWL, {}, REVIEWER)
    stopping = asyncio.Event()
    runner = JobRunner(workspace.db, workspace.path, lambda line: None)
    serving = asyncio.create_task(runner.serve(stopping))

    async def until(state: JobState) -> None:
        async with asyncio.timeout(240):
            while (await jobs.get(workspace.db, job.id)).state is not state:
                await asyncio.sleep(0.1)

    async def until_it_keeps_house() -> None:
        """Its first round leaves a mark; a command that is still starting would end by the signal."""
        await until(_S.RUNNING)
        async with asyncio.timeout(240):
            while not await marked(workspace.db):
                await asyncio.sleep(0.1)

    await until_it_keeps_house()
    await jobs.stop(workspace.db, job.id, REVIEWER, pause=True)
    await until(_S.PAUSED)
    await unmark(workspace.db)
    await jobs.resume(workspace.db, job.id, REVIEWER)
    await until_it_keeps_house()
    stopping.set()
    await serving
    assert (await jobs.get(workspace.db, job.id)).state is _S.QUEUED
