"""Seeds that name a page below the start page queue it, and a dry run writes nothing."""

from __future__ import annotations

from sqlalchemy import func, select

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains, events, pages
from surveyor.discover.seeds import IngestReport, decide, ingest, read_decisions
from surveyor.discover.seeds.formats import SeedLine
from surveyor.names import DEFAULT_RULES
from surveyor.registry.actors import Actor
from tests.support.registry_help import claim_one

BY = Actor.operator()
LIST = ("https://a.example/help?x=1", "a.example/more#top", "www.a.example", "http://b.example/", "c.example")


async def _ingest(db: Database, *texts: str, dry_run: bool = False) -> IngestReport:
    lines = [SeedLine(number, text, None, "said so") for number, text in enumerate(texts, 1)]
    return await ingest(db, lines, "list", BY, rules=DEFAULT_RULES, dry_run=dry_run)


async def _waiting(db: Database) -> set[tuple[str, str]]:
    query = select(domains.c.domain, pages.c.target).join(pages, pages.c.domain_no == domains.c.no)
    async with db.read() as tx:
        return {(name, target) for name, target in await tx.execute(query.where(pages.c.state == "waiting"))}


async def test_a_seed_with_a_path_queues_that_path_beside_the_start_page(db: Database) -> None:
    report = await _ingest(db, *LIST)
    assert (report.new, report.known, report.pages) == (3, 2, 2)
    assert await _waiting(db) == {("a.example", target) for target in ("/", "/help?x=1", "/more")}
    async with db.read() as tx:
        counted = select(domain_crawl.c.pages_discovered, domain_crawl.c.frontier_size).order_by("no")
        assert [tuple(row) for row in await tx.execute(counted)] == [(3, 3), (0, 0), (0, 0)]
        assert (await tx.execute(select(domains.c.submission_context))).scalars().first() == "said so"


async def test_what_is_known_and_waits_for_a_person_is_counted(db: Database) -> None:
    await ingest(db, [SeedLine(1, "a.example", None, "")], "list", BY, for_review=True, rules=DEFAULT_RULES)
    report = await _ingest(db, "a.example", "b.example", "b.example")
    assert (report.new, report.known, report.undecided) == (1, 2, 1)
    lines = [SeedLine(1, "a.example", None, "")]
    again = await ingest(db, lines, "list", BY, for_review=True, rules=DEFAULT_RULES)
    assert (again.known, again.undecided) == (1, 0), "it was to be reviewed"


async def test_a_line_of_a_list_may_hold_several_addresses_and_the_signs_around_them(db: Database) -> None:
    texts = ("www.a.example, b.example", "• c.example", "2. <https://d.example/x>;", '"e.example",')
    report = await _ingest(db, *texts, "see f.example", "info@g.example, h.example", "1. – 2.")
    assert (report.new, report.pages, report.bad) == (5, 1, 3)
    several = await _ingest(db, "https://i.example/ https://j.example/x", "https://k.example/my page")
    assert (several.new, several.pages, several.bad) == (3, 2, 0)


async def test_names_out_of_a_document_lose_its_quotes_dashes_and_joints_of_no_width(db: Database) -> None:
    texts = (
        "“https://a.example/”",
        "‘b.example’",
        "c.example…",
        "\ufeffd.example",
        "https://e.example/\u200b",
    )
    report = await _ingest(db, *texts, "f.example¹", "\u202ag.example\u202c", "– h.example —", "*.i.example")
    assert (report.new, report.pages, report.bad) == (9, 0, 0)
    async with db.read() as tx:
        names = set((await tx.execute(select(domains.c.domain))).scalars())
    assert names == {f"{letter}.example" for letter in "abcdefghi"}


async def test_a_page_on_a_host_of_many_owners_does_not_approve_the_host(db: Database) -> None:
    named = (
        "https://www.facebook.com/foodbank",
        "https://de-de.facebook.com/x",
        "youtube.com",
        "a.example/x",
    )
    report = await _ingest(db, *named)
    assert (report.new, report.pages, report.held) == (4, 3, ["de-de.facebook.com", "facebook.com"])
    async with db.read() as tx:
        found = await tx.execute(
            select(domains.c.domain, domains.c.review_status, domain_crawl.c.due_at.is_(None))
            .join_from(domains, domain_crawl)
            .order_by("domain")
        )
    assert [tuple(row) for row in found] == [
        ("a.example", "approved", False),
        ("de-de.facebook.com", "pending_review", True),
        ("facebook.com", "pending_review", True),
        ("youtube.com", "approved", False),
    ]
    assert (await _ingest(db, *named)).held == []


async def test_the_same_list_again_changes_nothing(db: Database) -> None:
    await _ingest(db, *LIST)
    before = await _waiting(db)
    again = await _ingest(db, *LIST)
    assert (again.new, again.pages, await _waiting(db)) == (0, 0, before)


async def test_a_page_named_while_a_worker_has_the_domain_waits_without_ending_the_lease(
    db: Database,
) -> None:
    await _ingest(db, "a.example")
    lease = await claim_one(db)
    await _ingest(db, "a.example/new")
    async with db.read() as tx:
        row = (await tx.execute(select(domain_crawl.c.lease_epoch, domain_crawl.c.claimed_by))).one()
    assert tuple(row) == (lease.epoch, "w1")
    assert ("a.example", "/new") in await _waiting(db)


async def test_a_dry_run_counts_and_writes_nothing(db: Database) -> None:
    report = await _ingest(db, *LIST, dry_run=True)
    assert (report.new, report.pages, report.dry_run) == (3, 2, True)
    lines = read_decisions([b"domain,decision,reason\n", b"a.example,approve,\n", b"b.example,suspend,x\n"])
    decided = await decide(db, lines, "sheet", BY, DEFAULT_RULES, dry_run=True)
    assert (decided.new, decided.approved, decided.suspended) == (2, 1, 1)
    async with db.read() as tx:
        for table in (domains, domain_crawl, pages, events):
            assert (await tx.execute(select(func.count()).select_from(table))).scalar_one() == 0, table.name
