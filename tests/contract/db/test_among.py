"""One of many values, given as one parameter: found by an index, the same on both engines."""

from __future__ import annotations

import pytest
from sqlalchemy import ColumnElement, not_, or_, select, text

from surveyor.db import Database
from surveyor.db.dialect import among
from surveyor.db.tables import domains
from tests.support.registry_help import add_domain

_NAMES = ("a.example", "b.example", "c.example")
_ANY = among(domains.c.domain, ["a.example", "c.example", "nobody.example"])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (_ANY, {"a.example", "c.example"}),
        (not_(_ANY), {"b.example"}),
        (or_(_ANY, domains.c.domain == "b.example"), set(_NAMES)),
        (_ANY & (domains.c.domain != "a.example"), {"c.example"}),
        (among(domains.c.domain, []), set()),
    ],
    ids=["alone", "denied", "or", "and", "of none"],
)
async def test_it_is_a_condition_like_any_other(
    db: Database, wanted: ColumnElement[bool], found: set[str]
) -> None:
    for name in _NAMES:
        await add_domain(db, name)
    async with db.read() as tx:
        assert set((await tx.execute(select(domains.c.domain).where(wanted))).scalars()) == found


@pytest.mark.parametrize(
    "wanted", [among(domains.c.domain, ["a.example"]), among(domains.c.no, [1, 2])], ids=["texts", "numbers"]
)
async def test_values_are_looked_up_and_no_table_is_read_whole(
    db: Database, wanted: ColumnElement[bool]
) -> None:
    statement = select(domains.c.domain, domains.c.review_status).where(wanted)
    compiled = str(statement.compile(db.engine, compile_kwargs={"literal_binds": True}))
    async with db.read() as tx:
        if db.is_sqlite:
            plan = [row.detail for row in await tx.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))]
        else:  # a small table is read faster without an index; what is asked is whether one would serve
            await tx.execute(text("SET LOCAL enable_seqscan = off"))
            plan = [row[0] for row in await tx.execute(text(f"EXPLAIN {compiled}"))]
    assert not [step for step in plan if "SCAN domains" in step or "Seq Scan" in step], plan
