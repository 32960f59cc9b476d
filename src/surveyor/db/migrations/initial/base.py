"""Short ways to say what the areas have in common."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


def hundredths(confidence: str) -> str:
    """A confidence as each engine keeps it: a decimal on PostgreSQL, whole hundredths on SQLite."""
    return confidence if op.get_bind().dialect.name == "postgresql" else str(int(confidence.replace(".", "")))


def confidence_checks(table: str, column: str) -> list[sa.CheckConstraint]:
    """In its range, and exact: SQLite would keep a float in a column for whole numbers."""
    between = f"{column} BETWEEN {hundredths('0.00')} AND {hundredths('1.00')}"
    checks = [sa.CheckConstraint(between, name=op.f(f"ck_{table}_{column}_range"))]
    if op.get_bind().dialect.name == "sqlite":
        whole = f"{column} IS NULL OR typeof({column}) = 'integer'"
        checks.append(sa.CheckConstraint(whole, name=op.f(f"ck_{table}_{column}_exact")))
    return checks


def partial(
    name: str,
    table: str,
    columns: list[str | sa.TextClause],
    *,
    where: str,
    sqlite_where: str | None = None,
    unique: bool = False,
) -> None:
    """An index over some of the rows."""
    op.create_index(
        name,
        table,
        columns,
        unique=unique,
        postgresql_where=sa.text(where),
        sqlite_where=sa.text(sqlite_where or where),
    )
