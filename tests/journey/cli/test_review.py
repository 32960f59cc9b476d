"""Naming domains and deciding on them, as a person types it, on both engines."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from surveyor.db import Database
from surveyor.registry import workers
from surveyor.settings import DatabaseSettings
from tests.support.cli_help import Ran, start, surveyor
from tests.support.receiver import Receiver

SECRET = "whsec_canary0secret0of0the0webhook000000000000"


@pytest.fixture
def workspace(tmp_path: Path, db_url: str) -> Path:
    """A workspace on a migrated database."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "surveyor.toml").write_text(f'profile = "funding"\n[database]\nurl = "{db_url}"\n')
    return folder


# What the shell adds is the same on every engine; what lies below it has contracts of its own.
on_one_engine = pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)


class Desk:
    """A person at a terminal."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace

    def __call__(self, *words: str, code: int = 0, stdin: str = "") -> Ran:
        ran = surveyor(*words, workspace=self.workspace, stdin=stdin)
        assert ran.code == code, ran.err
        return ran

    def json(self, *words: str, code: int = 0, stdin: str = "") -> Any:
        return self(*words, "--json", code=code, stdin=stdin).json


@pytest.fixture
def desk(workspace: Path) -> Desk:
    return Desk(workspace)


def test_every_answer_to_a_submission(desk: Desk) -> None:
    asked = desk("submit", "https://example.org/apply")
    assert "would you like to submit it for review?" in asked.err
    assert "surveyor submit https://example.org/apply --for-review" in asked.err
    made = desk.json("submit", "https://example.org/apply", "--for-review", "--context", "a fair")
    assert (made["outcome"], made["domain"]) == ("submitted", "example.org")
    assert desk.json("submit", "example.org")["outcome"] == "already_submitted"
    assert "queued: start `surveyor crawl`" in desk("approve", "https://www.example.org/x").err
    assert "surveyor recrawl example.org" in desk("submit", "example.org").err
    assert desk.json("submit", "https://example.org/more")["outcome"] == "queued"
    assert desk.json("submit", "https://example.org/more")["outcome"] == "already_known"
    desk("trust", "example.org")
    assert desk.json("submit", "https://example.org/third")["outcome"] == "queued"
    desk("domain-edit", "example.org", "--depth", "0")
    assert desk.json("submit", "https://example.org/deep", code=1)["outcome"] == "out_of_reach"
    desk("suspend", "example.org")
    assert "example.org: is suspended" in desk("submit", "example.org", code=1).err
    desk("reject", "example.org", "--reason", "a shop")
    said = desk("submit", "example.org", code=1)
    assert "was rejected: a shop; it may be submitted again" in said.err
    assert desk.json("submit", "example.org", "--for-review")["outcome"] == "submitted_again"
    desk("blacklist", "example.org", "--reason", "scam")
    assert "is blacklisted" in desk("submit", "https://example.org/x", "--for-review", code=1).err
    refused = desk("submit", "http://127.0.0.1/x", code=2)
    assert refused.err == "surveyor: “http://127.0.0.1/x” is not a domain: it is an IP address\n"
    desk("submit", "new.example", "--depth", "5", "--delay", "0.5", "--max-pages", "9")
    info = desk.json("domain-info", "new.example")
    assert (info["max_crawl_depth"], info["crawl_delay_seconds"], info["max_pages_per_run"]) == (5, 0.5, 9)


@on_one_engine
def test_the_queue_is_listed_page_by_page(desk: Desk) -> None:
    assert "nothing waits for a decision" in desk("review").err
    for name in ("b.example", "a.example", "xn--bcher-kva.example"):
        desk("submit", name, "--context", f"about {name}")
    listed = desk.json("review", "--limit", "2")
    assert [line["domain"] for line in listed] == ["b.example", "a.example"]
    rest = desk.json("review", "--after", "a.example")
    assert [line["domain"] for line in rest] == ["xn--bcher-kva.example"]
    assert len(desk.json("review", "--order", "confident", "--all")) == 3
    shown = desk("review", "--limit", "2")
    assert "about b.example" in shown.out
    assert "3 wait" in shown.err and "more: --after a.example" in shown.err
    assert "bücher.example (xn--bcher-kva.example)" in desk("review").out
    desk("review", "--limit", "0", code=2)
    assert "begin without --after" in desk("review", "--after", "nobody.example", code=1).err


def test_decisions_in_bulk_from_arguments_a_file_and_standard_input(desk: Desk, tmp_path: Path) -> None:
    names = [f"site{index}.example" for index in range(25)]
    for name in names[:8]:
        desk("submit", name)
    (tmp_path / "list").write_text(
        "# ours\nsite0.example\n\nhttps://www.site1.example/x # good\n", "utf-8-sig"
    )
    done = desk.json("approve", "--file", str(tmp_path / "list"), "site2.example", "not a domain")
    assert [domain["domain"] for domain in done["done"]] == [
        "site2.example",
        "site0.example",
        "site1.example",
    ]
    assert [refusal["domain"] for refusal in done["refused"]] == ["not a domain"]
    assert done["crawl"] == "queued: start `surveyor crawl`"
    piped = desk("approve", "-", stdin="\n".join(names))
    assert "5 approved, 20 refused" in piped.err
    assert "site0.example is approved by cli:" in piped.err
    none = desk("approve", "--file", "-", stdin="site0.example", code=1)
    assert "approve is for pending_review domains" in none.err
    for wrong in (["approve"], ["approve", "a.example", "--oops"], ["reject", "site9.example"]):
        assert desk(*wrong, code=2).err.count("\n") == 1
    assert "cannot be read" in desk("approve", "--file", str(tmp_path / "nothing"), code=2).err
    assert (
        "--version is for one domain" in desk("trust", "a.example", "b.example", "--version", "1", code=2).err
    )


@on_one_engine
def test_a_stale_version_is_refused_with_what_changed(desk: Desk) -> None:
    desk("submit", "example.org")
    seen = desk.json("review")[0]["version"]
    desk("domain-edit", "example.org", "--notes", "look again", "--max-pages", "5")
    late = desk.json("approve", "example.org", "--version", str(seen), code=1)
    [refusal] = late["refused"]
    assert (refusal["version"], "DomainEdited max_pages_per_run, notes" in refusal["why"]) == (2, True)
    desk("approve", "example.org", "--version", "2")
    desk("domain-edit", "example.org", "--notes", "")
    assert desk.json("domain-info", "example.org")["notes"] is None
    assert "say what to change" in desk("domain-edit", "example.org", code=2).err


@on_one_engine
def test_all_decisions_have_their_command_and_their_event(desk: Desk) -> None:
    desk("submit", "example.org")
    for words in (
        ["approve"],
        ["trust", "--reason", "known well"],
        ["untrust"],
        ["suspend", "--reason", "too slow"],
        ["resume"],
        ["no-funds", "--year", "2031"],
        ["blacklist", "--reason", "scam"],
        ["unblacklist"],
    ):
        assert "example.org" in desk(words[0], "example.org", *words[1:]).err
    told = [(event["kind"], event["reason"]) for event in desk.json("events", "--after", "0")]
    assert told == [
        ("DomainSubmitted", None),
        ("DomainApproved", None),
        ("DomainTrusted", "known well"),
        ("TrustWithdrawn", None),
        ("DomainSuspended", "too slow"),
        ("DomainResumed", None),
        ("NoFundsThisYear", None),
        ("DomainBlacklisted", "scam"),
        ("DomainUnblacklisted", None),
    ]


def test_an_approval_says_that_crawling_has_started_when_a_worker_is_alive(
    desk: Desk, db_url: str, workspace: Path
) -> None:
    async def act(name: str) -> Any:
        db = Database.open(DatabaseSettings(url=db_url), workspace)
        try:
            lock = await workers.enter(db, name)
            ran = await asyncio.to_thread(desk, "approve", "example.org")
            await workers.leave(db, name, lock)
            return ran
        finally:
            await db.close()

    desk("submit", "example.org")
    assert "crawling has started" in asyncio.run(act("w1")).err
    desk("suspend", "example.org")
    assert "queued: start `surveyor crawl`" in desk("resume", "example.org").err


@on_one_engine
def test_events_are_listed_and_followed(desk: Desk, workspace: Path) -> None:
    assert "nothing happened yet" in desk("events").err
    for name in ("a.example", "b.example", "c.example"):
        desk("submit", name)
    assert [event["domain"] for event in desk.json("events", "--limit", "2")] == ["b.example", "c.example"]
    first = desk("events", "--after", "0", "--limit", "1")
    assert "a.example  DomainSubmitted by cli:" in first.out
    assert "more: --after " in first.err
    assert "begin with 0" in desk("events", "--after", "999", code=1).err
    desk("events", "--after", "-1", code=2)
    process = start("events", "--follow", "--after", "0", "--json", workspace=workspace)
    assert process.stdout is not None
    lines = [json.loads(process.stdout.readline()) for _ in range(3)]
    desk("submit", "d.example")
    lines.append(json.loads(process.stdout.readline()))
    assert [line["domain"] for line in lines] == ["a.example", "b.example", "c.example", "d.example"]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=200)
    assert (process.returncode, err) == (0, b"")


@on_one_engine
def test_people_and_tokens(desk: Desk) -> None:
    assert "`surveyor user add NAME --role admin` adds the first" in desk("user", "list").err
    desk("user", "add", "Ada", "--role", "admin", stdin="a-canary-password\n")
    desk("user", "add", "robot", "--role", "reviewer", "--no-password")
    assert (
        "10 to 1,000 characters" in desk("user", "add", "bob", "--role", "admin", stdin="short\n", code=2).err
    )
    assert (
        "there is a user ada already"
        in desk("user", "add", "ADA", "--role", "admin", stdin="x" * 12, code=1).err
    )
    assert [user["name"] for user in desk.json("user", "list")] == ["ada", "robot"]
    made = desk.json("token", "create", "robot", "--label", "export", "--scope", "review", "--days", "3")
    assert made["token"].startswith("svy_")
    plain = desk("token", "create", "ada", "--label", "x")
    assert plain.out.startswith("svy_") and plain.out.count("\n") == 1
    listed = desk("token", "list")
    assert made["id"][-8:] in listed.out and made["token"] not in listed.out + listed.err
    assert (
        "cannot have a token"
        in desk("token", "create", "robot", "--label", "x", "--scope", "admin", code=1).err
    )
    assert desk.json("token", "revoke", made["id"])["revoked_at"] is not None
    assert "is no id of a token" in desk("token", "revoke", "x", code=2).err
    desk("user", "password", "ada", stdin="another password\n")
    assert desk.json("user", "disable", "ada")["disabled_at"] is not None
    assert "disabled" in desk("user", "list").out
    assert desk.json("user", "enable", "ada")["disabled_at"] is None
    everything = desk("events", "--after", "0", "--json").out + desk("events").out
    assert "canary" not in everything and "svy_" not in everything


@on_one_engine
def test_webhooks_are_sent_and_shown(desk: Desk, workspace: Path) -> None:
    assert "name them in [listeners]" in desk("webhooks").err
    desk("webhooks", "--send", code=2)
    desk("webhooks", "--once", code=2)
    receiver = Receiver(SECRET)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(receiver.start(), loop).result(10)
    file = workspace / "surveyor.toml"
    file.write_text(file.read_text() + f'[listeners]\nwebhooks = {{ crm = "{receiver.url}" }}\n')
    assert "has no secret; name a file" in desk("webhooks", "--send", "--once", code=2).err
    file.write_text(file.read_text() + 'secret_files = { crm = "crm.secret" }\n')
    assert "cannot be read from crm.secret" in desk("webhooks", "--send", code=2).err
    (workspace / "crm.secret").write_text("short\n")
    assert "openssl rand -base64 32" in desk("webhooks", "--send", code=2).err
    (workspace / "crm.secret").write_text(SECRET + "\n")
    desk("webhooks", "--send", "--once")
    desk("submit", "example.org")
    assert [(line["name"], line["behind"]) for line in desk.json("webhooks")] == [("crm", 1)]
    desk("webhooks", "--send", "--once")
    assert [event["domain"] for event in receiver.heard] == ["example.org"]
    shown = desk("webhooks")
    assert SECRET not in shown.out + shown.err
    file.write_text(file.read_text() + 'kinds = { crm = ["DomainSubmited"] }\n')
    assert "there is no event DomainSubmited" in desk("webhooks", "--send", code=2).err
    asyncio.run_coroutine_threadsafe(receiver.stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_forgetting_asks_and_leaves_a_tombstone(desk: Desk) -> None:
    desk("submit", "https://example.org/apply", "--for-review", "--context", "canary")
    desk("approve", "example.org")
    assert "add --yes" in desk("forget", "example.org", code=2).err
    done = desk.json("forget", "https://www.example.org/", "--yes")
    assert (done["domain"], done["was_crawled"]) == ("example.org", False)
    info = desk.json("domain-info", "example.org")
    assert (info["stage"], info["blacklist_reason"]) == ("blacklisted", "opt_out")
    assert "canary" not in desk("domain-info", "example.org", "--json").out
    assert desk.json("forget", "unknown.example", "--yes")["rows"] == {}
    assert desk.json("domain-info", "unknown.example")["stage"] == "blacklisted"
