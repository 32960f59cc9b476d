"""Lists over the API: pages that stay as they are while rows come in, filters, events that nobody misses."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import update

from surveyor.bootstrap.workspace import Workspace
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.db import now
from surveyor.db.tables import crawl_runs
from surveyor.registry.actors import SYSTEM
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.store import candidates, rows
from surveyor.web.api.common import dump
from tests.support import review_help
from tests.support.registry_help import add_domain, add_domains
from tests.web.api.program import Program
from tests.web.serving import Served


def pages(program: Program, path: str) -> Iterator[list[dict[str, object]]]:
    """Follow the links; a hundred pages are more than any test has."""
    for _ in range(100):
        answer = program.get(path)
        assert answer.status == 200, answer.text
        yield answer.json["items"]
        if answer.json["next"] is None:
            assert "link" not in answer.headers
            return
        path = answer.headers["link"].partition(">")[0][1:]
    raise AssertionError("the list has no end")


def test_pages_neither_repeat_nor_lose_a_row_while_others_come_in(served: Served, reviewer: Program) -> None:
    served.run(lambda workspace: add_domains(workspace.db, 23))
    seen: list[object] = []
    for number, page in enumerate(pages(reviewer, "/domains?limit=5&review_status=approved")):
        seen += [row["domain"] for row in page]
        served.run(lambda w, n=number: add_domain(w.db, f"late{n}.example"))  # type: ignore[misc]
        served.run(lambda w, n=number: add_domain(w.db, f"waits{n}.example", approved=False))  # type: ignore[misc]
    assert sorted(map(str, seen[:23])) == sorted(f"site{index}.example" for index in range(23))
    assert len(seen) == len(set(seen)) and not any(str(name).startswith("waits") for name in seen)


def test_the_queue_pages_in_both_orders(served: Served, public: Program, reviewer: Program) -> None:
    for index in range(7):
        public.post("/submissions", {"text": f"q{index}.example"})
    for order in ("oldest", "confident"):
        found = [row["domain"] for page in pages(reviewer, f"/review?limit=3&order={order}") for row in page]
        assert sorted(map(str, found)) == [f"q{index}.example" for index in range(7)], order
    told = reviewer.get("/review?limit=2").json
    assert (told["waiting"], told["waiting_is_exact"]) == (7, True)


def test_filters_narrow_and_unknown_ones_are_refused(served: Served, reviewer: Program) -> None:
    for state in ("approved", "rejected", "blacklisted", "pending"):
        served.run(lambda w, s=state: review_help.in_state(w.db, f"{s}.example", s))  # type: ignore[misc]
    for query, names in {
        "stage=blacklisted": ["blacklisted.example"],
        "review_status=rejected": ["rejected.example"],
        "crawl_status=pending&stage=pending_crawl": ["approved.example"],
    }.items():
        assert [row["domain"] for row in reviewer.get(f"/domains?{query}").json["items"]] == names
    named = reviewer.get("/domains-named?beginning=re").json["items"]
    assert [row["domain"] for row in named] == ["rejected.example"]
    for query in ("stage=nowhere", "limit=0", "limit=501", "limit=x"):
        assert reviewer.get(f"/domains?{query}").status == 422, query
    assert reviewer.get("/domains?after=unknown.example").status == 404


def test_events_are_followed_from_the_first_and_none_is_skipped(
    served: Served, reviewer: Program, public: Program
) -> None:
    told: list[int] = []
    after, asked = 0, 0
    for index in range(12):
        public.post("/submissions", {"text": f"e{index}.example"})
        if index % 3 == 0:
            answer = reviewer.get(f"/events?after={after}&limit=2").json
            told += [event["id"] for event in answer["items"]]
            after = answer["next"]
    while asked < 50:
        asked += 1
        answer = reviewer.get(f"/events?after={after}&limit=2")
        told += [event["id"] for event in answer.json["items"]]
        after = answer.json["next"]
        assert f"after={after}" in answer.headers["link"]
        if not answer.json["more"]:
            break
    every = reviewer.get("/events?after=0&limit=500").json["items"]
    assert told == [event["id"] for event in every]
    submitted = [event["domain"] for event in every if event["kind"] == "DomainSubmitted"]
    assert submitted == [f"e{index}.example" for index in range(12)]
    quiet = reviewer.get(f"/events?after={after}").json
    assert quiet == {"items": [], "next": after, "more": False}
    latest = reviewer.get("/events?limit=3").json["items"]
    assert [event["id"] for event in latest] == told[-3:]
    assert set(every[0]) == {"id", "at", "kind", "domain", "actor", "from", "to", "reason", "version", "data"}


def test_an_event_that_was_never_told_is_no_cursor(reviewer: Program) -> None:
    answer = reviewer.get("/events?after=987654321")
    assert answer.status == 404 and "begin with 0" in answer.json["detail"]
    assert reviewer.get(f"/events?after={2**63}").status == 422


async def _add_candidate(workspace: Workspace, name: str, confidence: str, *, is_ready: bool = True) -> str:
    new = NewCandidate(
        session_id=None,
        url=f"https://{name}/",
        title="Grants",
        organisation_name=None,
        program_name=None,
        confidence=Decimal(confidence),
        threshold=Decimal("0.60"),
        scores=[{"judge": "keywords", "score": "0.90", "weight": "1.00", "explanation": "grant"}],
        reasoning="says so",
        judge_version="1",
    )
    await add_domain(workspace.db, name)
    async with workspace.db.write() as tx:
        made = await candidates.add(tx, await rows.find_no(tx, name), new, SYSTEM)
        if is_ready:
            await candidates.advance_candidate(tx, made, CandidateStatus.PENDING_REVIEW, SYSTEM)
    return str(made)


def test_candidates_are_taken_given_back_and_decided(
    served: Served, admin: Program, reviewer: Program
) -> None:
    first = served.run(lambda w: _add_candidate(w, "a.example", "0.70"))
    best = served.run(lambda w: _add_candidate(w, "b.example", "0.90"))
    later = served.run(lambda w: _add_candidate(w, "c.example", "0.80", is_ready=False))
    found = [row["id"] for page in pages(reviewer, "/candidates?limit=2") for row in page]
    assert found == [later, best, first]
    waiting = reviewer.get("/candidates?status=pending_review").json["items"]
    assert [(row["id"], row["confidence"]) for row in waiting] == [(best, 0.9), (first, 0.7)]
    assert '"confidence":0.70' in reviewer.get(f"/candidates/{first}").text

    taken = reviewer.post("/candidates/take")
    assert (taken.json["id"], taken.json["assigned_to"]) == (best, "rita")
    assert reviewer.post(f"/candidates/{later}/take").status == 409
    assert admin.post(f"/candidates/{first}/take").json["assigned_to"] == "ada"
    assert "taken by ada" in reviewer.post(f"/candidates/{first}/take").json["detail"]
    assert admin.post(f"/candidates/{first}/give-back").json["status"] == "pending_review"
    assert reviewer.post(f"/candidates/{best}/decide", {"decision": "reject"}).status == 400
    decided = reviewer.post(f"/candidates/{best}/decide", {"decision": "approve"}).json
    assert (decided["status"], decided["decided_by"]) == ("approved", "rita")
    assert reviewer.post("/candidates/take").json["id"] == first
    assert reviewer.post("/candidates/take").status == 204
    assert reviewer.get("/candidates/00000000-0000-7000-8000-000000000000").status == 404


def test_what_is_at_work_is_listed(served: Served, reviewer: Program, admin: Program) -> None:
    for path in ("/runs", "/workers", "/queue", "/sessions"):
        assert reviewer.get(path).json["items"] == [], path
    providers = reviewer.get("/providers").json["items"]
    assert {"searxng", "brave"} <= {row["provider"] for row in providers}
    assert reviewer.get("/totals").json["stages"] == {}
    assert reviewer.get("/top-domains").json == {"items": [], "next": None}
    assert admin.post("/claims/release", {}).status == 400
    assert admin.post("/claims/release", {"expired": True}).json == {"released": []}
    served.run(lambda w: add_domain(w.db, "a.example", approved=False))
    why = reviewer.get("/why?subject=a.example").json
    assert why["subject"] == "a.example" and why["because"]
    assert reviewer.get("/why?subject=https://a.example/x").json["verdict"] == "unknown"


def test_runs_page_by_page(served: Served, reviewer: Program) -> None:
    async def start(workspace: Workspace) -> str:
        by = review_help.ADMIN
        return str(await service.start_run(workspace.db, by, RunOptions(), continuous=False))

    async def at_once(workspace: Workspace) -> None:
        async with workspace.db.write() as tx:
            await tx.execute(update(crawl_runs).values(started_at=now()))

    made = [served.run(start) for _ in range(5)]
    served.run(at_once)
    found = [row["id"] for page in pages(reviewer, "/runs?limit=2") for row in page]
    assert sorted(map(str, found)) == sorted(made) and len(set(found)) == 5
    assert reviewer.get("/runs?after=00000000-0000-7000-8000-000000000000").status == 404


@pytest.mark.parametrize(
    ("value", "written"),
    [("0.6", b"0.60"), ("1", b"1.00"), ("0.125", b"0.125"), ("0E-8", b"0.00"), ("-3.5", b"-3.50")],
)
def test_decimals_are_numbers_with_two_places_or_more(value: str, written: bytes) -> None:
    assert dump(Decimal(value)) == written
