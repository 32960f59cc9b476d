"""The run that workers share for a day, in a register where nobody is at work any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from surveyor import workspaces
from surveyor.bootstrap.workspace import Workspace
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.people import Hasher
from surveyor.people import service as people
from surveyor.registry.actors import Actor, Role
from tests.web.serving import Served, Visitor, serve
from tests.web.world import PASSWORD, QUICK


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Served]:
    asyncio.run(workspaces.make(tmp_path / "w", "funding"))
    with serve(tmp_path / "w") as served:
        yield served


async def _begin(workspace: Workspace) -> None:
    by = Actor.operator()
    await service.start_run(workspace.db, by, RunOptions(), continuous=True)
    hasher = Hasher(QUICK)
    await people.add_user(workspace.db, hasher, "ada", Role.ADMIN, PASSWORD, by)
    hasher.close()


def test_it_is_open_and_not_said_to_run(place: Served) -> None:
    place.run(_begin)
    ada = Visitor(place.url)
    ada.log_in("ada")
    listed = ada.get("/runs").text
    assert "open today" in listed and ">running<" not in listed
    assert "begun" not in ada.get("/").text, "what runs now is nothing"
