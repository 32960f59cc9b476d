"""Who may do what with which token: every route for every scope; tokens that hold no more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, update

from surveyor.bootstrap.workspace import Workspace
from surveyor.db.tables import api_tokens, metadata
from surveyor.people import Scope
from surveyor.people import service as people
from surveyor.web.api import API
from surveyor.web.metrics import routes as metrics_routes
from tests.web.api.conftest import OPERATOR, token
from tests.web.api.program import Program
from tests.web.serving import Served

READ, SUBMIT, REVIEW, ADMIN = Scope.READ, Scope.SUBMIT, Scope.REVIEW, Scope.ADMIN
ID = "00000000-0000-7000-8000-000000000000"
V = "/api/v1"

# Written down a second time: a route that is not here, or needs something else, fails the build.
NEEDS: dict[tuple[str, str], Scope | None] = {
    ("GET", f"{V}/openapi.json"): None,
    ("GET", f"{V}/domains"): READ,
    ("PATCH", f"{V}/domains"): REVIEW,
    ("GET", f"{V}/domains-named"): READ,
    ("GET", f"{V}/top-domains"): READ,
    ("GET", f"{V}/domains/{{domain}}"): READ,
    ("PATCH", f"{V}/domains/{{domain}}"): REVIEW,
    ("GET", f"{V}/why"): READ,
    ("GET", f"{V}/totals"): READ,
    ("POST", f"{V}/domains/{{domain}}/decisions"): REVIEW,
    ("POST", f"{V}/decisions"): REVIEW,
    ("POST", f"{V}/domains/{{domain}}/recrawl"): REVIEW,
    ("POST", f"{V}/recrawl"): REVIEW,
    ("POST", f"{V}/domains/{{domain}}/reset"): REVIEW,
    ("POST", f"{V}/domains/{{domain}}/forget"): ADMIN,
    ("POST", f"{V}/contacts/forget"): ADMIN,
    ("POST", f"{V}/submissions"): SUBMIT,  # or nothing at all, where the settings allow it
    ("GET", f"{V}/submissions"): SUBMIT,
    ("GET", f"{V}/review"): READ,
    ("GET", f"{V}/candidates"): READ,
    ("GET", f"{V}/candidates/{{candidate_id}}"): READ,
    ("POST", f"{V}/candidates/take"): REVIEW,
    ("POST", f"{V}/candidates/{{candidate_id}}/take"): REVIEW,
    ("POST", f"{V}/candidates/{{candidate_id}}/give-back"): REVIEW,
    ("POST", f"{V}/candidates/{{candidate_id}}/decide"): REVIEW,
    ("POST", f"{V}/candidates/{{candidate_id}}/reopen"): REVIEW,
    ("POST", f"{V}/candidates/{{candidate_id}}/assign"): REVIEW,
    ("POST", f"{V}/candidates/{{candidate_id}}/notes"): REVIEW,
    ("GET", f"{V}/records"): READ,
    ("GET", f"{V}/records/{{record_id}}"): READ,
    ("POST", f"{V}/records/{{record_id}}/corrections"): REVIEW,
    ("POST", f"{V}/records/{{record_id}}/hide"): REVIEW,
    ("POST", f"{V}/records/{{record_id}}/merge/{{other_id}}"): REVIEW,
    ("GET", f"{V}/record-changes"): READ,
    ("GET", f"{V}/domains/{{domain}}/records"): READ,
    ("GET", f"{V}/domains/{{domain}}/contacts"): READ,
    ("GET", f"{V}/domains/{{domain}}/pages"): READ,
    ("GET", f"{V}/domains/{{domain}}/pages/{{key}}/text"): READ,
    ("GET", f"{V}/domains/{{domain}}/pages/{{key}}/screenshot"): READ,
    ("GET", f"{V}/events"): READ,
    ("GET", f"{V}/webhooks"): ADMIN,
    ("GET", f"{V}/runs"): READ,
    ("GET", f"{V}/workers"): READ,
    ("POST", f"{V}/claims/release"): ADMIN,
    ("GET", f"{V}/queue"): READ,
    ("GET", f"{V}/sessions"): READ,
    ("GET", f"{V}/providers"): READ,
    ("GET", "/metrics"): READ,
}
# What a token of each scope lets through.
MAY: dict[Scope, set[Scope | None]] = {
    READ: {None, READ},
    SUBMIT: {None, SUBMIT},
    REVIEW: {None, READ, SUBMIT, REVIEW},
    ADMIN: {None, READ, SUBMIT, REVIEW, ADMIN},
}
OWNERS = [("ada", READ), ("ada", SUBMIT), ("ada", REVIEW), ("ada", ADMIN), ("rita", REVIEW), ("sam", SUBMIT)]


def filled(path: str) -> str:
    return (
        path.replace("{domain}", "nobody.example")
        .replace("{candidate_id}", ID)
        .replace("{record_id}", ID)
        .replace("{other_id}", ID)
    )


def ask(program: Program, method: str, path: str) -> Any:
    """With a body that every route finds wrong: whoever is let in is told so, and nothing happens."""
    return program.ask(method, filled(path), None if method == "GET" else {"nonsense": 1})


@pytest.fixture
def engine_name() -> str:
    """Who is let in is decided above the database."""
    return "sqlite"


def test_every_route_is_in_the_matrix_with_what_it_needs() -> None:
    entries = [entry for group in (*API, metrics_routes) for entry in group.entries]
    assert {(entry.method, entry.path): entry.needs for entry in entries} == NEEDS


def test_every_token_opens_what_the_matrix_says_and_nothing_else(served: Served) -> None:
    for owner, scope in OWNERS:
        program = Program(served.url, served.run(lambda w, o=owner, s=scope: token(w, o, s)))  # type: ignore[misc]
        for (method, path), needs in NEEDS.items():
            answer = ask(program, method, path)
            if path == "/metrics" or needs in MAY[scope]:
                assert answer.status not in (401, 403), (owner, scope, path, answer.text)
            else:
                assert answer.status == 403 and answer.kind == "application/problem+json", (scope, path)
                assert answer.json["type"] == "urn:surveyor:problem:not-allowed"


def _open(method: str, path: str, needs: Scope | None) -> bool:
    return needs is None or path == "/metrics" or (method, path) == ("POST", f"{V}/submissions")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "Bearer ",
        "Bearer svy_unknown",
        "Basic YWRhOmEgbG9uZyBwYXNzd29yZA==",
        "svy_x",
        "Bearer " + "svy_" + "x" * 5_000,
        "Bearer svy_\xff\xfe",
    ],
    ids=["none", "empty", "unknown", "basic", "bare", "long", "bytes"],
)
def test_nobody_gets_in_without_a_token_that_holds(header: str | None, served: Served) -> None:
    program = Program(served.url)
    headers = {} if header is None else {"authorization": header}
    for (method, path), needs in NEEDS.items():
        answer = program.ask(method, filled(path), None if method == "GET" else {"nonsense": 1}, **headers)
        if _open(method, path, needs) and (header is None or needs is None or path == "/metrics"):
            assert answer.status not in (401, 403), path
        else:
            assert (answer.status, answer.headers.get("www-authenticate")) == (401, "Bearer"), path


def test_the_session_of_a_browser_reads_and_changes_nothing(served: Served) -> None:
    """For every route: what its role may read, from our own pages or typed; nothing from another site."""
    for name, may in (("ada", MAY[ADMIN]), ("rita", MAY[REVIEW]), ("sam", MAY[SUBMIT])):
        visitor = served.visitor()
        assert visitor.log_in(name).status == 303
        for (method, path), needs in NEEDS.items():
            if _open(method, path, needs):
                continue
            if method != "GET":
                assert visitor.ask(method, filled(path), b"{}").status == 401, path
                continue
            answer = visitor.get(filled(path))
            assert answer.status != 401 and (answer.status == 403) == (needs not in may), (name, path)
            assert "access-control-allow-origin" not in answer.headers
            for place in ("cross-site", "same-site"):
                assert visitor.get(filled(path), **{"sec-fetch-site": place}).status == 401, path
        assert visitor.get("/api/v1/domains", authorization="Bearer svy_unknown").status == 401


async def _expire(workspace: Workspace, key_owner: str) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    async with workspace.db.write() as tx:
        await tx.execute(update(api_tokens).values(created_at=past - timedelta(days=1), expires_at=past))


async def _revoke(workspace: Workspace, key_owner: str) -> None:
    for found in await people.list_tokens(workspace.db, 10):
        await people.revoke_token(workspace.db, UUID(str(found.id)), OPERATOR)


async def _disable(workspace: Workspace, key_owner: str) -> None:
    await people.set_disabled(workspace.db, key_owner, True, OPERATOR)


@pytest.mark.parametrize("end", [_expire, _revoke, _disable], ids=["expired", "revoked", "disabled"])
def test_a_token_ends_at_once(end: Any, served: Served) -> None:
    program = Program(served.url, served.run(lambda w: token(w, "rita", REVIEW)))
    assert program.get("/domains").status == 200
    served.run(lambda w: end(w, "rita"))
    assert program.get("/domains").status == 401


@pytest.mark.parametrize(
    "path",
    ["//api/v1/events", "/api/v1/events/", "/API/v1/events", "/api/v1/%2e/events", "/api/v2/events"],
)
def test_no_other_way_of_writing_an_address_leads_past_the_door(path: str, served: Served) -> None:
    key = served.run(lambda w: token(w, "rita", REVIEW))
    assert served.visitor().ask("GET", path, None, {"authorization": f"Bearer {key}"}).status == 404


def test_asking_every_address_changes_nothing_but_when_the_token_was_used(
    served: Served, admin: Program
) -> None:
    def ask_all() -> None:
        for method, path in NEEDS:
            if method == "GET":
                asked = f"{filled(path)}?beginning=a&address=a.example"
                assert admin.ask(method, asked).status in (200, 404, 422), path

    ask_all()  # totals and the like are made on first sight
    before = served.run(content_of)
    ask_all()
    assert served.run(content_of) == before


async def content_of(workspace: Workspace) -> dict[str, list[Any]]:
    """Every row of every table, on either engine, without the stamp on tokens."""
    found = {}
    async with workspace.db.read() as tx:
        for table in metadata.sorted_tables:
            columns = [column for column in table.c if column is not api_tokens.c.last_used_at]
            found[table.name] = sorted(map(repr, (await tx.execute(select(*columns))).all()))
    return found
