"""Who is let in: every route for every kind of visitor, forged requests, and pages that change nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

import pytest
from fastapi import FastAPI

from surveyor.web.app import ROUTES
from surveyor.web.routing import ANYBODY, Routes, require_declared
from tests.web.routes import MAY, NEEDS, example, shown
from tests.web.serving import Served, Visitor
from tests.web.world import SCREENSHOT, World

pytestmark = pytest.mark.xdist_group("web access")
# What programs ask has a matrix of its own, by the scopes of tokens.
ENTRIES = [
    entry for group in ROUTES for entry in group.entries if not entry.path.startswith(("/api/", "/metrics"))
]
UNSAFE = [path for method, path in NEEDS if method != "GET"]
FORM = "application/x-www-form-urlencoded"


def content_of(place: Served) -> str:
    """A hash of everything in the database."""
    found = hashlib.sha256()
    with closing(sqlite3.connect(str(place.workspace.db.file))) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        for (name,) in tables.fetchall():
            for row in connection.execute(f'SELECT * FROM "{name}"'):
                found.update(repr((name, row)).encode())
    return found.hexdigest()


def test_every_route_is_in_the_matrix_with_what_it_needs() -> None:
    assert {(entry.method, entry.path): entry.needs for entry in ENTRIES} == NEEDS


def test_an_application_with_a_route_from_elsewhere_does_not_start() -> None:
    app = FastAPI(openapi_url=None)
    app.add_api_route("/open", lambda: "x", methods=["GET"])
    with pytest.raises(RuntimeError, match="GET /open is not declared; say what it needs"):
        require_declared(app, ROUTES)


def test_a_route_cannot_be_declared_without_what_it_needs() -> None:
    with pytest.raises(TypeError, match="needs"):
        Routes().get("/open")  # type: ignore[call-arg]
    assert ANYBODY is None


@pytest.mark.parametrize("kind", ["nobody", "submitter", "reviewer", "admin"])
def test_a_visitor_gets_what_the_matrix_says_and_nothing_else(
    kind: str, place: Served, there: World, request: pytest.FixtureRequest
) -> None:
    visitor = place.visitor() if kind == "nobody" else request.getfixturevalue(kind)
    for (method, path), needs in NEEDS.items():
        if path in ("/logout", "/login"):
            continue  # tried by themselves: they end the session
        address = example(path, there)
        reply = visitor.get(address) if method == "GET" else visitor.post(address, name="", text="")
        is_let_in = needs in MAY[kind]
        if is_let_in:
            assert reply.status not in (401, 403) and "/login" not in reply.headers.get("location", ""), path
        elif kind == "nobody":
            assert (reply.status, reply.headers["location"][:6]) == (303, "/login"), path
        else:
            assert reply.status == 403, path


@pytest.mark.parametrize(
    "address", ["//users", "/users/", "/USERS", "/%2e/users", "/./users", "/domains/..%2fusers", "/users%00"]
)
def test_no_other_way_of_writing_an_address_leads_past_the_door(address: str, reviewer: Visitor) -> None:
    reply = reviewer.get(address)
    assert reply.status in (403, 404), address
    assert "Add a person" not in reply.text


@pytest.mark.parametrize("path", UNSAFE)
def test_a_request_that_did_not_come_from_our_pages_is_refused(
    path: str, admin: Visitor, place: Served, there: World
) -> None:
    before = content_of(place)
    address, token = example(path, there), admin.proof()
    body = f"csrf={token}&domain=wait1.example&verb=approve&reason=x".encode()
    from_here = {"content-type": FORM, "origin": place.url}
    forged = [
        (b"domain=wait1.example&verb=approve", from_here),
        (b"csrf=" + b"0" * 64, from_here),
        (body, {"content-type": FORM}),
        (body, from_here | {"origin": "https://evil.example"}),
        (body, from_here | {"origin": "null"}),
        (body, from_here | {"origin": place.url.replace("http:", "https:")}),
        (body, {"content-type": FORM, "referer": "https://evil.example/" + place.url}),
        (body, from_here | {"content-type": "text/plain"}),
        (body, from_here | {"content-type": "multipart/form-data; boundary=x"}),
        (b'{"csrf": "%s"}' % token.encode(), from_here | {"content-type": "application/json"}),
    ]
    for content, headers in forged:
        assert admin.ask("POST", address, content, headers).status == 403, headers
    assert content_of(place) == before


def test_a_form_of_another_session_is_refused(admin: Visitor, reviewer: Visitor, place: Served) -> None:
    body = f"csrf={reviewer.proof()}&verb=approve&domain=wait1.example".encode()
    assert admin.ask("POST", "/decide", body, {"content-type": FORM, "origin": place.url}).status == 403


def test_a_decision_after_the_session_ended_says_that_one_is_logged_out(
    reviewer: Visitor, place: Served
) -> None:
    body = f"csrf={reviewer.proof()}&verb=approve&domain=wait1.example".encode()
    before = content_of(place)
    reply = place.visitor().ask("POST", "/decide", body, {"content-type": FORM, "origin": place.url})
    assert (reply.status, "you are logged out, and nothing was done" in reply.text) == (403, True)
    assert content_of(place) == before


def test_an_address_that_leads_nowhere_still_knows_the_visitor(admin: Visitor, place: Served) -> None:
    assert "Log out" in admin.get("/nowhere").text
    assert "Log out" not in place.visitor().get("/nowhere").text


def test_looking_at_every_page_changes_nothing(admin: Visitor, place: Served, there: World) -> None:
    before = content_of(place)
    for method, path in NEEDS:
        if method == "GET":
            reply = admin.get(example(path, there))
            assert reply.status in (200, 303, 404), path
    for path in shown(there):
        for headers in ({}, {"hx_request": "true"}):
            assert admin.get(path, **headers).status == 200, path
    assert content_of(place) == before


def test_a_page_cannot_be_posted_to_by_asking_for_it(admin: Visitor, place: Served) -> None:
    before = content_of(place)
    for path in ("/decide?verb=approve&domain=wait1.example", "/logout", "/users/rita/disable"):
        assert admin.get(path).status in (404, 405)
    assert content_of(place) == before


def test_every_answer_carries_the_policy(place: Served, admin: Visitor, there: World) -> None:
    for visitor, path in [
        (place.visitor(), "/login"),
        (admin, "/"),
        (admin, "/nowhere"),
        (admin, "/healthz"),
    ]:
        headers = visitor.get(path).headers
        policy = headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        )
        assert headers["x-content-type-options"] == "nosniff"
    raw = admin.get(f"/snapshots/{there.newer}/raw")
    assert raw.headers["content-type"].startswith("text/plain")
    assert raw.headers["content-disposition"].startswith("attachment")
    assert raw.headers["content-security-policy"].startswith("sandbox")


def test_a_screenshot_is_an_image_that_runs_nothing_and_a_version_without_one_has_none(
    admin: Visitor, there: World
) -> None:
    shown = admin.get(f"/snapshots/{there.newer}/screenshot")
    assert shown.headers["content-type"] == "image/png" and shown.body == SCREENSHOT
    assert shown.headers["content-security-policy"].startswith("sandbox")
    assert f'src="/snapshots/{there.newer}/screenshot"' in admin.get(f"/snapshots/{there.newer}").text
    assert admin.get(f"/snapshots/{there.older}/screenshot").status == 404
    assert "screenshot" not in admin.get(f"/snapshots/{there.older}").text


def test_a_body_that_is_too_large_is_refused_before_it_is_read(admin: Visitor, place: Served) -> None:
    headers = {"content-type": FORM, "origin": place.url}
    declared = headers | {"content-length": "1000001"}
    refused = admin.ask("POST", "/submit", None, declared)
    assert refused.status == 413
    assert "Too large" in refused.text and "1,000,000 bytes; send it in parts" in refused.text
    pieces = iter([b"csrf=", *[b"x" * 100_000] * 11])
    try:
        status = admin.ask("POST", "/submit", pieces, headers).status  # type: ignore[arg-type]
    except ConnectionError:  # the server hung up while we still spoke
        status = 413
    assert status == 413


def test_a_page_that_is_missing_says_what_can_be_done_in_a_browser(admin: Visitor) -> None:
    missing = admin.get("/domains/nobody.example")
    assert missing.status == 404 and 'href="/submit"' in missing.text
    assert "<code>surveyor submit</code>" in missing.text and "`" not in missing.text
    hostile = admin.get("/domains/%60%3Cscript%3E%60")
    assert hostile.status == 404 and "<script>`" not in hostile.text and "<code><script>" not in hostile.text
