"""One server with one register for each module of tests; what a test changes, it changes for good."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from surveyor.people import Hasher
from tests.web import world
from tests.web.serving import Served, Visitor, serve


@pytest.fixture(scope="session")
def made_world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, world.World]:
    folder = tmp_path_factory.mktemp("world")
    return folder, asyncio.run(world.make(folder))


@pytest.fixture(scope="module")
def place(made_world: tuple[Path, world.World], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served") / "w"
    shutil.copytree(made_world[0], folder)
    with serve(folder) as served:
        site = served.app.state.surveyor
        object.__setattr__(site, "hasher", Hasher(world.QUICK))
        yield served


@pytest.fixture(scope="module")
def there(made_world: tuple[Path, world.World]) -> world.World:
    return made_world[1]


def _logged_in(place: Served, name: str) -> Visitor:
    visitor = place.visitor()
    reply = visitor.log_in(name)
    assert reply.status == 303, reply.text
    return visitor


@pytest.fixture(scope="module")
def admin(place: Served) -> Visitor:
    return _logged_in(place, "ada")


@pytest.fixture(scope="module")
def reviewer(place: Served) -> Visitor:
    return _logged_in(place, "rita")


@pytest.fixture(scope="module")
def submitter(place: Served) -> Visitor:
    return _logged_in(place, "sam")
