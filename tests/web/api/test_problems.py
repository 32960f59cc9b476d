"""Everything that goes wrong is a problem that a program can read, and tells nothing of the inside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import insert, update

from surveyor import doctor
from surveyor.bootstrap.workspace import Workspace
from surveyor.db import later
from surveyor.db.tables import crawl_log
from surveyor.db.tables import workers as worker_rows
from surveyor.ids import new_id
from surveyor.people import Scope
from surveyor.registry import workers
from surveyor.registry.leases import Claimer
from surveyor.web import health
from surveyor.web.middleware import MOST_BYTES
from tests.support.registry_help import add_domain
from tests.web.api.program import Program
from tests.web.serving import Served


@pytest.fixture
def engine_name() -> str:
    """How errors are written is decided above the database."""
    return "sqlite"


WRONG: list[tuple[str, str, Any, int]] = [
    ("GET", "/nowhere", None, 404),
    ("DELETE", "/domains", None, 405),
    ("GET", "/domains/nobody.example", None, 404),
    ("GET", "/domains/not%20a%20domain", None, 400),
    ("GET", "/domains?limit=many", None, 422),
    ("GET", "/candidates/7", None, 422),
    ("POST", "/decisions", b"{not json", 422),
    ("POST", "/decisions", b"\xff\xfe", 422),
    ("POST", "/decisions", [], 422),
    ("POST", "/decisions", {"decision": "approve", "domains": []}, 422),
    ("POST", "/decisions", {"decision": "explode", "domains": ["a.example"]}, 422),
    ("POST", "/decisions", {"decision": "approve", "domains": ["a.example"] * 1_001}, 422),
    ("POST", "/domains/a.example/decisions", {"decision": "suspend"}, 409),
    (
        "POST",
        "/decisions",
        {"decision": "approve", "domains": [{"domain": "a.example", "version": False}]},
        422,
    ),
    ("PATCH", "/domains/a.example", {"crawl_delay_seconds": False}, 422),
    ("PATCH", "/domains/a.example", {"max_crawl_depth": "3"}, 422),
    ("POST", "/submissions", {"text": "a.example", "submitter_type": "admin"}, 422),
    ("POST", "/submissions", b'{"text": "' + b"x" * MOST_BYTES + b'"}', 413),
]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"), WRONG, ids=[f"{w[0]} {w[3]} {i}" for i, w in enumerate(WRONG)]
)
def test_every_error_is_a_problem(
    method: str, path: str, body: Any, status: int, served: Served, reviewer: Program
) -> None:
    served.run(lambda workspace: add_domain(workspace.db, "a.example", approved=False))
    answer = reviewer.ask(method, path, body)
    assert (answer.status, answer.kind) == (status, "application/problem+json"), answer.text
    told = answer.json
    assert told["status"] == status and told["title"] and told["detail"] and told["type"]
    assert "Traceback" not in answer.text and "xxxx" not in answer.text and "explode" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_mistake_of_ours_is_a_problem_without_its_inside(
    served: Served, reviewer: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("the inside")

    monkeypatch.setattr("surveyor.crawl.service.list_runs", broken)
    answer = reviewer.get("/runs")
    assert (answer.status, answer.kind) == (500, "application/problem+json")
    assert "inside" not in answer.text and "ZeroDivision" not in answer.text


def test_a_database_that_is_gone_is_told_without_where_it_was(
    served: Served, reviewer: Program, public: Program
) -> None:
    assert public.get("/readyz").text == "ready\n"
    served.run(lambda workspace: _break(workspace))
    for answer in (reviewer.get("/domains"), public.get("/readyz")):
        assert answer.status in (500, 503) and answer.kind == "application/problem+json"
        assert "sqlite" not in answer.text and "/tmp" not in answer.text
    assert public.get("/readyz").status == 503
    assert public.get("/healthz").text == "ok\n"


async def _break(workspace: Any) -> None:
    from surveyor.db import Database
    from surveyor.settings import DatabaseSettings

    folder = workspace.path / "not" / "there"
    await workspace.db.close()
    workspace.db.engine = Database.open(DatabaseSettings(url=f"sqlite:///{folder}/x.db"), folder).engine
    folder.rmdir()


def test_another_schema_is_not_ready(
    served: Served, public: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_head", lambda: "9999")
    answer = public.get("/readyz")
    assert answer.status == 503 and "surveyor db upgrade" in answer.json["detail"]


async def _fetched(workspace: Workspace, reasons: list[str | None]) -> None:
    """Lines of the crawl's log, of just now."""
    common = {"domain_no": 1, "url": "https://m0.example/", "bytes": 1, "ms": 1, "images_found": 0}
    common |= {"fetched_at": datetime.now(UTC), "lease_epoch": 1}
    async with workspace.db.write() as tx:
        await tx.execute(
            insert(crawl_log), [common | {"run_id": new_id(), "reason": reason} for reason in reasons]
        )


def test_metrics_hold_what_the_process_counts_and_what_the_register_holds(
    served: Served, program: Callable[[str, Scope], Program], public: Program
) -> None:
    for index in range(3):
        served.run(lambda w, i=index: add_domain(w.db, f"m{i}.example"))  # type: ignore[misc]
    served.run(lambda w: workers.enter(w.db, "m:1"))
    served.run(lambda w: _fetched(w, [None, None, "not_found"]))
    public.post("/submissions", {"text": "waits.example"})
    public.get("/domains")
    for _ in range(100):  # the first count of a register is made in the background
        answer = public.get("/metrics")
        if 'surveyor_domains{stage="pending_crawl"} 3.0' in answer.text:
            break
    lines = answer.text.splitlines()
    assert answer.status == 200 and answer.kind.startswith("text/plain")
    assert 'surveyor_domains{stage="awaiting_review"} 1.0' in lines
    assert 'surveyor_domains{stage="blocked"} 0.0' in lines
    assert 'surveyor_leases{state="live"} 0.0' in lines and "surveyor_domains_due 3.0" in lines
    assert "surveyor_review_waiting 1.0" in lines
    assert (
        'surveyor_workers{state="working"} 1.0' in lines and 'surveyor_workers{state="silent"} 0.0' in lines
    )
    assert 'surveyor_fetches_recent{result="ok"} 2.0' in lines
    assert 'surveyor_fetches_recent{result="error"} 1.0' in lines
    assert any(line.startswith('surveyor_http_requests_total{kind="api",status="4xx"}') for line in lines)
    assert any(line.startswith("surveyor_pages_fetched_total") for line in lines)
    assert "example" not in answer.text


async def _stuck(workspace: Workspace) -> None:
    """A worker that reports, holds a domain, and has committed nothing for five minutes."""
    db = workspace.db
    await workers.enter(db, "stuck")
    await add_domain(db, "held.example")
    await Claimer(db, "stuck", 60).claim(1)
    await workers.report(db, "stuck", holding=True)
    async with db.write() as tx:
        await tx.execute(update(worker_rows).values(holding_since=later(-301)))


def test_a_worker_that_holds_leases_and_commits_nothing_is_a_gauge_and_a_line_of_doctor(
    served: Served, public: Program
) -> None:
    served.run(_stuck)
    values = dict(line.rsplit(" ", 1) for line in public.get("/metrics").text.splitlines() if line[0] != "#")
    assert float(values['surveyor_workers{state="stalled"}']) == 1
    assert float(values['surveyor_workers{state="working"}']) == 0
    assert float(values["surveyor_worker_idle_seconds"]) > 300
    checks = served.run(lambda workspace: doctor.examine(workspace.path))
    (told,) = [check for check in checks if check.name == "worker"]
    assert told.result == "fail"
    assert told.message.startswith(
        "stuck holds leases and commits nothing: 1 domains, for 5 min; see its log"
    )
    assert "surveyor release-claims --worker stuck" in told.message
