"""The public face gives what the register has, and does what the commands do; its names stay."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import surveyor
import surveyor.bootstrap.workspace as bootstrap
from surveyor import errors, public, workspaces
from surveyor.db import Database
from surveyor.profiles import loader
from surveyor.registry.actors import Actor, Role
from surveyor.settings import Settings

# Whoever changes this list changes programs of others; docs/releasing.md says how that is done.
NAMES = {
    "Candidate",
    "Decided",
    "Document",
    "Domain",
    "Event",
    "FoundRecord",
    "Judgment",
    "Page",
    "Record",
    "Submitted",
    "SurveyorError",
    "Workspace",
    "__version__",
    "open_workspace",
}
METHODS = {
    "candidates": "(self, *, domain, since)",
    "decide": "(self, verb, *domains, reason)",
    "decide_candidate": "(self, candidate_id, approve, *, reason)",
    "domains": "(self, *, since)",
    "events": "(self, *, after, follow)",
    "extract": "(self, body, url, *, content_type, seen_on)",
    "judge": "(self, url, title, description, position)",
    "listen": "(self, name, listener, *, from_start)",
    "pages": "(self, *, domain, since)",
    "path": "property",
    "profile": "property",
    "records": "(self, *, domain, kind, everything)",
    "submit": "(self, domain_or_url, *, context, for_review)",
}
_PAGE = b"""<html lang="en"><title>Rural Sport Grants | Hill Fund</title><main><h1>Rural Sport Grants</h1>
<p>Hill Fund gives grants for sports fields in villages. Grants from EUR 5,000 to EUR 20,000.
Deadline: 30 June 2027. Write to grants@hill.example.</p></main></html>"""


def _signature(name: str) -> str:
    found = inspect.getattr_static(surveyor.Workspace, name)
    if isinstance(found, property):
        return "property"
    parameters = inspect.signature(found).parameters.values()
    bare = [
        one.replace(annotation=inspect.Parameter.empty, default=inspect.Parameter.empty) for one in parameters
    ]
    return str(inspect.Signature(bare))


def test_the_names_of_the_public_face_stay_and_each_is_documented() -> None:
    assert set(surveyor.__all__) == NAMES
    assert surveyor.SurveyorError is errors.SurveyorError
    assert set(public.__all__) | {"SurveyorError", "__version__"} == NAMES
    found = {name for name in vars(surveyor.Workspace) if not name.startswith("_")}
    assert {name: _signature(name) for name in found} == METHODS
    undocumented = [name for name in found if not inspect.getdoc(getattr(surveyor.Workspace, name))]
    assert undocumented == []
    with pytest.raises(AttributeError, match="has no attribute 'bootstrap_all'"):
        _ = surveyor.bootstrap_all


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, surveyor; print([name for name in sys.modules if name.startswith('surveyor.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def db_url(filled_url: str) -> str:
    return filled_url


@pytest.fixture
def workspace(db: Database, tmp_path: Path) -> surveyor.Workspace:
    parts = bootstrap.Workspace(tmp_path, Settings(), db)
    parts.__dict__["profile"] = loader.load("funding")
    return surveyor.Workspace(parts, Actor("my-script", Role.ADMIN))


async def test_everything_that_is_there_can_be_iterated(workspace: surveyor.Workspace) -> None:
    domains = [one async for one in workspace.domains()]
    assert domains and all(one.domain == one.row["domain"] and one.stage for one in domains)
    candidates = [one async for one in workspace.candidates()]
    assert candidates and {one.domain for one in candidates} <= {one.domain for one in domains}
    everything = [one async for one in workspace.records(everything=True)]
    published = [one async for one in workspace.records()]
    assert {one.id for one in published} < {one.id for one in everything}
    assert all(one.fields["name"] == one.name and "sources" not in one.fields for one in everything)
    kind = everything[0].kind
    some = [one async for one in workspace.records(kind=kind, domain=everything[0].domain, everything=True)]
    assert some and {(one.kind, one.domain) for one in some} == {(kind, everything[0].domain)}
    pages = [one async for one in workspace.pages()]
    assert pages and all(one.text and one.url.startswith("http") for one in pages)
    with pytest.raises(surveyor.SurveyorError, match="not in the register"):
        _ = [one async for one in workspace.pages(domain="nobody.example")]


async def test_one_can_submit_and_decide_while_one_iterates(workspace: surveyor.Workspace) -> None:
    answer = await workspace.submit("Www.New-Fund.Example", context="by a script")
    assert (answer.domain, answer.outcome) == ("new-fund.example", "submitted")
    decided = [
        await workspace.decide("approve", one.domain, "nobody.example")
        async for one in workspace.domains()
        if one.domain == "new-fund.example"
    ]
    assert [one.done for one in decided] == [["new-fund.example"]]
    assert "not in the register" in decided[0].refused["nobody.example"]
    seen = [one async for one in workspace.events() if one.domain == "new-fund.example"]
    (approved,) = [one for one in seen if one.kind == "DomainApproved"]
    assert approved.row["actor"] == "my-script"
    with pytest.raises(surveyor.SurveyorError, match="there is no decision applaud; there are approve"):
        await workspace.decide("applaud", "new-fund.example")
    with pytest.raises(surveyor.SurveyorError, match="needs a reason"):
        await workspace.decide("reject", "new-fund.example")


async def test_a_search_result_and_a_page_are_looked_at_without_being_stored(
    workspace: surveyor.Workspace,
) -> None:
    before = [one.id async for one in workspace.events()]
    judgment = await workspace.judge(
        "https://hill.example/grants", "Grants for sports clubs", "Apply for funding"
    )
    assert judgment.domain == "hill.example" and judgment.scores.keys() == judgment.explanations.keys()
    document = await workspace.extract(_PAGE, "https://hill.example/grants")
    assert document.title == "Rural Sport Grants" and "sports fields" in document.text
    assert "funding_program" in {one.kind for one in document.records}
    assert "grants@hill.example" in {one["value"] for one in document.contacts}
    assert [one.id async for one in workspace.events()] == before


async def test_a_listener_goes_on_where_it_stopped(workspace: surveyor.Workspace) -> None:
    heard: list[int] = []
    enough = asyncio.Event()

    async def listener(events: list[surveyor.Event]) -> None:
        heard.extend(one.id for one in events)
        enough.set()

    for name in ("one.example", "two.example"):
        await workspace.submit(name)
        listening = asyncio.create_task(workspace.listen("script", listener, from_start=True))
        async with asyncio.timeout(60):
            await enough.wait()
            while len(heard) < len([one async for one in workspace.events()]):
                await asyncio.sleep(0.01)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        enough.clear()
    assert heard == list(dict.fromkeys(heard)) == [one.id async for one in workspace.events()]


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A workspace on SQLite with three domains, as a program opens it."""
    made = tmp_path / "made"
    await workspaces.make(made, "funding")
    async with surveyor.open_workspace(made) as opened:
        for name in ("one.example", "two.example", "three.example"):
            await opened.submit(name)
    return made


async def test_a_closed_workspace_does_nothing_and_says_so(folder: Path) -> None:
    async with surveyor.open_workspace(folder) as opened:
        begun = opened.domains()
        first = await anext(begun)
    assert first.domain == "one.example"
    with pytest.raises(surveyor.SurveyorError, match="closed"):
        await opened.submit("four.example")
    with pytest.raises(surveyor.SurveyorError, match="closed"):
        _ = [one async for one in opened.domains()]
    with pytest.raises(surveyor.SurveyorError, match="closed in the middle"):
        _ = [one async for one in begun]


async def test_an_iteration_that_was_left_gives_its_connection_back_with_the_workspace(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a connection that was dropped while it was open
        async with surveyor.open_workspace(folder) as opened:
            begun = opened.domains()
            await anext(begun)
            async for _ in opened.domains():
                break
        pool = opened._db.engine.pool
        assert pool.checkedout() == 0  # type: ignore[attr-defined]


async def _all(rows: AsyncIterator[surveyor.Domain]) -> list[str]:
    return [one.domain async for one in rows]


async def test_a_task_that_iterates_while_the_workspace_closes_is_told_so(folder: Path) -> None:
    async with surveyor.open_workspace(folder) as opened:
        begun = opened.domains()
        await anext(begun)
        reading = asyncio.create_task(_all(begun))  # its turn comes while the workspace waits to be closed
    with pytest.raises(surveyor.SurveyorError, match="closed in the middle"):
        await reading


async def test_a_connection_that_is_given_back_after_the_workspace_is_closed_too(folder: Path) -> None:
    threads = set(threading.enumerate())  # SQLite has one for each connection
    async with surveyor.open_workspace(folder) as opened:
        reading = opened._db.read()
        await reading.__aenter__()
    await reading.__aexit__(None, None, None)
    async with asyncio.timeout(30):
        while set(threading.enumerate()) - threads:
            await asyncio.sleep(0.01)


async def test_an_id_that_is_none_and_a_name_that_is_none_are_refused(folder: Path) -> None:
    async with surveyor.open_workspace(folder) as opened:
        with pytest.raises(surveyor.SurveyorError, match="no id of a candidate"):
            await opened.decide_candidate("nonsense", True)
    for actor in ("", " ", "a\0b", "two\nlines", "\ud800", "x" * 201):
        with pytest.raises(surveyor.SurveyorError, match="an actor is a name"):
            async with surveyor.open_workspace(folder, actor=actor):
                pass


def test_the_logs_of_a_program_stay_as_it_set_them_up_and_ours_are_part_of_them(folder: Path) -> None:
    program = f"""
import asyncio, logging, sys
import surveyor, structlog
from surveyor import logs

async def main():
    async with surveyor.open_workspace({str(folder)!r}):
        pass

asyncio.run(main())
assert not logging.getLogger().handlers and not structlog.is_configured()
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s %(levelname)s %(message)s")
logs.get("listeners").warning("trying again", listener="a\x1bb", seconds=2)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "surveyor.listeners WARNING trying again (listener a\\x1bb, seconds 2)\n"
    assert done.stderr == ""
