"""What this program's schema is, in a few digits: a revision says which migrations ran, not what was in them.

Before the first release `0001_initial` is still written anew. A database keeps the digits it was made with,
so that one of another build is refused in one line instead of failing somewhere later. A test holds the two
values to the schema and prints what they should be.
"""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, text
from sqlalchemy.schema import DropIndex

# Tables with their columns, checks, unique indexes and triggers: another value cannot be brought up.
TABLES = "f8a4428c4a51"
# Indexes that only make things faster: another value is brought up by making them anew.
INDEXES = "816688d1980a"
_UNIQUE = "CREATE UNIQUE"


def whole() -> str:
    return f"{TABLES}-{INDEXES}"


def is_of_these_tables(kept: str | None) -> bool:
    return (kept or "").partition("-")[0] == TABLES


def measured(connection: Connection) -> tuple[str, str]:
    """The two values of a SQLite database as it is."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'"
    found = [(kind, name, " ".join(sql.split())) for kind, name, sql in connection.execute(text(query))]
    quick = [each for each in found if each[0] == "index" and not each[2].startswith(_UNIQUE)]
    return _digits([each for each in found if each not in quick]), _digits(quick)


def _digits(rows: list[tuple[str, str, str]]) -> str:
    return hashlib.sha256(repr(sorted(rows)).encode()).hexdigest()[:12]


def make_indexes(connection: Connection) -> None:
    """Every index of ours as this program wants it; those of others are left alone."""
    from surveyor.db.tables import metadata
    from surveyor.db.tables.base import complete

    complete(None, connection)
    for table in metadata.sorted_tables:
        for index in sorted(table.indexes, key=lambda each: str(each.name)):
            if not index.unique:
                connection.execute(DropIndex(index, if_exists=True))
                index.create(connection)
