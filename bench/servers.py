"""A PostgreSQL for a benchmark, which may keep what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers import Postgres, free_port


@contextmanager
def postgres(folder: Path | None) -> Iterator[Postgres]:
    """Running for as long as it lasts: the one kept in this folder, which its own user must be able to
    enter, a new one there, or one that leaves nothing."""
    if folder and folder.exists():
        server = Postgres(folder, free_port())
        server.start()
    else:
        server = Postgres.create(folder)
    try:
        yield server
    finally:
        server.stop()
        if folder is None:
            server.remove()
