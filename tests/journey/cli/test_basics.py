"""The first commands, end to end, as a person types them, on both engines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from surveyor.cli.commands import COMMANDS
from tests.support import servers, terminal
from tests.support.cli_help import environment, start, surveyor


@pytest.fixture
def workspace(tmp_path: Path, empty_db_url: str, engine_name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace made by `init`; on PostgreSQL its settings name the database."""
    folder = tmp_path / "ws"
    url = "" if engine_name == "sqlite" else empty_db_url
    made = surveyor("init", folder, SURVEYOR_DATABASE__URL=url)
    assert made.code == 0, made.err
    file = folder / "surveyor.toml"
    file.write_text(file.read_text().replace('url = ""', f'url = "{url}"'))
    return folder


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    path = tmp_path / "tranco_20260205.csv"
    path.write_text(
        "1,example.org\n2,https://www.Example.org/again\n3,bücher.example\nx,broken\n4,10.0.0.1\n"
    )
    return path


def test_from_a_list_of_seeds_to_a_register(workspace: Path, seeds: Path) -> None:
    report = surveyor("ingest-seeds", seeds, "--json", workspace=workspace)
    assert report.code == 0, report.err
    assert {name: report.json[name] for name in ("source", "lines", "new", "known", "bad")} == {
        "source": "tranco_20260205",
        "lines": 5,
        "new": 2,
        "known": 1,
        "bad": 2,
    }
    assert [(line["number"], line["text"]) for line in report.json["bad_lines"]] == [
        (4, "x,broken"),
        (5, "10.0.0.1"),
    ]

    listing = surveyor("domain-status", "--json", workspace=workspace).json
    assert [(d["domain"], d["seed_rank"], d["stage"], d["crawl_status"]) for d in listing] == [
        ("example.org", 1, "pending_crawl", "pending"),
        ("xn--bcher-kva.example", 3, "pending_crawl", "pending"),
    ]
    table = surveyor("domain-status", workspace=workspace)
    assert "bücher.example (xn--bcher-kva.example)" in table.out
    assert "2 pending_crawl" in table.err

    again = surveyor("ingest-seeds", seeds, "--json", workspace=workspace)
    assert (again.json["new"], again.json["known"]) == (0, 3)

    info = surveyor("domain-info", "https://EXAMPLE.org/page", "--json", workspace=workspace)
    assert info.json["review_status"] == "approved"
    assert info.json["due_at"] is not None
    reset = surveyor(
        "domain-reset", "example.org", "--reason", "manual review", "--json", workspace=workspace
    )
    assert reset.json["crawl_status"] == "pending"
    events = surveyor("domain-info", "example.org", "--json", workspace=workspace).json["events"]
    assert [(event["kind"], event["reason"]) for event in events] == [("DomainReset", "manual review")]
    assert "DomainReset" in surveyor("domain-info", "example.org", workspace=workspace).out


def test_seeds_for_review_wait_for_a_person(workspace: Path, seeds: Path) -> None:
    assert surveyor("ingest-seeds", seeds, "--for-review", workspace=workspace).code == 0
    found = surveyor("domain-status", "--review", "pending_review", "--json", workspace=workspace).json
    assert [(d["stage"], d["due_at"]) for d in found] == [("awaiting_review", None)] * 2
    assert surveyor("domain-status", "--stage", "pending_crawl", "--json", workspace=workspace).json == []
    assert "awaiting review" in surveyor("domain-status", workspace=workspace).out


def test_pages_of_a_listing_join_without_gap_or_repeat(workspace: Path) -> None:
    names = "".join(f"site{number}.example\n" for number in range(7))
    assert surveyor("ingest-seeds", "-", workspace=workspace, stdin=names).code == 0
    seen: list[str] = []
    after: list[str] = []
    while page := surveyor("domain-status", "--limit", "3", *after, "--json", workspace=workspace).json:
        seen += [domain["domain"] for domain in page]
        after = ["--after", seen[-1]]
    assert sorted(seen) == sorted(names.split())


def test_operating_commands_answer_on_an_empty_register(workspace: Path) -> None:
    assert (
        "the register is empty; `surveyor ingest-seeds FILE`"
        in surveyor("domain-status", workspace=workspace).err
    )
    assert surveyor("queue-status", workspace=workspace).err.endswith("due now: 0 domains\n")
    assert surveyor("workers", "--json", workspace=workspace).json == []
    assert surveyor("top-domains", "--json", workspace=workspace).json == []
    assert surveyor("release-claims", "--expired", "--json", workspace=workspace).json == {"released": []}
    recalculated = surveyor("recalculate-priorities", "--json", workspace=workspace)
    assert recalculated.json == {"domains": 0, "changed": 0}
    assert surveyor("db", "check", workspace=workspace).code == 0
    assert surveyor("db", "merge-domains", "--json", workspace=workspace).json["merged"] == []
    health = surveyor("doctor", "--json", workspace=workspace)
    assert health.code == 0, health.out
    assert {check["name"] for check in health.json} >= {
        "program",
        "disk",
        "profile",
        "database",
        "clock",
        "schema",
    }


def test_the_schema_goes_down_and_up_again_from_the_command_line(workspace: Path, seeds: Path) -> None:
    assert surveyor("ingest-seeds", seeds, workspace=workspace).code == 0
    assert surveyor("db", "downgrade", "base", workspace=workspace).code == 2, "it must ask for --yes"
    assert surveyor("db", "downgrade", "base", "--yes", workspace=workspace).code == 0
    refused = surveyor("domain-status", workspace=workspace)
    assert (refused.code, "surveyor db upgrade" in refused.err) == (1, True)
    assert surveyor("db", "upgrade", workspace=workspace).code == 0
    assert surveyor("ingest-seeds", seeds, workspace=workspace).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["domain-info", "nope.example"], 1, "not in the register"),
        (["domain-info", "10.0.0.1"], 2, "is not a domain"),
        (["domain-status", "--limit", "many"], 2, "--limit"),
        (["domain-status", "--limit", "0"], 2, "at least 1"),
        (["domain-status", "--status", "sleepy"], 2, "--status"),
        (["domain-status", "--after", "nope.example"], 1, "not in the register"),
        (["no-such-command"], 2, "no-such-command"),
        (["release-claims"], 2, "--worker"),
        (["ingest-seeds", "missing.csv"], 2, "does not exist"),
        (["ingest-seeds", "redis://127.0.0.1:1/0"], 2, "does not answer"),
        (["db", "downgrade", "0815", "--yes"], 2, "0815"),
    ],
)
@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_wrong_input_gives_one_line_and_its_exit_code(
    workspace: Path, arguments: list[str], code: int, told: str
) -> None:
    ran = surveyor(*arguments, workspace=workspace)
    assert ran.code == code
    assert told in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert ran.out == ""


@pytest.mark.parametrize("engine_name", ["sqlite"])
@pytest.mark.parametrize(
    ("content", "told"), [("", "is empty"), ("\n\n", "is empty"), ("10.0.0.1\n", "no line that names")]
)
def test_a_list_without_a_domain_is_an_error_and_changes_nothing(
    workspace: Path, content: str, told: str
) -> None:
    ran = surveyor("ingest-seeds", "-", workspace=workspace, stdin=content)
    assert (ran.code, told in ran.err) == (2, True)
    assert surveyor("domain-status", "--json", workspace=workspace).json == []


def test_outside_a_workspace_nothing_is_littered(tmp_path: Path) -> None:
    ran = surveyor("domain-status", workspace=tmp_path)
    assert (ran.code, "surveyor init" in ran.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_database_is_said_in_one_line(tmp_path: Path) -> None:
    dead = f"postgresql://postgres@127.0.0.1:{servers.free_port()}/none"
    ran = surveyor("domain-status", workspace=tmp_path, SURVEYOR_DATABASE__URL=dead)
    assert (ran.code, "does not answer" in ran.err) == (1, True)
    assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("SURVEYOR_CRAWL__DELAY_SECOND", "1", "is not a setting"),
        ("SURVEYOR_CRAWL__LEASE_SECONDS", "soon", "lease_seconds"),
        ("SURVEYOR_PROFILE", "cooking", "cooking"),
        ("SURVEYOR_DATABASE__URL", "mysql://x", "must begin with"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, name: str, value: str, told: str) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    ran = surveyor("domain-status", workspace=tmp_path / "ws", **{name: value})
    assert (ran.code, told in ran.err) == (2, True), ran.err


def test_an_interrupt_during_ingest_leaves_whole_batches(workspace: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("".join(f"site{number}.example\n" for number in range(200_000)))
    process = start("ingest-seeds", many, workspace=workspace)
    _until_some_domains(workspace, process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 130, told
    stages = surveyor("doctor", "--json", workspace=workspace).json
    register = next(check["message"] for check in stages if check["name"] == "register")
    kept = int(register.split()[0].replace(",", ""))
    assert 0 < kept < 200_000
    assert kept % 5_000 == 0
    assert surveyor("db", "check", workspace=workspace).code == 0


def _until_some_domains(workspace: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and process.poll() is None:
        if surveyor("domain-status", "--limit", "1", "--json", workspace=workspace).json:
            return
    raise AssertionError("no batch was written in time")


def test_a_sorted_set_in_redis_is_a_list_of_seeds(tmp_path: Path, valkey: servers.Valkey) -> None:
    import redis

    client = redis.Redis.from_url(valkey.url)
    client.zadd("start_urls", {"https://b.example/": 2, "https://a.example/x": 1, "10.0.0.1": 3})
    client.close()
    surveyor("init", tmp_path / "ws")
    report = surveyor(
        "ingest-seeds", valkey.url, "--source", "old_crawler", "--json", workspace=tmp_path / "ws"
    )
    assert (report.json["new"], report.json["bad"]) == (2, 1)
    found = surveyor("domain-status", "--json", workspace=tmp_path / "ws").json
    assert {(d["domain"], d["seed_rank"], d["source"]) for d in found} == {
        ("a.example", 1, "old_crawler"),
        ("b.example", 2, "old_crawler"),
    }


def test_help_names_every_command_and_fits_a_screen() -> None:
    ran = surveyor("--help")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) <= 26
    assert max(map(len, lines)) <= 100
    explained = surveyor("help").out
    for command in COMMANDS:
        assert f"{command.name}" in ran.out
        assert f"  {command.name} " in explained
        assert command.help in explained
    assert surveyor("help", "judge").out.splitlines()[0] == "Judge"
    assert (surveyor("help", "nothing").code, "Discover" in surveyor("help", "nothing").err) == (2, True)
    assert "Usage: surveyor domain-status" in surveyor("domain-status", "--help").out


def test_a_terminal_that_knows_few_letters_gets_the_whole_answer(tmp_path: Path) -> None:
    workspace = tmp_path / "gr\u00e4nts of ours"
    made = surveyor("init", workspace)
    assert f"next: surveyor --workspace '{workspace}' ingest-seeds" in made.err, "to be pasted"
    assert surveyor("submit", "b\u00fccher.example", workspace=workspace).code == 0
    listing = start("domain-status", workspace=workspace, PYTHONIOENCODING="ascii")
    out, err = listing.communicate(timeout=100)
    assert (listing.returncode, b"awaiting review" in out) == (0, True), err


def test_a_crawl_of_nothing_says_what_to_do_and_who_we_are_not(workspace: Path) -> None:
    empty = surveyor("crawl", workspace=workspace)
    assert "set it in surveyor.toml" in empty.err and "`surveyor ingest-seeds FILE`" in empty.err
    assert surveyor("submit", "a.example", "--for-review", workspace=workspace).code == 0
    named = surveyor("crawl", workspace=workspace, SURVEYOR_NET__CONTACT="mailto:ada@example.org")
    assert "no domain was due (1 awaiting_review): see `surveyor review`" in named.err
    assert "net.contact" not in named.err
    assert "hint" not in surveyor("crawl", "--json", workspace=workspace).json


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["table", "json"])
def test_whoever_reads_only_the_beginning_of_a_list_ends_it_well(tmp_path: Path, options: tuple[str]) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    names = "".join(f"d{number}.example\n" for number in range(3_000))
    assert surveyor("ingest-seeds", "-", workspace=tmp_path / "ws", stdin=names).code == 0
    process = start("domain-status", "--limit", "3000", *options, workspace=tmp_path / "ws")
    assert process.stdout and process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert (process.wait(60), process.stderr.read().decode()) == (0, "")


def test_closed_streams_are_no_error(tmp_path: Path) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    command = [sys.executable, "-m", "surveyor", "--workspace", str(tmp_path / "ws"), "domain-status"]
    shell = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command]
    assert subprocess.run(shell, env=environment(), check=False).returncode == 0


def test_what_has_no_place_yet_is_named_and_not_its_error_number(tmp_path: Path) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    assert "nothing is archived yet" in surveyor("archive", "index", workspace=tmp_path / "ws").err
    backup = surveyor("backup", tmp_path / "nowhere" / "b.tar", workspace=tmp_path / "ws")
    assert (backup.code, "nowhere is no folder; make it first" in backup.err) == (1, True)


def test_beside_a_workspace_the_way_into_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert surveyor("init", tmp_path / "my grants").code == 0
    monkeypatch.chdir(tmp_path)
    assert "--workspace 'my grants' names one" in surveyor("review").err
    (tmp_path / "my grants" / "lists" / "old").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "my grants" / "lists" / "old")
    assert "--workspace ../.. names one" in surveyor("review").err


def test_names_that_are_no_text_are_names_all_the_same(tmp_path: Path) -> None:
    """A folder that was named by another system, and a list in it."""
    folder = tmp_path / os.fsdecode(b"l\xfcx")
    folder.mkdir()
    (folder / os.fsdecode(b"\xfcber.txt")).write_text("a.example\n")
    for words in (("init",), ("ingest-seeds", folder / os.fsdecode(b"\xfcber.txt")), ("doctor",)):
        process = start(*words, workspace=folder / "w")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert b"l%3Fx" in out


@pytest.mark.parametrize("command", [("init", "--help"), ("db", "--help")])
def test_who_wants_no_colours_gets_no_styles_in_help_either(command: tuple[str, ...], tmp_path: Path) -> None:
    code, styled = terminal.seen(*command, workspace=tmp_path)
    assert code == 0 and "\x1b[1m" in styled
    code, plain = terminal.seen(*command, workspace=tmp_path, NO_COLOR="1")
    assert code == 0 and "\x1b" not in plain and plain.strip() == terminal.plain(styled).strip()
