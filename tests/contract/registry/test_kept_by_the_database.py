"""What the database itself keeps, whoever writes: names, reasons, exact confidences, stamps. By SQL alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from surveyor.db import Database
from surveyor.db.tables import domains
from surveyor.errors import NotADomain, RefusedByDatabase
from surveyor.judge.candidates import judge_stored
from surveyor.names import canonical_domain, parent_domain
from surveyor.registry.actors import SYSTEM
from tests.support.judge_help import Told, add_results, add_session, found_domain
from tests.support.registry_help import add_domain, get

_EARLIER = "2020-01-01 00:00:00.000"


async def _sql(db: Database, statement: str, **values: Any) -> None:
    async with db.write() as tx:
        await tx.execute(text(statement), values)


async def _copy_of(db: Database, no: int, name: str, parent: str) -> None:
    """One more row like the first, under another name, as somebody with a SQL prompt would write it."""
    copied = [
        column.name for column in domains.c if column.name not in ("no", "id", "domain", "parent_domain")
    ]
    listed = ", ".join(copied)
    await _sql(
        db,
        f"INSERT INTO domains (id, domain, parent_domain, {listed})"
        f" SELECT :id, :name, :parent, {listed} FROM domains WHERE no = :no",
        id="0190163d8694739bb8fcc1a8dc1a7a2c",
        name=name,
        parent=parent,
        no=no,
    )


@pytest.mark.parametrize(
    ("name", "parent"),
    [
        ("Example.org", "example.org"),
        ("EXAMPLE.ORG", "EXAMPLE.ORG"),
        ("www.example.org", "example.org"),
        ("www.example.org", "www.example.org"),
        ("www.other.org", "other.org"),
        ("other.org.", "other.org"),
        ("https://other.org", "other.org"),
        ("other.org/page", "other.org"),
        ("other.org:443", "other.org"),
        ("other .org", "other.org"),
        ("münchen.example", "münchen.example"),
        ("", ""),
    ],
)
async def test_a_name_that_is_not_canonical_is_refused_by_the_database(
    db: Database, name: str, parent: str
) -> None:
    domain = await add_domain(db, "example.org")
    with pytest.raises(RefusedByDatabase):
        await _copy_of(db, domain.no, name, parent)
    with pytest.raises(RefusedByDatabase):
        await _sql(db, "UPDATE domains SET domain = :name, parent_domain = :parent", name=name, parent=parent)


@pytest.mark.parametrize(
    "name", ["www.com", "www.gov.uk", "www.com:8080", "xn--mnchen-3ya.example", "a_b.c.org"]
)
async def test_a_canonical_name_is_taken_as_it_is(db: Database, name: str) -> None:
    assert canonical_domain(name) == name
    await add_domain(db, name)


@given(
    st.text(min_size=1, max_size=30) | st.from_regex(r"(www\.)?[a-zA-Z.:/_-]{1,12}\.(org|co\.uk)(:\d{1,3})?")
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_whatever_the_program_calls_canonical_the_database_takes(db: Database, given_text: str) -> None:
    try:
        name = canonical_domain(given_text)
    except NotADomain:
        return
    first = await add_domain(db, "first.example")
    try:
        await _copy_of(db, first.no, name, parent_domain(name))
    finally:
        await _sql(db, "DELETE FROM domains WHERE no <> :no", no=first.no)


@pytest.mark.parametrize("reason", ["", "   "])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE domains SET quality_status = 'blacklisted', blacklisted_by = 'ada',"
        " blacklisted_at = updated_at, blacklist_reason = :reason",
        "UPDATE domains SET quality_status = 'blacklisted', blacklisted_by = :reason,"
        " blacklisted_at = updated_at, blacklist_reason = 'scam'",
        "UPDATE domains SET review_status = 'rejected', rejection_reason = :reason",
    ],
)
async def test_an_empty_reason_is_refused_by_the_database(db: Database, statement: str, reason: str) -> None:
    await found_domain(db)
    with pytest.raises(RefusedByDatabase):
        await _sql(db, statement, reason=reason)


@pytest.mark.parametrize("value", [0.75, 75.5, "0.5", "high"])
async def test_a_confidence_that_is_not_exact_is_refused_by_sqlite(db: Database, value: object) -> None:
    if db.engine.dialect.name != "sqlite":
        pytest.skip("NUMERIC(3, 2) is exact by itself")
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, ["0.75"])
    await judge_stored(db, Told(), SYSTEM)
    for statement in (
        "UPDATE domains SET best_confidence = :value",
        "UPDATE domains SET average_confidence = :value",
        "UPDATE search_results SET confidence = :value",
        "UPDATE candidates SET confidence = :value",
    ):
        with pytest.raises(RefusedByDatabase):
            await _sql(db, statement, value=value)


async def test_what_is_changed_by_hand_says_when(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, ["0.75"])
    await judge_stored(db, Told(), SYSTEM)
    for table in ("domains", "candidates"):
        await _sql(db, f"UPDATE {table} SET updated_at = '{_EARLIER}'")
        assert await _stamp(db, table) == "2020", "a time that is given is kept"
        await _sql(db, f"UPDATE {table} SET notes = 'seen by hand'")
        assert await _stamp(db, table) > "2020"
    changed = await get(db, domain.no)
    assert changed.updated_at >= domain.updated_at


async def _stamp(db: Database, table: str) -> str:
    async with db.read() as tx:
        return str((await tx.execute(text(f"SELECT updated_at FROM {table}"))).scalar_one())[:4]
