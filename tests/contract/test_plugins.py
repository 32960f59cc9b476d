"""Extensions are found, loaded once and held apart: a broken one is named, the others do not notice."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from surveyor import entry_points, plugins
from surveyor.db import Database
from surveyor.entry_points import BUILT_IN, Group
from surveyor.errors import BadProfile, Refused, UsageError
from surveyor.export import writers
from surveyor.export.columns import Column
from surveyor.extract import plugged as finding
from surveyor.extract.kinds import ALL_FIELDS
from surveyor.extract.values import FIELDS, Page, PageText
from surveyor.judge.panel import Panel
from surveyor.judge.values import SearchHit
from surveyor.listeners import plugged as listening
from surveyor.operations import queries, up
from surveyor.process.supervisor import Change, PartState
from surveyor.profiles import loader

_MODULE = """
class Kind:
    fields = ("name", "beds")
    def find(self, page):
        if "crash" in page.text:
            raise RuntimeError("no beds\\nhere")
        yield {"name": page.title, "beds": 3, "unknown": 1}
        yield {"beds": 4}

def judge(result):
    if result.title == "crash":
        raise RuntimeError("no idea")
    return None if result.title == "unknown" else (2.0 if result.title == "wild" else 1.0, "because")

class Format:
    endings = (".txt",)
    def open(self, stream, columns):
        return self
    def write(self, rows):
        raise RuntimeError("no ink")
    def close(self):
        pass

async def listen(events):
    raise RuntimeError("deaf")

sent = []

async def shout(message):
    sent.append(message.subject)

async def whisper(message):
    raise RuntimeError("no voice")

class Half:
    name = "half"

KIND, FORMAT = Kind(), Format()
"""
_POINTS = """[surveyor.records]
bed = broken_and_whole:KIND
service = broken_and_whole:KIND
gone = no_such_module:KIND
[surveyor.judges]
careful = broken_and_whole:judge
Shouts = broken_and_whole:judge
[surveyor.providers]
half = broken_and_whole:Half
ends = ends_the_process:ADAPTER
[surveyor.writers]
lines = broken_and_whole:FORMAT
[surveyor.listeners]
deaf = broken_and_whole:listen
[surveyor.notifiers]
whisper = broken_and_whole:whisper
shout = broken_and_whole:shout
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with whole and broken extensions, installed for one test."""
    (tmp_path / "broken_and_whole.py").write_text(_MODULE)
    (tmp_path / "ends_the_process.py").write_text("raise SystemExit('good-bye')")
    folder = tmp_path / "broken_and_whole-2.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-and-whole\nVersion: 2.1\n")
    (folder / "entry_points.txt").write_text(_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    _forget()
    yield
    _forget()
    for name in ("broken_and_whole", "ends_the_process"):
        sys.modules.pop(name, None)


def page_text(title: str, text: str) -> PageText:
    return PageText(title, "", "en", text, text, 0, 0)


def _forget() -> None:
    entry_points.registered.cache_clear()
    entry_points.load.cache_clear()


def test_every_built_in_one_is_what_its_entry_says() -> None:
    for targets in BUILT_IN.values():
        for name, target in targets.items():
            module, _, member = target.partition(":")
            assert hasattr(import_module(module), member), name
    assert set(BUILT_IN[Group.RECORDS]) == set(FIELDS)


def test_each_extension_is_listed_with_its_package_and_what_is_wrong_with_it() -> None:
    others = {(one.group.short, one.name): one.error for one in entry_points.every() if not one.is_built_in}
    broken = {key: error for key, error in others.items() if error}
    assert set(others) - set(broken) == {
        ("records", "bed"), ("judges", "careful"), ("writers", "lines"), ("listeners", "deaf"),
        ("notifiers", "shout"), ("notifiers", "whisper"),
    }  # fmt: skip
    assert "the name service is taken" in str(broken["records", "service"])
    assert "ModuleNotFoundError: No module named 'no_such_module'" in str(broken["records", "gone"])
    assert "lower case letters" in str(broken["judges", "Shouts"])
    assert "it has no base_url, needs_key" in str(broken["providers", "half"])
    assert "SystemExit: good-bye" in str(broken["providers", "ends"])
    assert {one.version for one in entry_points.load(Group.RECORDS).plugins} == {"2.1"}


def test_a_kind_finds_records_and_its_failure_is_a_reason_not_an_end() -> None:
    assert tuple(ALL_FIELDS["bed"]) == ("name", "beds") and "bed" in list(ALL_FIELDS)
    page = Page("https://a.example/", b"", None, date(2026, 11, 17))
    records, failures = finding.find(page, page_text(title="Hill House", text="a bed"), ("bed",))
    assert [(one.kind, one.name, one.fields["beds"].value) for one in records] == [("bed", "Hill House", 3)]
    assert failures == []
    records, failures = finding.find(page, page_text(title="Hill House", text="crash"), ("bed", "gone"))
    assert records == []
    assert failures[0] == "the plugin bed failed: RuntimeError: no beds here"
    assert failures[1].startswith("the plugin gone failed: LookupError: it cannot be loaded")
    assert entry_points.mark(Group.RECORDS, ("bed",)) == "broken-and-whole-2.1:bed"


def test_a_judge_counts_abstains_or_is_left_out() -> None:
    profile = loader.load("community")
    with_it = profile.model_copy(update={"judges": {**profile.judges, "careful": profile.judges["keywords"]}})
    panel = Panel(with_it)

    def judges(title: str) -> set[str]:
        return {score.judge for score in panel.judge(SearchHit("https://a.example/", title, "", 1)).scores}

    assert "careful" in judges("a food bank")
    for title in ("unknown", "crash", "wild"):
        assert judges(title) and "careful" not in judges(title)


def test_a_profile_may_name_what_is_plugged_in_and_nothing_else(tmp_path: Path) -> None:
    text = (
        'name = "beds"\ntitle = "Beds"\ndescription = "Beds."\nlanguages = ["en"]\nrecords = ["{}"]\n'
        '[judges]\n{} = 1.0\n[keywords.bed]\nstrength = "strong"\nwords.en = ["bed"]\n'
    )
    (tmp_path / "mine.toml").write_text(text.format("bed", "careful"))
    assert loader.load("mine.toml", tmp_path).records == ("bed",)
    (tmp_path / "mine.toml").write_text(text.format("cot", "careful"))
    with pytest.raises(BadProfile, match=r"there is no kind of records cot; there are .*bed"):
        loader.load("mine.toml", tmp_path)


def test_a_format_is_known_by_its_ending_and_named_when_it_fails() -> None:
    assert writers.of_ending(".txt") == "lines" and writers.of_ending(".ndjson") == "jsonl"
    assert "lines" in writers.format_names()
    writer = writers.made("lines", io.BytesIO(), [Column("name")])
    with pytest.raises(Refused, match="the plugin lines failed to write: RuntimeError: no ink"):
        writer.write([{}])
    with pytest.raises(UsageError, match="the format scroll is none; there are csv, jsonl, parquet, lines"):
        writers.made("scroll", io.BytesIO(), [])


async def test_a_listener_that_fails_is_told_again() -> None:
    (tell,) = listening.listeners().values()
    with pytest.raises(listening.ListenerFailed, match="the plugin deaf failed: RuntimeError: deaf"):
        await tell([])


async def test_a_part_that_keeps_ending_is_said_once_and_a_failing_notifier_stops_nobody(
    db: Database,
) -> None:
    states = up.PartStates(db)
    for failures in range(1, 6):
        await states.changed(Change("crawl", PartState.WAITING, None, failures, 1, failures))
    assert [subject.split(" on ")[0] for subject in sys.modules["broken_and_whole"].sent] == [
        "surveyor: crawl"
    ]
    assert [one.restarts for one in await queries.parts(db)] == [5]


def test_what_is_for_authors_stays() -> None:
    assert " ".join(plugins.__all__) == (
        "Adapter Answer Ask Diagnosis Event Found Hit Judge Listener Malformed Message Notifier PageContent"
        " RecordKind SearchQuery SearchResult Trouble Writer WriterFormat bearer by_status"
    )
    for name in ("Judge", "Listener", "Notifier", "RecordKind", "Writer", "WriterFormat"):
        protocol = getattr(plugins, name)
        members = [
            member for key, member in vars(protocol).items() if not key.startswith("_") or key == "__call__"
        ]
        assert members and all(one.__doc__ for one in members), name
