"""Databases of the run's PostgreSQL, told to it over one connection that stays open.

Every other test has a copy of one: a connection for each would cost as much as the copy.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg

from surveyor.db.engine import DEFAULT_FILE
from tests.support.servers import random_name


class Databases:
    """Made, copied and dropped from any thread, whether or not a loop runs in it."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._connection: asyncpg.Connection | None = None

    def create(self, template: str | None = None) -> str:
        """The URL of a new one: a copy of the one at the URL `template`, or empty."""
        name = random_name()
        # Copied as files, not through the log: two thirds of the CPU.
        copied = f' TEMPLATE "{_name(template)}"' if template else ""
        self._tell(f'CREATE DATABASE "{name}"{copied} STRATEGY FILE_COPY')
        return f"{self._server_url.rpartition('/')[0]}/{name}"

    def drop(self, url: str) -> None:
        """A thousand of them would fill memory; whoever is still connected has forgotten to leave."""
        self._tell(f'DROP DATABASE IF EXISTS "{_name(url)}" WITH (FORCE)')

    def close(self) -> None:
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    def _tell(self, statement: str) -> None:
        self._thread.submit(lambda: self._runner.run(self._execute(statement))).result()

    async def _execute(self, statement: str) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(self._server_url)
        await self._connection.execute(statement)

    def _close(self) -> None:
        if self._connection is not None:
            self._runner.run(self._connection.close())
        self._runner.close()


def move_into(workspace: Path, db_url: str) -> dict[str, str]:
    """A migrated database becomes that of a workspace, which `init` need not migrate; its settings."""
    if not db_url.startswith("sqlite"):
        return {"SURVEYOR_DATABASE__URL": db_url}
    workspace.mkdir()
    Path(db_url.removeprefix("sqlite:///")).rename(workspace / DEFAULT_FILE)
    return {}


def _name(url: str) -> str:
    return url.rpartition("/")[2]
