"""A served, empty workspace on each engine, and a program for each kind of token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from surveyor.bootstrap.workspace import Workspace
from surveyor.people import Hasher, Scope
from surveyor.people import service as people
from surveyor.registry.actors import Actor, Role
from tests.web.api.program import Program
from tests.web.serving import Served, serve
from tests.web.world import QUICK

OPERATOR = Actor("cli:ada", Role.ADMIN)
PEOPLE = {"ada": Role.ADMIN, "rita": Role.REVIEWER, "sam": Role.SUBMITTER}
Settings = dict[str, str]


async def add_people(workspace: Workspace) -> None:
    hasher = Hasher(QUICK)
    try:
        for name, role in PEOPLE.items():
            await people.add_user(workspace.db, hasher, name, role, "a long password", OPERATOR)
    finally:
        hasher.close()


async def token(workspace: Workspace, name: str, scope: Scope) -> str:
    return (await people.create_token(workspace.db, name, f"{scope} of {name}", scope, 1, OPERATOR))[0]


@pytest.fixture
def settings() -> str:
    """More lines for surveyor.toml; a test may ask for others."""
    return ""


@pytest.fixture
def served(db_url: str, tmp_path: Path, settings: str) -> Iterator[Served]:
    folder = tmp_path / "w"
    folder.mkdir()
    written = f'profile = "funding"\n[database]\nurl = "{db_url}"\n{settings}'
    (folder / "surveyor.toml").write_text(written, encoding="utf-8")
    with serve(folder) as found:
        found.run(add_people)
        yield found


@pytest.fixture
def program(served: Served) -> Callable[[str, Scope], Program]:
    def make(name: str, scope: Scope) -> Program:
        return Program(served.url, served.run(lambda workspace: token(workspace, name, scope)))

    return make


@pytest.fixture
def admin(program: Callable[[str, Scope], Program]) -> Program:
    return program("ada", Scope.ADMIN)


@pytest.fixture
def reviewer(program: Callable[[str, Scope], Program]) -> Program:
    return program("rita", Scope.REVIEW)


@pytest.fixture
def public(served: Served) -> Program:
    return Program(served.url)
