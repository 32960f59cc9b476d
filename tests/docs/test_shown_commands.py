"""What the docs show being typed prints what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from surveyor import __version__
from tests.support.cli_help import surveyor
from tools import tour
from tools.reference.sources import ROOT


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", tour.FILES)
def test_shown_commands_print_what_is_shown(name: str) -> None:
    assert tour.normal(tour.of_file(name)) == tour.normal(read(name)), "run `.venv/bin/python -m tools.tour`"


def test_every_page_with_such_commands_is_replayed() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    names = [page.relative_to(ROOT).as_posix() for page in pages]
    assert sorted(name for name in names if "```console\n" in read(name)) == sorted(tour.FILES)


def test_an_output_that_differs_is_seen() -> None:
    text = "```console\n$ surveyor --version\nsurveyor 9.9.9\n$ echo two | cat\n```\n"
    real = f"```console\n$ surveyor --version\nsurveyor {__version__}\n$ echo two | cat\ntwo\n```\n"
    assert tour.replayed(text) == real


def test_times_and_ids_are_blanks_and_the_rest_is_not() -> None:
    line = "no 7  2026-02-05 12:30:01 UTC  01a1e12e-12cd-704a-a309-b2a8c02b01a9  84.6 GB free  "
    assert tour.normal(line) == "no 7  TIME UTC  ID  SPACE"


@pytest.mark.parametrize("engine_name", ["postgresql"])
def test_the_way_to_postgresql_works_as_written(
    db_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```sh\n(createdb.*?)```", read("README.md"), re.DOTALL)
    assert "export SURVEYOR_DATABASE__URL=postgresql://" in block
    typed = re.findall(r"^surveyor (.+)$", block, re.MULTILINE)
    assert typed
    for arguments in typed:
        ran = surveyor(*arguments.split(), SURVEYOR_DATABASE__URL=db_url)
        assert ran.code == 0, ran.err
    assert "postgresql" in ran.out and "FAIL" not in ran.out
