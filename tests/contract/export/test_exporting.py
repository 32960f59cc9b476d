"""An export has what the listing commands show, of one moment, a page at a time; on either engine."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import insert, select, update

from surveyor.cli import show
from surveyor.db import Database, now
from surveyor.db.tables import api_tokens, contacts, images, records, users
from surveyor.errors import NotFound
from surveyor.export import Format, Order, What, to_stream
from surveyor.export.columns import columns_of
from surveyor.export.store import crawled, findings, register
from surveyor.extract import queries
from surveyor.extract.queries import RecordFilter
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import DEFAULT_RULES
from surveyor.registry import service as registry
from surveyor.registry.actors import SYSTEM
from surveyor.registry.domain import to_json
from surveyor.registry.store import candidates, forgotten
from surveyor.registry.store.listing import DomainFilter
from surveyor.review import queries as reviewing
from surveyor.review.forgetting import forget_contact, forget_domain
from tests.support.registry_help import ADMIN, add_domain
from tests.web import world

START = "/programmes/0?lang=en"


@pytest.fixture
def db_url(filled_url: str) -> str:
    return filled_url


async def taken(db: Database, what: What, kind: Format = Format.JSONL, **more: Any) -> bytes:
    stream = io.BytesIO()
    await to_stream(db, Order(what, kind, "records", DEFAULT_RULES, **more), stream, lambda _: None)
    return stream.getvalue()


async def objects(db: Database, what: What, **more: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (await taken(db, what, **more)).splitlines()]


def as_json(value: Any) -> Any:
    return orjson.loads(show.json_line(value))


async def test_rows_are_those_of_the_listing_commands(db: Database) -> None:
    domains = await registry.list_domains(db, DomainFilter(), 1_000)
    assert timeless(await objects(db, What.DOMAINS)) == timeless(
        as_json([to_json(domain, "records") for domain in domains])
    )
    judged = await reviewing.list_candidates(db, None, 1_000)
    assert await objects(db, What.CANDIDATES) == as_json([one.row() for one in reversed(judged)])
    for everything in (False, True):
        wanted = RecordFilter(unpublished=everything, gone=everything)
        found = await queries.list_records(db, wanted, 1_000)
        told = await objects(db, What.RECORDS, everything=everything)
        sources = [one.pop("source_url") for one in told]
        assert told == as_json([queries.record_json(record) for record in reversed(found)])
        assert len(told) == (14 if everything else 12)
        assert set(sources) == ({None, f"https://rila.example{START}"} if everything else {None})
    shown = await queries.contacts_of(db, no_of(domains, "rila.example"), 100, gone=True)
    assert [
        {name: value for name, value in one.items() if name not in ("domain", "candidate_id")}
        for one in await objects(db, What.CONTACTS, everything=True)
    ] == as_json([one._asdict() for one in shown])


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The score of a priority rises with the hour."""
    return [{name: value for name, value in row.items() if name != "priority_score"} for row in rows]


def no_of(domains: list[Any], name: str) -> int:
    return next(domain.no for domain in domains if domain.domain == name)


async def test_the_same_rows_whatever_fits_on_a_page(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {what: await objects(db, what, everything=True) for what in What}
    assert all(whole.values())
    for module, name in ((register, "_STEP"), (findings, "_STEP"), (crawled, "_STEP")):
        monkeypatch.setattr(module, name, 2)
    monkeypatch.setattr(crawled, "_PAGES_OF_LINKS", 1)
    for what, rows in whole.items():
        assert timeless(await objects(db, what, everything=True)) == timeless(rows), what
        header, *lines = sheet(await taken(db, what, Format.CSV, everything=True))
        assert header == [column.name for column in columns_of(what)]
        assert len(lines) == len(rows) and {len(line) for line in lines} == {len(header)}
        told = {*header, "sources"} if what is What.RECORDS else set(header)
        assert all(set(row) <= told for row in rows)
        if what is not What.RECORDS:
            assert all(list(row) == header for row in rows), what


def sheet(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


async def test_what_the_crawl_left_is_told_with_addresses(db: Database) -> None:
    known = await objects(db, What.PAGES)
    assert len(known) == len({row["url"] for row in known}), "a page with two versions is one row"
    assert [row["found_on"] for row in known].count(None) == len(known) - 1
    first = next(row for row in known if row["url"].endswith(START))
    assert first["url"] == f"https://rila.example{START}"
    assert first["found_on"] == "https://rila.example/programmes/4?lang=en"
    assert (first["title"], first["language"], first["relevance"], first["is_relevant"]) == (
        "Grants",
        "en",
        0.86,
        True,
    )
    (image,) = await objects(db, What.IMAGES)
    assert (image["page_url"], image["url"]) == (first["url"], "https://rila.example/mill.jpg")
    assert (image["sha256"], image["alt"], image["domain"]) == ("31" * 32, "The old mill", "rila.example")
    links = await objects(db, What.LINKS)
    assert {row["page_url"] for row in links} == {first["url"]}
    assert [(row["url"], row["to_domain"], row["is_foreign"]) for row in links] == [
        ("https://rila.example/", "rila.example", False),
        (first["url"], "rila.example", False),
        ("https://www.Fund.example/apply", "fund.example", True),
        ("http://10.0.0.7/", None, True),
        ("https://trust.example/?a=b", "trust.example", True),
    ]


async def test_one_domain_and_what_is_new_can_be_asked_for(db: Database) -> None:
    later, before = datetime.now(UTC) + timedelta(hours=1), datetime.now(UTC) - timedelta(hours=1)
    for what in What:
        whole = await objects(db, what, everything=True)
        mine = await objects(db, what, everything=True, domain="rila.example")
        assert mine and timeless(mine) == timeless([one for one in whole if one["domain"] == "rila.example"])
        assert await objects(db, what, everything=True, since=later) == []
        assert await objects(db, what, everything=True, since=before), what
    with pytest.raises(NotFound, match=r"nobody\.example is not in the register"):
        await objects(db, What.PAGES, domain="nobody.example")


async def test_contacts_are_published_with_their_domain(db: Database) -> None:
    assert await objects(db, What.CONTACTS) == [], "its candidate waits for a person"
    for name in (
        "trust.example",
        "fund.example",
        "found1.example",
    ):  # approved, rejected, without a candidate
        no = (await add_domain(db, name)).no
        async with db.write() as tx:
            told = {"kind": "email", "value": f"info@{name}", "source_url": f"https://{name}/"}
            await tx.execute(insert(contacts).values(domain_no=no, found_at=now(), **told))
            if name == "trust.example":  # what was approved once stays, though another one waits
                await candidates.add(tx, no, world.candidate_of(name, "0.91"), SYSTEM)
            gone = told | {"kind": "phone", "gone_at": now()}
            await tx.execute(insert(contacts).values(domain_no=no, found_at=now(), **gone))
    assert [(one["kind"], one["value"]) for one in await objects(db, What.CONTACTS)] == [
        ("email", "info@trust.example"),
        ("email", "info@found1.example"),
    ]
    whole = [one["value"] for one in await objects(db, What.CONTACTS, everything=True)]
    assert [whole.pop(place) for place in (7, 5, 3)] == whole[:1:-1], "the gone ones, too"
    assert whole == [
        "grants@rila.example",
        "+35921234567",
        "info@trust.example",
        "info@fund.example",
        "info@found1.example",
    ]
    rows = sheet(await taken(db, What.CONTACTS, Format.CSV, everything=True))
    assert [row[4] for row in rows[1:3]] == ["grants@rila.example", "'+35921234567"]


async def test_what_was_forgotten_is_given_to_nobody(db: Database, tmp_path: Path) -> None:
    await forget_contact(db, tmp_path, DEFAULT_RULES, "grants@rila.example", ADMIN)
    # A worker that held the page writes once more what it read.
    no = (await add_domain(db, "free.example")).no
    said = {"value": "Grants@Rila.example", "source": "text", "quote": "Grants@Rila.example"}
    named = {"value": "Free", "source": "text", "quote": "Free"}
    async with db.write() as tx:
        await forgotten.add_contact(db, tx, "Jo Doe")
        told = {"domain_no": no, "kind": "email", "source_url": "https://free.example/", "found_at": now()}
        await tx.execute(insert(contacts).values(value="grants@rila.example", **told))
        await tx.execute(insert(contacts).values(value="jo@free.example", name="Jo Doe", **told))
        await tx.execute(insert(contacts).values(value="kept@free.example", name="Al Roe", **told))
        one = (await tx.execute(select(records).limit(1))).one()._asdict() | {
            "domain_no": no,
            "gone_at": None,
        }
        for place, fields in enumerate(
            ({"name": named, "email": said}, {"name": said | {"value": "jo doe", "quote": ""}})
        ):
            made = one | {"id": world.new_id(), "identity": bytes([place]), "published": True}
            await tx.execute(insert(records).values(made | {"fields": fields}))
    for what in What:
        for kind in (Format.CSV, Format.JSONL):
            told = (await taken(db, what, kind, everything=True)).lower()
            assert b"grants@rila" not in told and b"jo doe" not in told, what
    assert [one["value"] for one in await objects(db, What.CONTACTS, domain="free.example")] == [
        "kept@free.example"
    ]
    (kept,) = await objects(db, What.RECORDS, domain="free.example")
    assert kept["name"] == "Free" and "email" not in kept and set(kept["sources"]) == {"name"}


async def test_of_a_forgotten_domain_its_tombstone_is_left(db: Database, tmp_path: Path) -> None:
    async with db.write() as tx:  # as the archive names files
        await tx.execute(update(images).values(file=f"11/11/{'1' * 64}.jpg"))
    await forget_domain(db, SqlFrontier(), tmp_path, DEFAULT_RULES, "rila.example", ADMIN)
    for what in set(What) - {What.DOMAINS}:
        assert await objects(db, what, everything=True, domain="rila.example") == [], what
    (tombstone,) = await objects(db, What.DOMAINS, domain="rila.example")
    assert (tombstone["stage"], tombstone["blacklist_reason"]) == ("blacklisted", "opt_out")


async def test_no_secret_leaves(db: Database) -> None:
    async with db.read() as tx:
        hashes = list((await tx.execute(select(users.c.password_hash))).scalars())
        keys = [key.hex() for key in (await tx.execute(select(api_tokens.c.key_hash))).scalars()]
    assert hashes and keys
    for what in What:
        told = (await taken(db, what, everything=True)).decode()
        assert not [secret for secret in [*hashes, *keys, "$argon2", "the nightly export"] if secret in told]
