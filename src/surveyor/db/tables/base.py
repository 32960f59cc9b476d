"""What all tables are made of: the metadata with its naming rules, and short ways to say a column."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    MetaData,
    Table,
    TextClause,
    event,
    func,
    literal,
    or_,
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
    # SQLite would keep a float in a column for whole numbers; PostgreSQL's NUMERIC(3, 2) is exact by itself.
    whole = func.typeof(column) == text("'integer'")
    CheckConstraint(or_(column.is_(None), whole), name=f"{name}_exact").ddl_if(dialect="sqlite")
    return column


def canonical_name(column: str, parent: str) -> list[CheckConstraint]:
    """One spelling of each domain, as `names.canonical_domain` writes it; what one row can tell of it.

    A leading `www.` is part of a name only where the name is registered like that: `www.com`.
    """
    outside = "[^]a-z0-9._:[-]"  # for both engines: whatever else is in a name is not canonical
    letters = f"{column}_letters"
    return [
        CheckConstraint(f"{column} NOT GLOB '*{outside}*'", name=letters).ddl_if(dialect="sqlite"),
        CheckConstraint(f"{column} !~ '{outside}'", name=letters).ddl_if(dialect="postgresql"),
        CheckConstraint(
            f"substr({column}, 1, 4) <> 'www.' OR {column} = {parent}"
            f" OR substr({column}, 1, length({parent}) + 1) = {parent} || ':'",
            name=f"{column}_without_www",
        ),
        CheckConstraint(
            f"substr({column}, 1, 1) <> '.' AND {column} NOT LIKE '%.'"
            f" AND {column} NOT LIKE '%\\:80' AND {column} NOT LIKE '%\\:443'",
            name=f"{column}_ends",
        ),
    ]


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
    index = Index(name, *columns, unique=unique, sqlite_where=text(sqlite_where or where))
    only_postgresql(index, "where", text(where))
    return index


# What PostgreSQL alone knows of an index or a table. SQLAlchemy loads a dialect with its first option; a
# start on SQLite need not wait for that.
_of_postgresql: list[tuple[Index | Table, str, Any]] = []


def only_postgresql(of: Index | Table, option: str, value: Any) -> None:
    _of_postgresql.append((of, option, value))


@event.listens_for(metadata, "before_create")
def complete(_: object, connection: Connection, **__: object) -> None:
    """The options that only PostgreSQL has."""
    if connection.dialect.name == "postgresql":
        for of, option, value in _of_postgresql:
            of.dialect_options["postgresql"][option] = value
