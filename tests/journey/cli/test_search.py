"""Searching as a person does it: commands, tables, JSON, interrupts, and keys that nobody sees."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli_help import start, surveyor
from tests.support.in_thread import in_thread
from tests.support.searchweb import CANARY, NAMES, SearchWeb


@pytest.fixture
def searchweb() -> Iterator[SearchWeb]:
    with in_thread(SearchWeb.serve) as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    surveyor("init", tmp_path / "ws")
    return tmp_path / "ws"


def test_a_search_shows_what_each_provider_gave_and_is_listed_afterwards(
    workspace: Path, searchweb: SearchWeb
) -> None:
    searchweb.moods = {"tavily": "no_credit"}
    environment = searchweb.settings("brave", "tavily")
    ran = surveyor("search", "foo", "bar", workspace=workspace, **environment)
    assert ran.code == 0
    assert "out_of_quota" in ran.out
    assert "partial success: 6 results, 6 new domains" in ran.err
    (session,) = surveyor("sessions", "--json", workspace=workspace).json
    assert (session["status"], session["type"]) == ("partial_success", "manual_search")
    assert session["provider_results"] == {"brave": 6, "tavily": 0}
    assert "partial_success" in surveyor("sessions", workspace=workspace).out
    found = {
        one["provider"]: one
        for one in surveyor("providers", "--json", workspace=workspace, **environment).json
    }
    assert list(found) == list(NAMES)
    assert (found["brave"]["state"], found["brave"]["key_present"]) == ("ready", True)
    assert (found["brave"]["calls"], found["brave"]["new_domains_per_credit"]) == (2, 3.0)
    assert (found["tavily"]["state"], found["tavily"]["error"]) == ("suspended", "out_of_quota")
    assert (found["serper"]["state"], found["serper"]["key_present"]) == ("not set up", False)
    table = surveyor("providers", "--queries", workspace=workspace, **environment).out
    assert "foo" in table and "NEW/CREDIT" in table
    waiting = surveyor("domain-status", "--review", "pending_review", "--json", workspace=workspace).json
    assert len(waiting) == 6


def test_results_are_judged_at_the_end_unless_one_says_no(workspace: Path, searchweb: SearchWeb) -> None:
    offer = (
        "https://us-bulgaria.org/programs/education-grant",
        "Education Grant Program | America for Bulgaria Foundation",
        "Schools in Bulgaria may apply for a grant of up to €5,000 by 1 May.",
    )
    searchweb.rows = lambda _name, _query: [offer]
    environment = searchweb.settings("brave")
    told = surveyor("search", "foo", "--no-judge", "--json", workspace=workspace, **environment).json
    assert told["judging"] is None
    assert surveyor("candidates", "--json", workspace=workspace).json == []
    told = surveyor("search", "bar", "--json", workspace=workspace, **environment).json
    assert told["judging"]["created"] == 1
    (candidate,) = surveyor("candidates", "--json", workspace=workspace).json
    assert (candidate["domain"], candidate["status"]) == ("us-bulgaria.org", "pending_crawl")


def test_a_suspension_outlives_the_command_until_somebody_ends_it(
    workspace: Path, searchweb: SearchWeb
) -> None:
    searchweb.moods = {"tavily": "no_credit"}
    environment = searchweb.settings("tavily")
    assert surveyor("search", "foo", workspace=workspace, **environment).code == 1
    searchweb.moods = {}
    again = surveyor("search", "foo", "--json", workspace=workspace, **environment)
    assert (again.code, again.json["status"], searchweb.asked("tavily")) == (1, "failed", 1)
    surveyor("providers", "--resume", "tavily", workspace=workspace, **environment)
    report = surveyor("search", "foo", "--json", workspace=workspace, **environment).json
    assert (report["status"], report["new_domains"]) == ("completed", 3)
    assert report["providers"] == [
        {"name": "tavily", "planned": 1, "answered": 1, "results": 3, "new_domains": 3, "error": None}
    ]


def test_no_key_is_printed_logged_or_kept(workspace: Path, searchweb: SearchWeb) -> None:
    searchweb.moods = dict(
        zip(NAMES, ("server_error", "bad_key", "captcha", "elsewhere", "no_frame"), strict=False)
    )
    environment = searchweb.settings(*NAMES) | {"SURVEYOR_LOG__LEVEL": "debug"}
    said = [
        surveyor(*command, workspace=workspace, **environment)
        for command in (
            ("--debug", "search", "foo", "--json"),
            ("--debug", "search", "foo"),
            ("providers", "--json"),
            ("providers",),
            ("sessions", "--json"),
            ("doctor", "--json"),
            ("domain-info", "foo-0.example", "--json"),
        )
    ]
    assert CANARY not in "".join(ran.out + ran.err for ran in said)
    assert searchweb.strangers == []
    kept = [path for path in workspace.rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if CANARY.encode() in path.read_bytes()]


def test_queries_come_from_a_file_or_from_the_profile(
    workspace: Path, searchweb: SearchWeb, tmp_path: Path
) -> None:
    environment = searchweb.settings("brave")
    file = tmp_path / "queries.txt"
    file.write_text("\ufeff# mine\n grants  for cats \n\ngrants for cats\n", encoding="utf-8")
    surveyor("search", "--queries", file, "--type", "weekly_deep_crawl", workspace=workspace, **environment)
    assert [seen.query for seen in searchweb.requests] == ["grants for cats"]
    (session,) = surveyor("sessions", "--json", workspace=workspace).json
    assert session["type"] == "weekly_deep_crawl"
    plan = surveyor("search", "--dry-run", "--json", workspace=workspace, **environment).json
    assert plan["type"] == "nightly_discovery"
    assert {"en", "bg"} <= {query["language"] for query in plan["queries"]}
    assert plan["credits"] == {"brave": len(plan["queries"])}
    assert {query["country"] for query in plan["queries"]} >= {"BG"}
    alone = surveyor("search", "--dry-run", workspace=workspace)
    assert alone.code == 0 and "would go to nobody: no search provider is set up" in alone.err
    assert len(alone.out.splitlines()) == len(plan["queries"])
    many = {"SURVEYOR_PROVIDERS__SERPER__KEY": "k", "SURVEYOR_PROVIDERS__SERPER__RESULTS": "20"}
    costly = surveyor("search", "x", "--dry-run", workspace=workspace, **many)
    assert "serper (about 2 credits)" in costly.err and "free keys are refused them" in costly.err
    assert len(searchweb.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("search", "x"), "no search provider is set up"),
        (("search", "x", "--provider", "altavista"), "no provider altavista"),
        (("search", "x" * 600), "500 printable characters"),
        (("search", " "), "must hold a word"),
        (("search", "--queries", "nowhere.txt"), "cannot be read"),
        (("search", "--type", "manual_search"), "has no queries for manual_search"),
        (("providers", "--resume", "altavista"), "no provider altavista"),
        (("providers", "--days", "0"), "--days"),
        (("sessions", "--limit", "0"), "--limit"),
        (("discover-links", "--limit", "0"), "--limit"),
    ],
    ids=lambda value: "_".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    workspace: Path, arguments: tuple[str, ...], told: str
) -> None:
    ran = surveyor(*arguments, workspace=workspace)
    assert ran.code == 2
    assert told in ran.err and len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["int", "term", "kill"]
)
def test_a_search_that_is_stopped_ends_honestly(
    workspace: Path, searchweb: SearchWeb, number: signal.Signals
) -> None:
    searchweb.moods = {"tavily": "slow"}
    process = start("search", "foo", workspace=workspace, **searchweb.settings("brave", "tavily"))
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and not (searchweb.asked("tavily") and _has_results(workspace)):
        time.sleep(0.1)
    process.send_signal(number)
    _, err = process.communicate(timeout=200)
    assert process.returncode == (-9 if number is signal.SIGKILL else 130), err
    assert b"Traceback" not in err
    (session,) = surveyor("sessions", "--json", workspace=workspace).json
    assert session["status"] == "partial_success"
    assert session["results_found"] == sum(session["provider_results"].values()) == 3
    expected = "its process ended before the session did" if number is signal.SIGKILL else "interrupted"
    assert session["error_message"] == expected


def _has_results(workspace: Path) -> bool:
    return bool(surveyor("domain-status", "--limit", "1", "--json", workspace=workspace).json)


def test_decisions_of_a_spreadsheet_are_told_by_their_header(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "decisions.csv"
    file.write_bytes(
        "\ufeffDomain;Decision;Reason;Notes\r\na.example;approved;;gut\r\nb.example;weiß nicht;;\r\n".encode()
    )
    ran = surveyor("ingest-seeds", file, workspace=workspace)
    assert ran.code == 0
    assert "1 approved" in ran.err and "line 3: b.example: “weiß nicht” is no decision" in ran.err
    info = surveyor("domain-info", "a.example", "--json", workspace=workspace).json
    assert (info["review_status"], info["notes"], info["source"]) == ("approved", "gut", "decisions")
    assert surveyor("ingest-seeds", file, "--for-review", workspace=workspace).code == 2
    forced = surveyor("ingest-seeds", "-", "--format", "decisions", stdin="a.example\n", workspace=workspace)
    assert forced.code == 2 and "columns domain and decision" in forced.err


def test_doctor_says_which_providers_are_ready_and_what_is_wrong(
    workspace: Path, searchweb: SearchWeb
) -> None:
    def told(**environment: str) -> tuple[str, str]:
        checks = {
            check["name"]: check
            for check in surveyor("doctor", "--json", workspace=workspace, **environment).json
        }
        return checks["providers"]["result"], checks["providers"]["message"]

    assert told()[0] == "warn"
    result, line = told(**searchweb.settings("brave", "searxng"))
    assert result == "ok" and line.startswith("ready: brave, searxng;")
    assert told(SURVEYOR_PROVIDERS__BRAVE__KEY_FILE="nowhere")[0] == "fail"
    assert told(SURVEYOR_PROVIDERS__BRAVE__ENABLED="true", **searchweb.settings("searxng"))[0] == "warn"


def test_spam_is_counted_and_kept_out(workspace: Path, searchweb: SearchWeb) -> None:
    honest = ("https://us-bulgaria.org/programs", "Education grants", "Our foundation supports schools.")
    casino = (
        "https://casinowinners-scholarship.bet/grants",
        "Scholarship casino bonus: 200 free spins no deposit",
        "Claim your scholarship bonus, play slots and roulette, win real money now. 18+",
    )
    searchweb.rows = lambda _name, _query: [honest, casino]
    environment = searchweb.settings("brave")
    told = surveyor("search", "grants", "--json", workspace=workspace, **environment).json
    assert (told["spam_filtered"], told["new_domains"]) == (1, 1)
    (domain,) = surveyor("domain-status", "--json", workspace=workspace).json
    assert domain["domain"] == "us-bulgaria.org"
