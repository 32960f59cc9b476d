"""The demo tells all six stages on every profile, asks a person who is there, and leaves nothing behind."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from rich.cells import cell_len

from surveyor.smallweb import expected
from tests.support import terminal
from tests.support.cli_help import Ran, environment, surveyor
from tools.reference.sources import ROOT

# One worker plays it once for all that look at what it leaves.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demo")]
STAGES = ("discover", "judge", "review", "crawl", "extract", "refresh")
_PATIENCE_SECONDS = 120.0


def demo(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "surveyor", "demo", *arguments],
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_SECONDS,
    )


def assert_killed_in_the_middle(told: str) -> None:
    """The first worker fetched something, and left something for the second."""
    found = re.search(r"^killed after (\d+) pages\n\$ surveyor crawl\n(\d+) pages of", told, re.MULTILINE)
    assert found is not None and int(found[1]) and int(found[2])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The demo played once without a person, and the workspace it leaves."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    # A setting of the caller's would lead to a register that means something to somebody.
    elsewhere = "postgresql://nobody@127.0.0.1:1/no"
    return demo("--once", "--keep", str(folder), SURVEYOR_DATABASE__URL=elsewhere), folder / "funding"


Kept = tuple[subprocess.CompletedProcess[str], Path]
played_once = pytest.mark.xdist_group("demo")


@played_once
def test_funders_are_found_judged_approved_crawled_read_and_looked_at_again(kept: Kept) -> None:
    ran, workspace = kept
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.findall(r"^\d  (\w+) ─", ran.stdout, re.MULTILINE) == list(STAGES)
    assert "There is no terminal to ask at" in ran.stdout
    assert_killed_in_the_middle(ran.stdout)
    assert re.search(r"Programme: deadline was 20\d\d-\d\d-\d\d, is 20", ran.stdout)
    assert "8 pages asked for again, 7 of them had not changed (304)." in ran.stdout
    assert surveyor("db", "check", workspace=workspace).code == 0
    found = surveyor("domain-status", "--json", "--limit", "100", workspace=workspace).json
    stages = {domain["domain"]: domain["stage"] for domain in found}
    truth = {one.host: one.stage for one in expected("funding") if one.stage != "spam"}
    assert truth.items() <= stages.items(), "the kill changed where a site ends"
    assert surveyor("records", "--all", "--json", workspace=workspace).json


@played_once
def test_the_script_in_the_docs_lists_what_was_found(kept: Kept, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "using-from-python.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len([line for line in script.splitlines() if line.strip()]) <= 20
    (tmp_path / "list_records.py").write_text(script)
    command = [sys.executable, "list_records.py", str(kept[1])]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    found = surveyor("records", "--all", "--limit", "500", "--json", workspace=kept[1]).json
    assert found
    for record in found:
        assert f"{record['name']} ({record.get('deadline', 'no deadline')}): http" in ran.stdout


@played_once
def test_the_example_looks_around_what_the_demo_left(kept: Kept) -> None:
    command = [sys.executable, str(ROOT / "examples" / "look_around.py"), str(kept[1])]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    stages = Counter(
        one["stage"] for one in surveyor("domain-status", "--limit", "500", "--json", workspace=kept[1]).json
    )
    for stage, count in stages.items():
        assert f"{count:>5}  {stage}\n" in ran.stdout
    assert "relevant pages: " in ran.stdout and "fund.example: 0." in ran.stdout
    assert "Seed Grants (en), relevance " in ran.stdout and "2027" in ran.stdout


@played_once
def test_the_example_of_a_listener_names_every_approval(kept: Kept) -> None:
    command = [sys.executable, str(ROOT / "examples" / "follow_approvals.py"), str(kept[1])]
    events = surveyor("events", "--after", "0", "--limit", "1000", "--json", workspace=kept[1]).json
    approved = [one for one in events if one["kind"] == "DomainApproved"]
    assert approved
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        seen = [first.stdout.readline() for _ in approved]
        first.terminate()
    assert sorted(line.split()[0] for line in seen) == sorted(one["domain"] for one in approved)


LISTINGS = (
    "domain-status",
    "review --all",
    "candidates",
    "records --all",
    "contacts rila-horizons.example",
    "sessions",
    "providers",
    "queue-status",
    "list-runs",
    "workers",
    "events",
    "top-domains",
    "plugins",
    "domain-info rila-horizons.example",
    "why rila-horizons.example",
)
# Figures and times differ from one look to the next.
_FIGURE = re.compile(r"\d+")


def _words(text: str) -> set[str]:
    return {_FIGURE.sub("0", word).strip(",") for word in text.split()}


@played_once
@pytest.mark.parametrize("listing", LISTINGS)
def test_a_list_fits_a_terminal_of_80_columns_without_a_broken_word(kept: Kept, listing: str) -> None:
    code, raw = terminal.seen(*listing.split(), workspace=kept[1])
    text = terminal.plain(raw)
    assert code == 0 and text
    assert [line for line in text.splitlines() if cell_len(line) > 80] == []
    whole = _words(surveyor(*listing.split(), workspace=kept[1]).out.lower())
    # A short id is the end of a whole one; what is folded below a row has its heading before it.
    unknown = {word for word in _words(text.lower()) if word not in whole and word not in ("└─", "└─0")}
    assert not unknown, listing


# Every command with a limit, and what else it needs to list something.
LIMITED = {
    "domain-status": "",
    "top-domains": "",
    "domain-info": None,  # a page on one domain with its latest events
    "review": "--all",
    "candidates": "",
    "records": "--all",
    "contacts": "rila-horizons.example --all",
    "quarantine": "",
    "sessions": "",
    "providers": "--queries",
    "discover-links": None,  # it acts
    "extract": None,
    "queue-status": "",
    "jobs": "",
    "list-runs": "",
    "workers": "",
    "events": "--after 0",
    "webhooks": "",
    "notify": "",
    "list": None,  # of people and of tokens: in the test of listings
}


def test_every_command_with_a_limit_is_among_those_that_are_tried() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    parts = re.split(r"^### `surveyor ", text, flags=re.MULTILINE)[1:]
    named = {part.split("`")[0].split()[-1] for part in parts if "`--limit`" in part}
    assert named == set(LIMITED)


@played_once
@pytest.mark.parametrize("listing", [name for name, more in LIMITED.items() if more is not None])
def test_json_is_cut_only_with_a_word_on_how_to_see_the_rest(kept: Kept, listing: str) -> None:
    command = (listing, *str(LIMITED[listing]).split(), "--json")
    whole = surveyor(*command, "--limit", "100000", workspace=kept[1])
    assert "more: " not in whole.err
    cut = surveyor(*command, "--limit", "1", workspace=kept[1])
    assert _rows(cut) == _rows(whole)[:1]
    assert ("more: " in cut.err) == (len(whole.json) > 1)
    if listing != "events" and "--after" in cut.err:
        after = cut.err.removeprefix("more: ").split()
        assert _rows(surveyor(*command, "--limit", "1", *after, workspace=kept[1])) == _rows(whole)[1:2]


def _rows(ran: Ran) -> list[dict[str, Any]]:
    """Without the moment at which they were read."""
    return [{name: value for name, value in row.items() if name != "read_at"} for row in ran.json]


@played_once
def test_no_color_means_no_styles_and_ids_are_accepted_as_shown(kept: Kept) -> None:
    _, styled = terminal.seen("records", "--all", workspace=kept[1])
    assert "\x1b[1m" in styled
    _, plain = terminal.seen("records", "--all", "--columns", "record,name", workspace=kept[1], NO_COLOR="1")
    assert "\x1b" not in plain and plain.splitlines()[0].split() == ["RECORD", "NAME"]
    short = plain.splitlines()[1].split()[0]
    found = surveyor("record", short, "--json", workspace=kept[1]).json
    assert found["id"].endswith(short) and len(short) < 12
    assert surveyor("record", "000000000000", workspace=kept[1]).code == 1
    cut = surveyor("records", "--all", "--limit", "2", "--json", workspace=kept[1])
    assert len(cut.json) == 2 and cut.err == f"more: --after {cut.json[-1]['id']}\n"
    names = surveyor("domain-status", "--json", "--columns", "domain,stage", workspace=kept[1]).json
    assert {tuple(row) for row in names} == {("domain", "stage")}
    wrong = surveyor("domain-status", "--columns", "colour", workspace=kept[1])
    assert wrong.code == 2 and "there is no column colour; there are domain, status" in wrong.err


def test_services_are_shown_without_a_question_and_nothing_is_left(tmp_path: Path) -> None:
    ran = demo("--once", "--yes", "--profile", "community", TMPDIR=str(tmp_path))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.findall(r"^\d  (\w+) ─", ran.stdout, re.MULTILINE) == list(STAGES)
    assert re.search(r"Pantry: hours was .*9 a\.m\..*, is .*10 a\.m\.", ran.stdout)
    assert "no terminal" not in ran.stdout
    assert_killed_in_the_middle(ran.stdout)
    assert list(tmp_path.iterdir()) == []


class Terminal:
    """A person before the demo: what it printed so far, and keys to press."""

    def __init__(self, end: int) -> None:
        self._end, self.text = end, ""

    def until(self, words: str) -> str:
        """Read on until it says so, wherever its lines break; returns what it said since the last time."""
        deadline, begun = time.monotonic() + _PATIENCE_SECONDS, len(self.text)
        while words.strip() not in " ".join(self.text[begun:].split()):
            assert time.monotonic() < deadline, self.text[-2000:]
            if select.select([self._end], [], [], 1)[0]:
                self.text += os.read(self._end, 65_536).decode("utf-8", "replace")
        return self.text[begun:]

    def press(self, keys: str) -> None:
        os.write(self._end, keys.encode())


@contextmanager
def at_a_terminal(*arguments: str) -> Iterator[tuple[Terminal, subprocess.Popen[bytes]]]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "surveyor", "demo", *arguments],
        env=environment(TERM="xterm", COLUMNS="120"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(theirs)
    try:
        yield Terminal(ours), process
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_a_person_decides_and_looks_around_in_the_admin_until_ctrl_c(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with at_a_terminal("--profile", "images", "--keep", str(kept), "--port", "0") as (terminal, process):
        shown = terminal.until("[t]he rest as you would > ")
        assert "(1 of 5)" in shown and "domain credibility" in shown
        terminal.press("x\n")
        terminal.until("one of the letters a, r, s, t")
        terminal.press("r\n")
        terminal.until("why? > ")
        terminal.press("not this one\n")
        terminal.until("(2 of 5)")
        terminal.press("s\n")
        terminal.until("(3 of 5)")
        terminal.press("t\n")
        terminal.until("Ctrl-C ends the demo")
        (url,) = re.findall(r"^  (http://127\.0\.0\.1:\d+/)", terminal.text, re.MULTILINE)
        with urlopen(url, timeout=20) as answer:
            assert answer.status == 200 and b"password" in answer.read()
        assert re.search(r"log in as demo with the password \S{12}", terminal.text)
        process.send_signal(signal.SIGINT)
        assert process.wait(_PATIENCE_SECONDS) == 0
        with pytest.raises(OSError):
            urlopen(url, timeout=5)
    found = surveyor("domain-status", "--json", workspace=kept / "images").json
    review = [(domain["review_status"], domain["rejection_reason"]) for domain in found]
    assert ("rejected", "not this one") in review
    assert sum(domain["stage"] == "awaiting_review" for domain in found) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--keep", "."], "exists; name a folder that does not"),
        (["--port", "70000"], "a port is 0 to 65,535"),
        (["--workspace", "here"], "--keep DIR says where"),
        (["--profile", "fish"], "funding"),
    ],
    ids=["keep", "port", "workspace", "profile"],
)
def test_a_mistake_is_told_before_anything_begins(arguments: list[str], told: str) -> None:
    ran = surveyor("demo", *arguments)
    assert ran.code == 2 and told in ran.err and ran.err.count("\n") == 1
    assert ran.out == ""
