"""Submissions over the API: every answer of the table, by anybody and by staff, and how often."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surveyor.people import Scope
from tests.support import review_help
from tests.web.api.program import Program
from tests.web.serving import Served


def put(served: Served, name: str, state: str) -> None:
    served.run(lambda workspace: review_help.in_state(workspace.db, name, state))


def urls(served: Served, name: str) -> dict[str, tuple[str, int, int]]:
    async def read(workspace: object) -> dict[str, tuple[str, int, int]]:
        db = served.workspace.db
        return await review_help.urls_of(db, (await review_help.found(db, name)).no)

    return served.run(read)


ROWS = [
    # the domain is, what is sent, status, outcome, offers, URLs that wait afterwards
    ("new", {"text": "a.example"}, 201, "submitted", None, []),
    ("new", {"text": "https://a.example/x"}, 200, "asks", "review", None),
    ("new", {"text": "https://a.example/x", "for_review": True}, 201, "submitted", None, ["/x"]),
    ("pending", {"text": "a.example", "context": "more"}, 200, "already_submitted", None, []),
    ("pending", {"text": "http://www.a.example/y"}, 200, "already_submitted", None, ["/y"]),
    ("approved", {"text": "a.example"}, 200, "already_approved", "recrawl", []),
    ("approved", {"text": "https://a.example/x"}, 200, "queued", None, ["/x"]),
    ("trusted", {"text": "https://a.example/x"}, 200, "queued", None, ["/x"]),
    ("rejected", {"text": "a.example"}, 200, "rejected", "review", []),
    ("rejected", {"text": "a.example", "for_review": True}, 200, "submitted_again", None, []),
    ("suspended", {"text": "https://a.example/x"}, 200, "suspended", None, []),
    ("blacklisted", {"text": "https://a.example/x"}, 200, "blacklisted", None, []),
]


@pytest.mark.parametrize(
    ("state", "sent", "status", "outcome", "offers", "waiting"),
    ROWS,
    ids=[f"{row[0]} {row[3]} {place}" for place, row in enumerate(ROWS)],
)
def test_every_row_of_the_table_is_answered(
    state: str,
    sent: dict[str, object],
    status: int,
    outcome: str,
    offers: str | None,
    waiting: list[str] | None,
    served: Served,
    public: Program,
) -> None:
    if state != "new":
        put(served, "a.example", state)
    answer = public.post("/submissions", sent)
    assert (answer.status, answer.json["outcome"], answer.json["offers"]) == (status, outcome, offers)
    assert answer.json["domain"] == "a.example" and answer.json["message"]
    if waiting is not None:
        # The start page goes first wherever a URL waits.
        assert sorted(urls(served, "a.example").keys() - {"/"}) == waiting


def test_the_same_domain_again_is_the_same_submission(public: Program, reviewer: Program) -> None:
    sent = {"text": "a.example", "context": "seen at a fair"}
    assert public.post("/submissions", sent).status == 201
    for text in ("a.example", "https://www.a.example", "A.EXAMPLE."):
        again = public.post("/submissions", sent | {"text": text})
        assert (again.status, again.json["outcome"]) == (200, "already_submitted")
    found = reviewer.get("/domains").json["items"]
    assert [(row["domain"], row["submission_context"], row["version"]) for row in found] == [
        ("a.example", "seen at a fair", found[0]["version"])
    ]


def test_staff_gives_limits_and_others_may_not(reviewer: Program, public: Program) -> None:
    sent = {"text": "a.example", "depth": 1, "delay_seconds": 4.5, "max_pages": 20}
    refused = public.post("/submissions", sent)
    assert refused.status == 400 and "for reviewers" in refused.json["detail"]
    assert reviewer.post("/submissions", sent).status == 201
    row = reviewer.get("/domains/a.example").json
    limits = (row["max_crawl_depth"], row["crawl_delay_seconds"], row["max_pages_per_run"])
    assert limits == (1, 4.5, 20) and row["submitted_by"] == "rita"


def test_a_token_that_only_submits_does_not_make_an_admin_staff(
    program: Callable[[str, Scope], Program], admin: Program
) -> None:
    narrow = program("ada", Scope.SUBMIT)
    assert narrow.post("/submissions", {"text": "a.example", "depth": 9}).status == 400
    assert narrow.post("/submissions", {"text": "a.example"}).status == 201
    assert admin.get("/domains/a.example").json["submitter_type"] == "public_user"


@pytest.mark.parametrize(
    "text",
    ["", "localhost", "not a domain", "ftp://a.example/", "http://127.0.0.1/", "x" * 3_000],
    ids=["nothing", "a host", "words", "another scheme", "an address", "too long"],
)
def test_what_names_no_domain_is_refused_with_a_reason(text: str, public: Program) -> None:
    answer = public.post("/submissions", {"text": text})
    assert answer.status in (400, 422) and answer.kind == "application/problem+json"
    assert answer.json["detail"] and "\n" not in answer.json["detail"]


def test_a_submitter_sees_what_became_of_their_own(
    program: Callable[[str, Scope], Program], public: Program, reviewer: Program
) -> None:
    sam = program("sam", Scope.SUBMIT)
    for index in range(5):
        assert sam.post("/submissions", {"text": f"s{index}.example"}).status == 201
    public.post("/submissions", {"text": "other.example"})
    reviewer.post("/domains/s1.example/decisions", {"decision": "reject", "reason": "a shop"})
    first = sam.get("/submissions?limit=3")
    second = sam.ask("GET", first.headers["link"].split(">")[0][1:])
    rows = first.json["items"] + second.json["items"]
    assert [row["domain"] for row in rows] == [f"s{index}.example" for index in (4, 3, 2, 1, 0)]
    assert second.json["next"] is None and "link" not in second.headers
    assert rows[3]["rejection_reason"] == "a shop"
    assert "notes" not in rows[0] and "submission_context" not in rows[0]
    assert sam.get("/domains").status == 403


class TestLimits:
    @pytest.fixture
    def settings(self) -> str:
        return "[review]\nper_address = 3\nin_total = 5\n"

    def test_the_public_is_slowed_down_and_told_until_when(self, public: Program, reviewer: Program) -> None:
        for index in range(3):
            assert public.post("/submissions", {"text": f"p{index}.example"}).status == 201
        slow = public.post("/submissions", {"text": "p3.example"})
        assert slow.status == 429 and int(slow.headers["retry-after"]) > 0
        assert slow.json["type"] == "urn:surveyor:problem:too-many-tries"
        assert slow.json["retry_after_seconds"] == int(slow.headers["retry-after"])
        assert reviewer.get("/domains/p3.example").status == 404
        for index in range(8):
            assert reviewer.post("/submissions", {"text": f"r{index}.example"}).status == 201


class TestClosed:
    @pytest.fixture
    def settings(self) -> str:
        return "[web]\npublic_form = false\nopen_metrics = false\n"

    def test_without_a_public_form_a_token_is_needed(
        self, public: Program, program: Callable[[str, Scope], Program]
    ) -> None:
        refused = public.post("/submissions", {"text": "a.example"})
        assert refused.status == 401 and refused.headers["www-authenticate"] == "Bearer"
        assert program("sam", Scope.SUBMIT).post("/submissions", {"text": "a.example"}).status == 201

    def test_metrics_need_a_token_too_if_the_settings_say_so(
        self, public: Program, program: Callable[[str, Scope], Program]
    ) -> None:
        assert public.get("/metrics").status == 401
        assert program("sam", Scope.SUBMIT).get("/metrics").status == 403
        assert program("rita", Scope.READ).get("/metrics").status == 200
        assert public.get("/healthz").status == 200


def test_a_token_that_does_not_hold_does_not_make_its_bearer_the_public(served: Served) -> None:
    answer = Program(served.url, "svy_" + "x" * 43).post("/submissions", {"text": "a.example"})
    assert answer.status == 401
