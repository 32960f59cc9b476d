"""What all tables are made of: the metadata with its naming rules, and short ways to say a column."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    Index,
    Integer,
    MetaData,
    TextClause,
    literal,
    text,
)

from surveyor.db.types import Confidence

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def one_of(column: str, *values: str) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def confidence(name: str, *, nullable: bool = True, default: Decimal | None = None) -> Column[Decimal]:
    server_default = None if default is None else literal(default, Confidence())
    column: Column[Decimal] = Column(name, Confidence(), nullable=nullable, server_default=server_default)
    CheckConstraint(column.between(Decimal("0.00"), Decimal("1.00")), name=f"{name}_range")
    return column


def count(name: str, type_: type[Integer | BigInteger] = Integer) -> Column[int]:
    return Column(name, type_, nullable=False, server_default=text("0"))


def partial(
    name: str,
    *columns: ColumnElement[Any] | TextClause,
    where: str,
    sqlite_where: str | None = None,
    unique: bool = False,
) -> Index:
    # Written out for each engine: a partial index is used only where a query says the same words.
    sqlite = text(sqlite_where or where)
    return Index(name, *columns, unique=unique, postgresql_where=text(where), sqlite_where=sqlite)
