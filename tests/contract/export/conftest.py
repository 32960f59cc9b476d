"""A register with something of everything, made once for each engine and copied for each test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from surveyor.bootstrap.workspace import Workspace
from surveyor.db import Database, schema
from surveyor.db.tables import page_links, page_snapshots, pages
from surveyor.frontier.changes import pack_links
from surveyor.names import url_key
from surveyor.profiles import loader
from surveyor.settings import DatabaseSettings, Settings
from tests.support.databases import Databases
from tests.web import world

START = "/programmes/0?lang=en"


async def _fill(url: str, folder: Path) -> None:
    """Something of everything; of links too."""
    db = Database.open(DatabaseSettings(url=url), folder)
    place = Workspace(folder / "w", Settings(), db)
    place.__dict__["profile"] = loader.load("funding")
    try:
        await schema.upgrade(db)
        await world.fill(place)
        async with db.write() as tx:
            no = (await tx.execute(select(pages.c.domain_no).limit(1))).scalar_one()
            foreign = ["https://www.Fund.example/apply", "http://10.0.0.7/", "https://trust.example/?a=b"]
            packed = pack_links(["/", START], foreign)
            await tx.execute(insert(page_links).values(domain_no=no, key=url_key(START), links=packed))
            found = update(pages).where(pages.c.key == url_key(START))
            newest = select(page_snapshots.c.content_hash).order_by(
                page_snapshots.c.relevance.desc().nulls_last()
            )
            parent = url_key("/programmes/4?lang=en")
            await tx.execute(found.values(found_on=parent, content_hash=newest.limit(1).scalar_subquery()))
    finally:
        await db.close()


@pytest.fixture(scope="package")
def templates(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], str]:
    """The URL of a register with something of everything, made once for each engine."""
    made: dict[str, str] = {}

    def find(engine: str) -> str:
        if engine not in made:
            folder = tmp_path_factory.mktemp("filled")
            url = f"sqlite:///{folder}/filled.db"
            if engine == "postgresql":
                databases: Databases = request.getfixturevalue("databases")
                url = databases.create(request.getfixturevalue("postgres_template"))
            with ThreadPoolExecutor(1) as pool:  # a loop may run in this thread already
                pool.submit(lambda: asyncio.run(_fill(url, folder))).result()
            made[engine] = url
        return made[engine]

    return find


@pytest.fixture
def filled_url(
    engine_name: str, templates: Callable[[str], str], request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[str]:
    """A copy of it: a test may write."""
    filled = templates(engine_name)
    if engine_name == "sqlite":
        copy = tmp_path / "surveyor.db"
        copy.write_bytes(Path(filled.removeprefix("sqlite:///")).read_bytes())
        yield f"sqlite:///{copy}"
        return
    databases: Databases = request.getfixturevalue("databases")
    url = databases.create(filled)
    yield url
    databases.drop(url)
