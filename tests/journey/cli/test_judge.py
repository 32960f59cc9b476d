"""Judging from the command line: files, stored results, candidates, and what is said to a wrong question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from surveyor.cli import judge
from surveyor.db import Database
from surveyor.settings import DatabaseSettings
from tests.support.cli_help import Ran, surveyor
from tests.support.judge_help import add_results, add_session, found_domain

OFFER = {
    "url": "https://www.us4bg.org/education",
    "title": "Education Grant Program | America for Bulgaria Foundation",
    "description": "Schools in Bulgaria may apply for a grant of up to €5,000 by 1 May.",
    "position": 1,
}
OTHER = {"url": "https://news.example.com/a", "title": "Minister grants asylum", "description": ""}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    assert surveyor("init", folder, "--profile", "funding").code == 0
    return folder


def judged(workspace: Path, *lines: Any) -> Ran:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return surveyor("judge", "--file", "-", workspace=workspace, stdin=text)


def test_lines_in_are_judgments_out_and_nothing_is_stored(workspace: Path) -> None:
    ran = judged(workspace, OFFER, "", OTHER)
    assert ran.code == 0, ran.err
    offer, other = map(json.loads, ran.out.splitlines())
    assert (offer["domain"], offer["should_crawl"], offer["spam"]) == ("us4bg.org", True, False)
    assert (offer["organisation_name"], offer["program_name"]) == (
        "America for Bulgaria Foundation",
        "Education Grant Program",
    )
    assert {judge["judge"] for judge in offer["judges"]} >= {"FundingKeywordJudge", "OrganizationTypeJudge"}
    assert all(judge["explanation"] for judge in offer["judges"])
    assert (other["should_crawl"], other["spam_reasons"]) == (False, [])
    assert offer["confidence"] > other["confidence"]
    assert surveyor("domain-status", "--json", workspace=workspace).json == []


def test_a_file_is_read_as_standard_input_is(workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(OFFER))
    assert surveyor("judge", "--file", path, workspace=workspace).out == judged(workspace, OFFER).out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "not JSON"),
        ("[]", "not an object"),
        ('{"title": "x"}', "url is missing"),
        ('{"url": "https://a.example", "title": 3}', "title is not a text"),
        ('{"url": "https://a.example", "position": 0}', "position"),
        ('{"url": "' + "x" * 120_000 + '"}', "not JSON"),
    ],
    ids=["nonsense", "list", "no_url", "number", "position", "endless"],
)
def test_a_line_that_cannot_be_judged_says_why_and_the_others_are(
    workspace: Path, line: str, told: str
) -> None:
    ran = judged(workspace, line, OFFER)
    bad, good = map(json.loads, ran.out.splitlines())
    assert ran.code == 1 and told in bad["error"] and "line 1: " in ran.err
    assert good["domain"] == "us4bg.org"


@pytest.mark.parametrize(
    "url", ["not an address", "https://10.0.0.1/grants", "ftp://a.example/x", "https://co.uk/"]
)
def test_an_address_that_cannot_be_judged_is_a_row_with_its_reason(workspace: Path, url: str) -> None:
    ran = judged(workspace, json.dumps({"url": url, "title": "Grants"}), OFFER)
    row, good = map(json.loads, ran.out.splitlines())
    assert (ran.code, ran.err) == (0, "")
    assert (row["url"], row["domain"], row["confidence"]) == (url, None, None) and row["reason"]
    assert good["domain"] == "us4bg.org"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("judge", "--apply"), "--apply goes with --again"),
        (("judge", "--again", "--calibrate"), "ask for one"),
        (("judge", "--file", "nowhere.jsonl"), "cannot be read"),
        (("candidates", "--limit", "0"), "--limit. It must be at least 1."),
        (("candidates", "--after", "x"), "is no id of a candidate"),
    ],
    ids=["apply", "two", "file", "limit", "after"],
)
def test_a_wrong_question_gets_one_line(workspace: Path, arguments: tuple[str, ...], told: str) -> None:
    ran = surveyor(*arguments, workspace=workspace)
    assert ran.code == 2 and ran.out == ""
    assert told in ran.err and len(ran.err.strip().splitlines()) == 1


def _in_database(workspace: Path, act: Callable[[Database], Awaitable[None]]) -> None:
    async def whole() -> None:
        db = Database.open(DatabaseSettings(url=""), workspace)
        try:
            await act(db)
        finally:
            await db.close()

    asyncio.run(whole())


def test_from_stored_results_to_candidates(workspace: Path) -> None:
    async def prepare(db: Database) -> None:
        session = await add_session(db)
        titles = ["We support schools in Bulgaria: our grants, contact us | Oak Foundation"]
        await add_results(db, await found_domain(db, "oak-foundation.org"), session, titles)
        await add_results(db, await found_domain(db, "weather.example"), session, ["Weather"])

    _in_database(workspace, prepare)
    statistics = surveyor("judge", "--json", workspace=workspace).json
    assert (statistics["processed"], statistics["created"]) == (2, 1)
    (candidate,) = surveyor("candidates", "--status", "pending_crawl", "--json", workspace=workspace).json
    assert (candidate["domain"], candidate["organisation_name"]) == ("oak-foundation.org", "Oak Foundation")
    assert "oak-foundation.org" in surveyor("candidates", workspace=workspace).out
    again = surveyor("judge", "--again", "--json", workspace=workspace).json
    assert (again["read"], again["changed"], again["applied"]) == (2, 0, False)
    told = surveyor("judge", workspace=workspace)
    assert told.code == 0 and "no results wait" in told.err
    assert surveyor("judge", "--calibrate", "--json", workspace=workspace).json["decisions"] == 0


def test_judging_again_that_is_interrupted_says_how_far_it_came(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*_: Any, progress: Callable[[int], None], **__: Any) -> None:
        progress(3)
        raise KeyboardInterrupt

    monkeypatch.setattr(judge, "judge_again", stopped)
    ran = surveyor("judge", "--again", workspace=workspace)
    assert ran.code == 130
    assert "judging again came as far as 3 of 0 results; the same command goes on" in ran.err
