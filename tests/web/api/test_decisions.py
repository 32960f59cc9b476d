"""Decisions over the API: one with its version, many with those that are refused, and what follows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from surveyor.bootstrap.workspace import Workspace
from surveyor.people import Scope
from surveyor.registry import assets
from tests.support import review_help
from tests.support.registry_help import add_domain, add_domains
from tests.web.api.program import Program
from tests.web.serving import Served


def put(served: Served, name: str, state: str = "pending") -> None:
    served.run(lambda workspace: review_help.in_state(workspace.db, name, state))


VERBS = [
    ("pending", {"decision": "approve"}, {"review_status": "approved", "reviewed_by": "ada"}),
    ("pending", {"decision": "reject", "reason": "a shop"}, {"rejection_reason": "a shop"}),
    ("approved", {"decision": "suspend"}, {"review_status": "suspended", "due_at": None}),
    ("suspended", {"decision": "resume"}, {"review_status": "approved"}),
    ("suspended", {"decision": "reopen"}, {"review_status": "pending_review"}),
    ("approved", {"decision": "trust"}, {"is_trusted": True}),
    ("trusted", {"decision": "untrust"}, {"is_trusted": False}),
    ("approved", {"decision": "blacklist", "reason": "scam"}, {"stage": "blacklisted"}),
    ("blacklisted", {"decision": "unblacklist"}, {"quality_status": "discovered"}),
    ("approved", {"decision": "no-funds", "year": 2090}, {"no_funds_year": 2090}),
]


@pytest.mark.parametrize(("state", "sent", "then"), VERBS, ids=[str(row[1]["decision"]) for row in VERBS])
def test_every_decision_is_one_event_and_answers_with_the_domain(
    state: str, sent: dict[str, Any], then: dict[str, Any], served: Served, admin: Program
) -> None:
    put(served, "a.example", state)
    before = admin.get("/domains/a.example").json
    decided = admin.post("/domains/a.example/decisions", sent | {"version": before["version"]})
    assert decided.status == 200, decided.text
    assert {name: decided.json[name] for name in then} == then
    after = admin.get("/domains/a.example").json
    assert after["version"] == before["version"] + 1 == decided.json["version"]
    new = after["events"][: len(after["events"]) - len(before["events"])]
    assert [(event["actor"], event["version"]) for event in new] == [("ada", after["version"])]


def test_an_approval_says_what_follows(served: Served, admin: Program) -> None:
    put(served, "a.example")
    told = admin.post("/domains/a.example/decisions", {"decision": "approve"}).json
    assert told["crawl"] == "queued: start `surveyor crawl`" and told["due_at"].endswith("Z")


@pytest.mark.parametrize("profile", ["funding", "images"])
def test_hosts_of_images_go_along_where_the_profile_says_so(
    profile: str, served: Served, admin: Program
) -> None:
    """As with the command and in the browser."""

    async def with_images(workspace: Workspace) -> None:
        workspace.take_profile(profile)
        for name in ("a.example", "b.example"):
            domain = await add_domain(workspace.db, name, approved=False)
            async with workspace.db.write() as tx:
                await assets.note_hosts(tx, domain.no, [f"cdn-{name}"], approve=False)

    served.run(with_images)
    admin.post("/domains/a.example/decisions", {"decision": "approve"})
    admin.post("/decisions", {"decision": "approve", "domains": ["b.example"]})
    hosts = [admin.get(f"/domains/cdn-{name}").json["review_status"] for name in ("a.example", "b.example")]
    assert hosts == ["approved" if profile == "images" else "pending_review"] * 2


def test_a_stale_version_is_refused_with_the_present_one_and_what_changed(
    served: Served, admin: Program, reviewer: Program
) -> None:
    put(served, "a.example")
    seen = reviewer.get("/domains/a.example").json["version"]
    admin.patch("/domains/a.example", {"notes": "known to us"})
    for answer in (
        reviewer.post("/domains/a.example/decisions", {"decision": "approve", "version": seen}),
        reviewer.patch("/domains/a.example", {"max_crawl_depth": 2, "version": seen}),
    ):
        assert answer.status == 409 and answer.kind == "application/problem+json"
        assert answer.json["type"] == "urn:surveyor:problem:stale-version"
        assert (answer.json["seen_version"], answer.json["current_version"]) == (seen, seen + 1)
        assert any("notes" in change and "ada" in change for change in answer.json["changes"])
    current = answer.json["current_version"]
    again = reviewer.post("/domains/a.example/decisions", {"decision": "approve", "version": current})
    assert again.status == 200


def test_of_two_programs_that_saw_the_same_one_decides(served: Served, admin: Program) -> None:
    put(served, "a.example")
    seen = admin.get("/domains/a.example").json["version"]
    statuses: list[int] = []

    def decide(verb: str) -> None:
        sent = {"decision": verb, "reason": "r", "version": seen}
        statuses.append(Program(served.url, admin.token).post("/domains/a.example/decisions", sent).status)

    racers = [threading.Thread(target=decide, args=[verb]) for verb in ("approve", "reject") * 4]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(60)
    assert sorted(statuses) == [200] + [409] * 7


def test_in_bulk_five_hundred_are_done_and_twenty_refused_by_name(served: Served, reviewer: Program) -> None:
    served.run(lambda workspace: add_domains(workspace.db, 510, approved=False))
    done_before = [f"site{index}.example" for index in range(500, 510)]
    reviewer.post("/decisions", {"decision": "approve", "domains": done_before})
    names = [f"site{index}.example" for index in range(510)]
    unknown = [f"nobody{index}.example" for index in range(8)]
    sent = [*names, *unknown, "not a domain", {"domain": "site0.example", "version": 99}]
    answer = reviewer.post("/decisions", {"decision": "approve", "domains": sent})
    assert answer.status == 200
    assert [row["domain"] for row in answer.json["done"]] == names[:500]
    assert all(row["review_status"] == "approved" for row in answer.json["done"])
    refused = {line["domain"]: line for line in answer.json["refused"]}
    assert len(answer.json["refused"]) == 20
    assert set(refused) == {*done_before, *unknown, "not a domain", "site0.example"}
    assert "approved by rita" in refused["site505.example"]["why"]
    assert refused["site0.example"]["version"] == 2
    total = reviewer.get("/review?limit=1").json["waiting"]
    assert total == 0


def test_limits_and_notes_change_alone_and_in_bulk(served: Served, reviewer: Program) -> None:
    put(served, "a.example")
    put(served, "b.example")
    one = reviewer.patch("/domains/a.example", {"max_crawl_depth": 5, "notes": "häuser 🏠"})
    assert (one.json["max_crawl_depth"], one.json["notes"]) == (5, "häuser 🏠")
    names = ["a.example", "b.example", "c.example"]
    many = reviewer.patch("/domains", {"domains": names, "max_crawl_depth": None, "notes": None})
    assert [(row["max_crawl_depth"], row["notes"]) for row in many.json["done"]] == [(None, None)] * 2
    assert [line["domain"] for line in many.json["refused"]] == ["c.example"]
    assert reviewer.patch("/domains/a.example", {"version": 3}).status == 400


@pytest.mark.parametrize(
    "body",
    [
        {"max_crawl_depth": -1},
        {"crawl_delay_seconds": "fast"},
        {"notes": "a\x00b"},
        {"review_status": "approved"},
        {"is_trusted": True},
        {"version": 2**40, "notes": "x"},
    ],
    ids=["negative", "text", "zero byte", "a state", "trust", "a huge version"],
)
def test_what_cannot_be_edited_is_refused_and_not_repeated(
    body: dict[str, Any], served: Served, reviewer: Program
) -> None:
    put(served, "a.example")
    before = reviewer.get("/domains/a.example").json
    answer = reviewer.patch("/domains/a.example", body)
    assert answer.status == 422 and answer.json["errors"][0]["at"].startswith("body.")
    assert reviewer.get("/domains/a.example").json["version"] == before["version"]


def test_a_decision_needs_its_reason(served: Served, reviewer: Program) -> None:
    put(served, "a.example")
    for verb in ("reject", "blacklist"):
        refused = reviewer.post("/domains/a.example/decisions", {"decision": verb})
        assert refused.status == 400 and "needs a reason" in refused.json["detail"]


def test_a_token_may_no_more_than_its_scope_whoever_owns_it(
    served: Served, program: Callable[[str, Scope], Program], admin: Program
) -> None:
    put(served, "a.example", "blacklisted")
    narrow = program("ada", Scope.REVIEW)
    refused = narrow.post("/domains/a.example/decisions", {"decision": "unblacklist"})
    assert refused.status == 409 and "only an admin" in refused.json["detail"]
    assert admin.post("/domains/a.example/decisions", {"decision": "unblacklist"}).status == 200


def test_pages_are_made_due_again_and_errors_cleared(served: Served, reviewer: Program) -> None:
    put(served, "a.example", "approved")
    again = reviewer.post("/domains/a.example/recrawl")
    assert again.status == 200 and again.json["pages"] == 0 and again.json["due_at"]
    both = reviewer.post("/recrawl", {"domains": ["a.example", "b.example"]}).json
    assert [row["domain"] for row in both["done"]] == ["a.example"]
    assert [line["domain"] for line in both["refused"]] == ["b.example"]
    assert reviewer.post("/domains/a.example/reset", {"reason": "they moved"}).status == 200
    kinds = [event["kind"] for event in reviewer.get("/domains/a.example").json["events"]]
    assert kinds[0] == "DomainReset" and kinds.count("RecrawlAsked") == 2


def test_forgetting_is_for_admins_and_says_yes(served: Served, admin: Program, reviewer: Program) -> None:
    put(served, "a.example", "approved")
    assert reviewer.post("/domains/a.example/forget", {"yes": True}).status == 403
    assert admin.post("/domains/a.example/forget", {"yes": False}).status == 400
    assert admin.post("/domains/a.example/forget", {"yes": True}).json["domain"] == "a.example"
    gone = admin.get("/domains/a.example").json
    assert (gone["stage"], gone["blacklist_reason"]) == ("blacklisted", "opt_out")
    contact = admin.post("/contacts/forget", {"contact": "mila@a.example", "yes": True})
    assert contact.json == {"contacts": 0, "snapshots": 0, "archive_records": 0}
