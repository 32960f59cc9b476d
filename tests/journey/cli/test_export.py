"""Taking data out, as a person types it: to a file, into a pipe, interrupted, and asked for wrongly."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.support.cli_help import environment, start, surveyor

MANY = 20_000


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "ws"
    assert surveyor("init", folder).code == 0
    seeds = "".join(f"site{number}.example\n" for number in range(3))
    assert surveyor("ingest-seeds", "-", "--source", "=cmd()", workspace=folder, stdin=seeds).code == 0
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A register of many domains: copies of one, which is quicker than naming them."""
    folder = tmp_path_factory.mktemp("large") / "ws"
    assert surveyor("init", folder).code == 0
    assert surveyor("ingest-seeds", "-", workspace=folder, stdin="site0.example\n").code == 0
    engine = create_engine(f"sqlite:///{folder / 'surveyor.db'}")
    with engine.begin() as tx:
        for table, changed in (("domains", ("no", "id", "domain")), ("domain_crawl", ("no",))):
            columns = [row[1] for row in tx.execute(text(f"PRAGMA table_info({table})"))]
            new = {"no": "n", "id": "printf('%032x', n)", "domain": "'site' || n || '.example'"}
            values = ", ".join(new[name] if name in changed else name for name in columns)
            tx.execute(
                text(
                    f"WITH RECURSIVE more(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM more WHERE n < {MANY})"
                    f" INSERT INTO {table} ({', '.join(columns)})"
                    f" SELECT {values} FROM more, {table} WHERE {table}.no = 1"
                )
            )
    engine.dispose()
    return folder


def sheet(data: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data, newline="")))


def test_to_standard_output_and_into_files(workspace: Path, tmp_path: Path) -> None:
    shown = surveyor("export", "domains", workspace=workspace)
    assert (shown.code, shown.err) == (0, "")
    rows = sheet(shown.out)
    assert [row["domain"] for row in rows] == ["site0.example", "site1.example", "site2.example"]
    assert {(row["source"], row["stage"], row["is_trusted"]) for row in rows} == {
        ("'=cmd()", "pending_crawl", "false")
    }
    file = tmp_path / "domains.csv.gz"
    made = surveyor("export", "domains", "--out", file, "--bom", workspace=workspace)
    assert (made.code, made.out, made.err) == (0, "", f"{file}: 3 domains\n")
    assert (
        gzip.decompress(file.read_bytes()).decode("utf-8-sig").split("\r\n")[0] == shown.out.split("\r\n")[0]
    )
    lines = surveyor("export", "domains", "--format", "jsonl", "--out", "-", workspace=workspace)
    listed = surveyor("domain-status", "--json", workspace=workspace).json
    assert [json.loads(line)["id"] for line in lines.out.splitlines()] == [row["id"] for row in listed]
    one = surveyor("export", "domains", "--domain", "https://www.SITE1.example/x", workspace=workspace)
    assert [row["domain"] for row in sheet(one.out)] == ["site1.example"]


@pytest.mark.parametrize("what", ["candidates", "records", "contacts", "pages", "images", "links"])
def test_an_empty_export_has_its_columns_and_says_so(workspace: Path, what: str) -> None:
    made = surveyor("export", what, workspace=workspace)
    assert (
        made.code == 0 and made.out.count("\r\n") == 1 and ",url," in f",{made.out}".replace("_url", ",url")
    )
    hint = "; --all gives those not published or gone too" if what in ("records", "contacts") else ""
    assert made.err == f"no {what}{hint}\n"
    lines = surveyor("export", what, "--format", "jsonl", "--since", "2026-01-01", workspace=workspace)
    assert (lines.out, lines.err) == ("", f"no such {what}{hint}\n")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["everything"], 2, 'Invalid value "everything" for WHAT. Choose from: "domains", "candidates"'),
        ([], 2, "WHAT"),
        (["domains", "--format", "xlsx"], 2, "there is no format xlsx; there are csv, jsonl, parquet"),
        (["domains", "--format", "parquet"], 2, "Parquet goes into a file; add --out FILE.parquet"),
        (["domains", "--out", "a.txt"], 2, "a.txt says no format; end it with .csv, .jsonl or .parquet"),
        (["domains", "--out", "a.parquet.gz"], 2, "name the file without .gz"),
        (["domains", "--out", "a.jsonl", "--bom"], 2, "--bom is for csv"),
        (["pages", "--all"], 2, "--all is for records and contacts; pages are always whole"),
        (["pages", "--since", "yesterday"], 2, "--since takes a date or a time such as 2026-11-01"),
        (["pages", "--since", "0001-01-01T00:00+14:00"], 2, "--since takes a date or a time"),
        (["pages", "--domain", "nobody.example"], 1, "nobody.example is not in the register"),
        (["pages", "--domain", "10.0.0.7"], 2, "it is an IP address"),
        (
            ["domains", "--out", "missing/a.csv"],
            1,
            "missing/a.csv cannot be written: No such file or directory",
        ),
        (["domains", "--out", "there.csv/a.csv"], 1, "Not a directory; make its folder first"),
        (
            ["domains", "--out", "there.csv"],
            1,
            "there.csv is there already; name another file, or add --force",
        ),
        (["domains", "--out", "folder.csv", "--force"], 1, "folder.csv is no plain file"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "folder.csv").mkdir()
    made = surveyor("export", *arguments, workspace=workspace)
    assert (made.code, made.out, made.err.count("\n")) == (code, "", 1)
    assert told in made.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "there.csv"]
    assert (tmp_path / "there.csv").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_of_somebody_else_is_said_in_one_line(workspace: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    made = surveyor("export", "domains", "--out", tmp_path / "a.csv", workspace=workspace)
    assert made.code == 1 and "Permission denied; name a file in a folder of yours" in made.err


def test_force_replaces(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("before")
    assert surveyor("export", "domains", "--out", file, "--force", workspace=workspace).code == 0
    assert len(sheet(file.read_bytes().decode())) == 3


def test_twenty_thousand_domains_come_in_their_order_and_an_interrupt_leaves_nothing(
    large: Path, tmp_path: Path
) -> None:
    file = tmp_path / "domains.csv"
    process = start("export", "domains", "--out", file, workspace=large)
    _until(lambda: any(path.stat().st_size > 100_000 for path in tmp_path.iterdir()), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert (process.returncode, out) == (130, b""), err
    assert err.splitlines()[-1] == b"interrupted"
    assert list(tmp_path.iterdir()) == []
    assert surveyor("export", "domains", "--out", file, workspace=large).err == f"{file}: 20,000 domains\n"
    rows = sheet(file.read_bytes().decode())
    assert [int(row["no"]) for row in rows] == list(range(1, MANY + 1))


def test_a_reader_that_has_enough_ends_it_quietly(large: Path) -> None:
    process = start("export", "domains", "--format", "jsonl", workspace=large)
    assert process.stdout is not None and process.stderr is not None
    assert json.loads(process.stdout.readline())["no"] == 1
    process.stdout.close()
    assert (process.wait(timeout=200), process.stderr.read()) == (0, b"")
    process.stderr.close()


def test_nothing_foreign_steers_a_terminal(workspace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    assert surveyor("init", folder).code == 0
    hostile = "a\x1b]0;owned\x07\u202eb\x9bc"
    assert surveyor("ingest-seeds", "-", "--source", hostile, workspace=folder, stdin="a.example\n").code == 0
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "surveyor", "--workspace", str(folder), "export", "domains"]
    with subprocess.Popen(command, env=environment(), stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(mine), b"")).decode()
    os.close(mine)
    assert process.returncode == 0 and "a.example" in shown
    assert not [sign for sign in "\x1b\x07\u202e\x9b" if sign in shown]
    # In a file it is as it was.
    assert hostile in surveyor("export", "domains", workspace=folder).out


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other end is closed
        return b""


def _until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never began")
