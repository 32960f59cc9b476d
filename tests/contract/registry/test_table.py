"""The table of domains on both engines: exactly what matches, in its order, however short a look may be."""

from __future__ import annotations

from itertools import combinations

import pytest
from sqlalchemy import text, update

from surveyor.db import Database, now
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import UsageError
from surveyor.registry import facets as facets_module
from surveyor.registry import table
from surveyor.registry.domain import Domain, Stage
from surveyor.registry.facets import facets
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import index_choice
from surveyor.registry.store import table as store
from surveyor.registry.store.table import Budget
from surveyor.registry.table import DomainFilter
from tests.support.registry_help import add_domain


async def _made(db: Database, count: int) -> list[str]:
    names = [f"site{number:03}.{('org', 'co.uk')[number % 2]}" for number in range(count)]
    for number, name in enumerate(names):
        domain = await add_domain(db, name, approved=number % 3 == 0)
        async with db.write() as tx:
            mine = update(domain_crawl).where(domain_crawl.c.no == domain.no)
            fetched = (number * 7) % 11
            await tx.execute(
                mine.values(
                    pages_crawled=fetched,
                    total_error_count=number,
                    last_crawled_at=now() if fetched else None,
                )
            )
            source = update(domains).where(domains.c.no == domain.no)
            await tx.execute(source.values(source="tranco" if number % 4 == 0 else "links"))
    return names


async def _walked(db: Database, wanted: DomainFilter, sort: str = "") -> list[str]:
    found: list[str] = []
    after: str | None = ""
    for _ in range(100):
        assert after is not None
        page = await table.page(db, wanted, 4, after, sort)
        found += [domain.domain for domain in page.domains]
        if (after := page.after) is None:
            return found
    raise AssertionError("the pages do not end")


async def test_filters_narrow_to_exactly_what_matches_and_pages_bring_each_once(db: Database) -> None:
    names = await _made(db, 24)
    assert await _walked(db, DomainFilter()) == names
    assert await _walked(db, DomainFilter(contains="e01")) == [name for name in names if "e01" in name]
    assert await _walked(db, DomainFilter(contains="_")) == [], "no sign of a pattern"
    assert await _walked(db, DomainFilter(suffix="uk")) == names[1::2]
    assert await _walked(db, DomainFilter(suffix=".org", source="tranco")) == names[::4]
    approved = DomainFilter(review_status=ReviewStatus.APPROVED, suffix="org")
    assert await _walked(db, approved) == names[::6]
    assert await _walked(db, DomainFilter(stage=Stage.ACTIVE)) == [
        name for number, name in enumerate(names) if number % 3 == 0 and (number * 7) % 11
    ]
    assert await _walked(db, DomainFilter(reviewed_by="nobody")) == []
    assert await table.count(db, approved, 100) == (4, True)
    assert await table.count(db, approved, 3) == (3, False)
    batches = [domain.domain async for some in table.every(db, approved) for domain in some]
    assert batches == names[::6]


_CHOICES = (
    ("contains", "e01"),
    ("suffix", "org"),
    ("source", "tranco"),
    ("reviewed_by", "ada"),
    ("block_reason_code", "dns"),
    ("language", "de"),
    ("review_status", ReviewStatus.APPROVED),
    ("crawl_status", CrawlStatus.UNREACHABLE),
    ("stage", Stage.ACTIVE),
    ("stage", Stage.UNREACHABLE),
    ("stage", Stage.AWAITING_REVIEW),
    ("stage", Stage.BLACKLISTED),
    ("stage", Stage.SUSPENDED),
)


@pytest.mark.parametrize("probed", [2, 2_000], ids=["along names and frequent values", "along rare values"])
async def test_whichever_index_leads_to_them_the_same_domains_match(
    db: Database, monkeypatch: pytest.MonkeyPatch, probed: int
) -> None:
    monkeypatch.setattr(index_choice, "_PROBED", probed)
    await _made(db, 24)
    async with db.write() as tx:
        for no in range(1, 25, 4):
            gone = {"crawl_status": "unreachable", "block_reason_code": "dns"}
            await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(**gone))
            await tx.execute(update(domains).where(domains.c.no == no + 1).values(reviewed_by="ada"))
            german = update(domain_crawl).where(domain_crawl.c.no.in_([no, no + 1]))
            await tx.execute(german.values(language="de"))
        spam = {"blacklisted_by": "ada", "blacklisted_at": now(), "blacklist_reason": "spam"}
        some = update(domains).where(domains.c.no.in_([5, 6, 10]))
        await tx.execute(some.values(quality_status="blacklisted", **spam))
        await tx.execute(update(domains).where(domains.c.no.in_([10, 13])).values(review_status="suspended"))
    async with db.read() as tx:
        every = await store.page(tx, DomainFilter(), 100)
        for first, second in combinations(_CHOICES, 2):
            wanted = DomainFilter(**dict([first, second]))  # type: ignore[arg-type]
            expected = [domain.no for domain in every if _fits(domain, wanted)]
            found = await store.matching(tx, wanted, 100, 0, Budget())
            assert (found.numbers, found.after) == (expected, None), wanted
            assert await store.count(tx, wanted, 100, Budget()) == (len(expected), True), wanted


async def test_a_look_begins_where_every_filter_has_something(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_choice, "_PROBED", 2)  # along the stage, which most domains are at
    await _made(db, 24)
    wanted = DomainFilter(stage=Stage.AWAITING_REVIEW, source="late")
    async with db.write() as tx:
        await tx.execute(update(domains).where(domains.c.no > 20).values(source="late"))
        found = await store.matching(tx, wanted, 100, 0, Budget())
        assert (len(found.numbers), found.looked) == (3, 3)
        none = await store.matching(tx, wanted, 100, found.numbers[-1], Budget())
        assert (none.numbers, none.after, none.looked) == ([], None, 0)


async def test_where_a_filter_begins_is_asked_of_its_own_index(db: Database) -> None:
    """Of a source that half of all domains have, PostgreSQL read a million others before it met the first."""
    await _made(db, 24)
    async with db.write() as tx:
        await tx.execute(update(domains).where(domains.c.no > 6).values(source="late"))
    async with db.write() as tx:
        await tx.execute(text("ANALYZE"))
    source = index_choice.Walk(domains, "ix_domains_source", domains.c.source == "late")
    compiled = str(
        index_choice.first_behind(source, 3).compile(db.engine, compile_kwargs={"literal_binds": True})
    )
    async with db.read() as tx:
        if db.is_sqlite:
            plan = [row.detail for row in await tx.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))]
        else:
            await tx.execute(text("SET LOCAL enable_seqscan = off"))
            plan = [row[0] for row in await tx.execute(text(f"EXPLAIN {compiled}"))]
    assert "ix_domains_source" in " ".join(plan), plan
    assert not [step for step in plan if "pk_domains" in step or "Sort" in step or "SCAN" in step], plan


def _fits(domain: Domain, wanted: DomainFilter) -> bool:
    same = (
        "source",
        "reviewed_by",
        "block_reason_code",
        "language",
        "stage",
        "review_status",
        "crawl_status",
    )
    return (
        (wanted.contains or "") in domain.domain
        and domain.domain.endswith(wanted.suffix or "")
        and all(getattr(wanted, name) in (None, getattr(domain, name)) for name in same)
    )


async def _no_rest() -> None:
    """A small register is counted in one go."""


@pytest.mark.parametrize("window", [5, 20_000], ids=["in many pieces", "in one piece"])
async def test_facets_count_what_each_filter_would_show(
    db: Database, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(facets_module, "_WINDOW", window)
    await _made(db, 12)
    await add_domain(db, "other.gov.uk")
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no <= 5).values(language="bg"))
    counted = await facets(db, _no_rest)
    assert (counted.suffix, counted.language) == ({"uk": 7, "co.uk": 6, "org": 6, "gov.uk": 1}, {"bg": 5})
    for field, values in (
        ("suffix", counted.suffix),
        ("language", counted.language),
        ("source", counted.source),
        ("review_status", counted.review),
        ("quality_status", counted.quality),
        ("stage", counted.stage),
    ):
        for value, count in values.items():
            known = Stage(value) if field == "stage" else value
            wanted = DomainFilter(**{field: known})  # type: ignore[arg-type]
            assert await table.count(db, wanted, 100) == (count, True), wanted
    assert sum(counted.stage.values()) == 13


async def test_a_list_is_sorted_by_name_or_by_a_column_either_way(db: Database) -> None:
    names = await _made(db, 12)
    assert await _walked(db, DomainFilter(), "name") == sorted(names)
    assert await _walked(db, DomainFilter(suffix="org"), "name") == sorted(names[::2])
    assert await _walked(db, DomainFilter(), "-errors") == names[::-1]
    found = await _walked(db, DomainFilter(suffix="org"), "pages")
    assert found == sorted(names[::2], key=lambda name: (int(name[4:7]) * 7) % 11)
    with pytest.raises(UsageError, match="no order"):
        await table.page(db, DomainFilter(), 4, "", "shoe size")


async def test_more_than_can_be_sorted_stand_as_registered_and_say_so(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MOST_SORTED", 3)
    names = await _made(db, 6)
    page = await table.page(db, DomainFilter(), 4, "", "-errors")
    assert (page.too_many_to_sort, [domain.domain for domain in page.domains]) == (True, names[:4])


async def test_a_look_without_time_says_how_far_it_came_and_the_next_goes_on(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rows in ("_FIRST", "_LONGEST", "_FIRST_NAMES", "_LONGEST_NAMES"):
        monkeypatch.setattr(store, rows, 2)
    for seconds in ("_PAGE_SECONDS", "_AGAIN_SECONDS"):
        monkeypatch.setattr(table, seconds, -1.0)
    names = await _made(db, 12)
    page = await table.page(db, DomainFilter(contains="site010"), 4, "")
    assert (page.domains, page.is_cut, page.looked) == ([], True, 2)
    assert await _walked(db, DomainFilter(contains="site01")) == names[10:]
    assert await _walked(db, DomainFilter(contains="site01"), "name") == names[10:]
    active = DomainFilter(stage=Stage.ACTIVE)  # found along two indexes at once
    async with db.read() as tx:
        every = await store.matching(tx, active, 100, 0, Budget())
    assert len(await _walked(db, active)) == len(every.numbers)
