"""The tables with a row per URL in several parts, by a hash of the domain's number: PostgreSQL only.

Nobody who reads or writes them notices: each statement names its domains, and the server goes to the parts
that hold them. What works on a whole table (vacuum, a new index, a copy) works on a part at a time.
"""

from __future__ import annotations

from sqlalchemy import Connection, Table, select, text

from surveyor.db.dialect import turn
from surveyor.db.engine import Database
from surveyor.db.tables import page_links, pages
from surveyor.db.tables.base import complete
from surveyor.errors import UsageError

TABLES: tuple[Table, ...] = (pages, page_links)

_PARTS = "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(:name)"


async def count(db: Database) -> int:
    """How many parts the URLs are kept in; 1 for one table."""
    if db.is_sqlite:
        return 1
    async with db.read() as connection:
        return await connection.run_sync(_count)


async def arrange(db: Database, wanted: int) -> bool:
    """Move every URL into so many parts, in one transaction; 0 leaves them as they are. True if any moved.

    It needs as much room again as the tables take, and whoever works on them waits until it is done.
    """
    if not wanted or (db.is_sqlite and wanted == 1):
        return False
    if db.is_sqlite:
        raise UsageError("database.partitions is for PostgreSQL; take it out of surveyor.toml")
    async with db.write() as connection:
        await connection.execute(select(turn("schema")))
        if await connection.run_sync(_count) == wanted:
            return False
        await connection.run_sync(_move_all, wanted)
    return True


def _count(connection: Connection) -> int:
    found: int = connection.execute(text(_PARTS), {"name": pages.name}).scalar_one()
    return found or 1


def _move_all(connection: Connection, wanted: int) -> None:
    complete(None, connection)
    for table in TABLES:
        _move(connection, table, wanted)


def _move(connection: Connection, table: Table, wanted: int) -> None:
    name, before, key = table.name, f"{table.name}_before", f"pk_{table.name}"
    for index in table.indexes:
        index.drop(connection)
    statements = [
        f"ALTER TABLE {name} RENAME TO {before}",
        f"ALTER TABLE {before} DROP CONSTRAINT {key}",
        f"CREATE TABLE {name} (LIKE {before} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)"
        + (" PARTITION BY HASH (domain_no)" if wanted > 1 else ""),
        *(
            f"CREATE TABLE {name}_{part}_of_{wanted} PARTITION OF {name}"
            f" FOR VALUES WITH (MODULUS {wanted}, REMAINDER {part})"
            for part in range(wanted if wanted > 1 else 0)
        ),
        f"INSERT INTO {name} SELECT * FROM {before}",  # noqa: S608 - our names
        f"DROP TABLE {before}",
        f"ALTER TABLE {name} ADD CONSTRAINT {key} PRIMARY KEY (domain_no, key)",
    ]
    for statement in statements:
        connection.exec_driver_sql(statement)
    for index in table.indexes:
        index.create(connection)
    connection.exec_driver_sql(f"ANALYZE {name}")
