"""A small register with something of everything, so that every page has something to show."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from argon2 import PasswordHasher
from PIL import Image
from sqlalchemy import insert, select, update

from surveyor import workspaces
from surveyor.archive import Capture, WarcWriter
from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.clock import SystemClock
from surveyor.db import Database, now
from surveyor.db.tables import (
    crawl_log,
    crawl_runs,
    domain_crawl,
    images,
    listener_cursors,
    outbox,
    page_snapshots,
    pages,
    provenance,
    provider_suspensions,
    search_results,
    workers,
)
from surveyor.discover.session import SessionStatus, SessionType, Totals
from surveyor.discover.store import providers, sessions
from surveyor.discover.store.providers import Usage
from surveyor.ids import new_id
from surveyor.listeners import store as listening
from surveyor.names import url_key
from surveyor.notify import store as notices
from surveyor.operations import job_store, jobs
from surveyor.operations.jobs import JobKind
from surveyor.operations.store import write_part
from surveyor.people import Hasher, Scope
from surveyor.people import service as people
from surveyor.process.supervisor import PartState
from surveyor.registry.actors import SYSTEM, Actor, Role
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.domain import SubmitterType
from surveyor.registry.store import candidates, rows
from surveyor.review.decisions import Decision, Target, Verb, decide
from tests.support.registry_help import add_domain
from tests.support.review_help import name_it
from tests.web import findings
from tests.web.findings import Findings

PASSWORD = "a long password"
PEOPLE = {"ada": Role.ADMIN, "rita": Role.REVIEWER, "sam": Role.SUBMITTER}
ADA, RITA = Actor("ada", Role.ADMIN), Actor("rita", Role.REVIEWER)
# One hash in a millisecond: tests are about who is let in, not about how long it takes.
QUICK = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


# Nobody sends it: what is put into the outbox stays there.
_MAIL = """
[mail]
server = "127.0.0.1"
port = 9
security = "none"
sender = "desk@register.example"
site_url = "https://register.example"

[listeners]
webhooks = { crm = "http://127.0.0.1:9/hook" }
secret_files = { crm = "hook.secret" }

[notify]
mail = ["desk@register.example"]
"""
_SECRET = "whsec_" + "c2VjcmV0" * 6


class World(NamedTuple):
    """Names that tests ask for."""

    domain: str  # crawled, with pages, versions, records, contacts, images
    key: int  # of one of its pages
    older: int  # two versions of that page
    newer: int
    candidate: UUID  # waits for a person
    blacklisted: str
    found: Findings  # records, contacts, texts
    job: UUID  # failed, with a log
    run: UUID  # of a crawl that goes on


async def make(folder: Path) -> World:
    await workspaces.make(folder, "funding")
    with (folder / "surveyor.toml").open("a", encoding="utf-8") as file:
        file.write(_MAIL)
    (folder / "hook.secret").write_text(_SECRET, encoding="utf-8")
    async with open_workspace(folder) as workspace:
        return await fill(workspace)


async def fill(workspace: Workspace) -> World:
    db = workspace.db
    await _people(db)
    await _queue(db)
    await _decided(db)
    domain = await _crawled(db)
    older, newer, key = await _versions(workspace, domain)
    candidate = await _candidates(db)
    await _sessions(db, domain)
    await _images(db, domain)
    async with db.read() as tx:
        trusted = await rows.find_no(tx, "trust.example")
    found = await findings.add(db, domain, trusted, key, older, newer)
    run = await _crawl(db, domain)
    async with db.write() as tx:
        again = {"restarts": 2, "note": "was ended by SIGKILL"}
        await write_part(tx, db.dialect_name, "mill", "crawl", PartState.RUNNING, pid=4711, **again)
        await write_part(tx, db.dialect_name, "mill", "nightly", PartState.IDLE)
    job = await _job(db)
    await _messages(db)
    return World("rila.example", key, older, newer, candidate, "scam.example", found, job, run)


async def _messages(db: Database) -> None:
    """One that waits and one that was refused; a webhook that does not answer."""
    async with db.write() as tx:
        for name, address in (("waits", "sam@home.example"), ("failed", "gone@home.example")):
            message = {"channel": "mail", "recipient": address, "subject": "wait0.example was approved"}
            await notices.put(db, tx, body="Thank you.", once=name, **message)
        values = {"state": "failed", "tries": 1, "last_error": "550 no such user"}
        await tx.execute(update(outbox).where(outbox.c.once == "failed").values(values))
        await listening.add(db, tx, "crm", 0)
        wrong = {"failures": 3, "last_error": "connection_refused: nobody answers"}
        await tx.execute(update(listener_cursors).values(wrong))


async def _job(db: Database) -> UUID:
    job = await jobs.ask(db, JobKind.SEARCH, {"queries": "grants for villages\nprizes"}, RITA)
    async with db.write() as tx:
        await job_store.claim(tx, "mill")
        await job_store.move(
            tx, job.id, "failed", ended=True, exit_code=1, log="asking searxng\nno answer", result={"new": 0}
        )
    return job.id


async def _people(db: Database) -> None:
    hasher = Hasher(QUICK)
    try:
        for name, role in PEOPLE.items():
            await people.add_user(db, hasher, name, role, PASSWORD, Actor.operator())
    finally:
        hasher.close()
    await people.create_token(db, "rita", "the nightly export", Scope.READ, 90, ADA)


async def _queue(db: Database) -> None:
    for index in range(8):
        await name_it(db, f"wait{index}.example", context=f"They gave to our neighbours in 201{index}.")
    await name_it(db, "xn--bcher-kva.example", context="Books for schools.")
    await name_it(db, "xn--pple-43d.example", context="Looks familiar.")
    for index in range(30):
        await add_domain(db, f"found{index}.example", approved=False, by=SubmitterType.SYSTEM)


async def _decided(db: Database) -> None:
    for name in (
        "fund.example",
        "trust.example",
        "late.example",
        "old.example",
        "scam.example",
        "no.example",
    ):
        await name_it(db, name, context="from the list of 2025")
    approved = [Target(name) for name in ("fund.example", "trust.example", "late.example", "old.example")]
    await decide(db, Decision(Verb.APPROVE, RITA), approved)
    await decide(db, Decision(Verb.TRUST, RITA, "known for years"), [Target("trust.example")])
    await decide(db, Decision(Verb.SUSPEND, RITA, "they asked us to wait"), [Target("late.example")])
    await decide(db, Decision(Verb.REJECT, RITA, "a shop"), [Target("no.example")])
    await decide(db, Decision(Verb.BLACKLIST, ADA, "sells addresses"), [Target("scam.example")])


async def _crawled(db: Database) -> int:
    domain = await add_domain(db, "rila.example")
    moment = datetime.now(UTC)
    async with db.write() as tx:
        mine = update(domain_crawl).where(domain_crawl.c.no == domain.no)
        await tx.execute(mine.values(crawl_status="active"))
        await tx.execute(
            mine.values(
                pages_discovered=240,
                pages_crawled=118,
                images_found=64,
                bytes_fetched=7_400_000,
                crawl_depth_reached=3,
                frontier_size=102,
                total_error_count=4,
                last_crawled_at=moment - timedelta(hours=2),
                robots_verdict="allow",
                stopped_by="domain_pages",
            )
        )
        old = (await rows.find_no(tx, "old.example"),)
        late = update(domain_crawl).where(domain_crawl.c.no == old[0])
        await tx.execute(late.values(crawl_status="active"))
        await tx.execute(
            late.values(crawl_status="blocked", block_reason_code="http_403", block_reason="403 Forbidden")
        )
        for index in range(60):
            target = f"/programmes/{index}?lang=en"
            state, reason = [("done", None), ("waiting", None), ("ended", "robots"), ("ended", "depth")][
                index % 4
            ]
            await tx.execute(
                insert(pages).values(
                    domain_no=domain.no,
                    key=url_key(target),
                    target=target,
                    state=state,
                    reason=reason,
                    depth=index % 4,
                    rank=1,
                    seq=index,
                    status=200 if state == "done" else None,
                    fetched_at=moment - timedelta(minutes=index) if state == "done" else None,
                )
            )
    return domain.no


def _screenshot() -> bytes:
    """Any PNG."""
    out = io.BytesIO()
    Image.linear_gradient("L").resize((640, 1200)).save(out, "PNG")
    return out.getvalue()


SCREENSHOT = _screenshot()
"""Of the newer of the two versions."""


async def _versions(workspace: Workspace, no: int) -> tuple[int, int, int]:
    target = "/programmes/0?lang=en"
    bodies = [
        f"<html><title>Grants</title><body><script>alert(1)</script><h1>Grants</h1><p>{text}</p></body></html>"
        for text in ("Until May: 5,000", "Until June: 8,000")
    ]
    numbers = []
    with WarcWriter(workspace.archive_folder, "test", 10_000_000, SystemClock()) as writer:
        for place, body in enumerate(bodies):
            at = datetime.now(UTC) - timedelta(days=3 - place)
            capture = Capture(
                f"https://rila.example{target}", at, 200, (("content-type", "text/html"),), body.encode()
            )
            made_of = replace(capture, original=capture, screenshot=SCREENSHOT) if place else capture
            location = writer.append(made_of)
            async with workspace.db.write() as tx:
                made = await tx.execute(
                    insert(page_snapshots)
                    .values(
                        domain_no=no,
                        key=url_key(target),
                        content_hash=hashlib.sha256(body.encode()).digest(),
                        first_seen_at=at,
                        last_seen_at=at,
                        content_type="text/html",
                        bytes=len(body),
                        title="Grants",
                        archive=str(location),
                    )
                    .returning(page_snapshots.c.id)
                )
                numbers.append(int(made.scalar_one()))
    return numbers[0], numbers[1], url_key(target)


def candidate_of(name: str, confidence: str) -> NewCandidate:
    return NewCandidate(
        session_id=None,
        url=f"https://{name}/apply",
        title=f"Apply to {name}",
        organisation_name="The Rila Foundation",
        program_name="Small grants for villages",
        confidence=Decimal(confidence),
        threshold=Decimal("0.60"),
        scores=[
            {
                "judge": "keywords",
                "score": confidence,
                "weight": "0.40",
                "explanation": "grant, apply, deadline",
            },
            {
                "judge": "geography",
                "score": "0.70",
                "weight": "0.30",
                "explanation": "names a place we look at",
            },
        ],
        reasoning="Says that it gives grants, to whom, and until when.",
        judge_version="1",
    )


async def _candidates(db: Database) -> UUID:
    waiting: UUID | None = None
    for place, (name, confidence) in enumerate(
        [
            ("rila.example", "0.91"),
            ("wait0.example", "0.74"),
            ("fund.example", "0.66"),
            ("trust.example", "0.83"),
        ]
    ):
        async with db.write() as tx:
            made = await candidates.add(
                tx, await rows.find_no(tx, name), candidate_of(name, confidence), SYSTEM
            )
            if name != "wait0.example":
                await candidates.advance_candidate(tx, made, CandidateStatus.PENDING_REVIEW, SYSTEM)
            if place >= 2:
                await candidates.advance_candidate(tx, made, CandidateStatus.IN_REVIEW, RITA)
                end = CandidateStatus.APPROVED if place == 3 else CandidateStatus.REJECTED
                await candidates.advance_candidate(tx, made, end, RITA, reason="too far away")
        waiting = waiting or made
    assert waiting is not None
    return waiting


async def _sessions(db: Database, no: int) -> None:
    session = new_id()
    async with db.write() as tx:
        await sessions.start(tx, session, SessionType.NIGHTLY_DISCOVERY, "cli:ada", "host-1", 12, ["searxng"])
        totals = Totals(12, 40, 25, 10, 5, 0, 0, {"searxng": 40})
        await sessions.write_totals(tx, session, totals)
        await sessions.end(
            tx, session, SessionStatus.PARTIAL_SUCCESS, {"brave": "rate_limited: slow down"}, None
        )
        await providers.record(tx, Usage("searxng", "grants for villages", 12, 1, 40, 25, 0))
        await tx.execute(
            insert(provider_suspensions).values(
                provider="brave",
                error="rate_limited",
                detail="slow down",
                suspended_at=now(),
                until=datetime.now(UTC) + timedelta(hours=4),
                strikes=1,
                account="key",
            )
        )
        await tx.execute(
            insert(search_results).values(
                session_id=session,
                domain_no=no,
                provider="searxng",
                query="grants for villages",
                position=2,
                url="https://rila.example/apply",
                title="Apply for a grant",
                description="Small grants for villages in the mountains.",
                is_duplicate=False,
                found_at=now(),
            )
        )


async def _images(db: Database, no: int) -> None:
    async with db.write() as tx:
        await tx.execute(
            insert(images).values(
                id=1,
                sha256=b"1" * 32,
                dhash=1,
                width=1200,
                height=800,
                format="jpeg",
                bytes=90_000,
                file="11/1.jpg",
                first_seen_at=now(),
                last_seen_at=now(),
            )
        )
        await tx.execute(
            insert(provenance).values(
                image_id=1,
                domain_no=no,
                page_key=url_key("/programmes/0?lang=en"),
                discovery_type="discovery",
                url="https://rila.example/mill.jpg",
                alt="The old mill",
                seen_at=now(),
            )
        )


async def _crawl(db: Database, no: int) -> UUID:
    moment, run = datetime.now(UTC), new_id()
    values: list[dict[str, Any]] = [
        {
            "run_id": run,
            "domain_no": no,
            "url": f"https://rila.example/programmes/{index}",
            "status": 404 if index % 9 == 0 else 200,
            "reason": "not_found" if index % 9 == 0 else None,
            "bytes": 20_000 + index,
            "ms": 80 + index % 40,
            "images_found": index % 3,
            # Older ones on earlier days, so that the charts have something to draw.
            "fetched_at": moment
            - timedelta(seconds=7 * (400 - index) if index > 100 else 86_400 * (12 - index // 10)),
            "lease_epoch": 1,
        }
        for index in range(400)
    ]
    async with db.write() as tx:
        await tx.execute(insert(crawl_log), values)
        await tx.execute(
            insert(crawl_runs).values(
                id=run,
                started_at=moment - timedelta(minutes=50),
                started_by="cli:ada",
                max_pages=2_000,
                pages_reserved=500,
                pages=400,
                bytes=8_000_000,
                errors=45,
                options={},
            )
        )
        for name, silent in (("mill-4711-aa", 3), ("barn-815-bb", 900)):
            await tx.execute(
                insert(workers).values(
                    id=name,
                    kind="claiming",
                    host=name.partition("-")[0],
                    pid=1,
                    program_version="0.1.0",
                    started_at=moment - timedelta(minutes=50),
                    last_seen_at=moment - timedelta(seconds=silent),
                    run_id=run,
                )
            )
        fund = await rows.find_no(tx, "fund.example")
        for domain, worker, minutes in ((no, "mill-4711-aa", 20), (fund, "barn-815-bb", -10)):
            await tx.execute(
                update(domain_crawl)
                .where(domain_crawl.c.no == domain)
                .values(
                    claimed_by=worker, claim_expires_at=moment + timedelta(minutes=minutes), lease_epoch=1
                )
            )
        assert (await tx.execute(select(crawl_runs.c.id))).scalars().all() == [run]
    return run
