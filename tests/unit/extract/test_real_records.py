"""Scoring records of real pages: what counts, what counts neither way, and what is shown of which half."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from tools import extract_report
from tools.real_records import Half, compare, is_for_tuning

KNOWN = {
    "kind": "service",
    "name": "Food Pantry",
    "phone": "+15105550100",
    "alt": {"name": ["Elm Street Pantry"]},
    "neutral": {"hours": None, "address": ["12 Elm Street"]},
}


def test_a_right_value_may_be_any_of_several_and_neutral_ones_count_neither_way() -> None:
    half = Half()
    found = {"kind": "service", "name": "elm street pantry!", "hours": "Mo 9-12", "address": "12 Elm Street"}
    compare(half, "page", [found], [KNOWN])
    total = half.report.total
    assert (total.right, total.found, total.known) == (1, 1, 2)
    assert half.report.fields["service", "name"].right == 1
    assert not half.invented
    assert not half.missed


def test_a_record_that_nobody_wrote_down_is_invented_and_an_optional_one_is_not() -> None:
    half = Half()
    optional = {"kind": "service", "name": "Clothing Room", "optional": True}
    found = [{"kind": "service", "name": "Clothing Room"}, {"kind": "business", "name": "LLC"}]
    compare(half, "page", found, [KNOWN, optional])
    assert half.invented == {"business": 1}
    assert half.missed == {"service": 1}
    assert half.missed_among_several == 0


def test_records_missed_on_a_page_with_several_are_counted_apart() -> None:
    half = Half()
    other = {"kind": "service", "name": "Winter Shelter"}
    compare(half, "page", [{"kind": "service", "name": "Food Pantry"}], [KNOWN, other])
    assert half.missed_among_several == 1


def _archive(path: Path) -> Path:
    gold = {
        "pages": [
            {
                "file": f"{number}.html",
                "url": f"https://site{number}.example/",
                "source": f"owner/site{number}:index.html",
                "profile": "community",
                "records": [{"kind": "organisation", "name": f"Nobody {number}"}],
            }
            for number in range(8)
        ]
    }
    with ZipFile(path, "w") as pack:
        pack.writestr("gold.json", json.dumps(gold))
        for page in gold["pages"]:
            pack.writestr(f"pages/{page['file']}", "<p>Nothing here that anybody offers.</p>")
    return path


def test_of_the_judging_half_only_totals_are_shown_and_only_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = str(_archive(tmp_path / "pages.zip"))
    sides = [is_for_tuning(f"owner/site{number}:index.html") for number in range(8)]
    assert {True, False} == set(sides)
    extract_report.main(["--real", archive, "--wrong"])
    assert "judging half" not in capsys.readouterr().out
    extract_report.main(["--real", archive, "--wrong", "--judging"])
    shown = capsys.readouterr().out
    assert f"judging half, {sides.count(False)} pages" in shown
    assert all((f"'Nobody {number}'" in shown) is side for number, side in enumerate(sides))


def test_a_missing_file_is_said_and_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "none.zip")
    assert extract_report.main(["--real", missing, "--articles", missing]) == 0
    assert capsys.readouterr().out.count("is missing") == 2
