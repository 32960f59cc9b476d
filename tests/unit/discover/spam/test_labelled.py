"""Precision and recall on labelled lines: those the rules were written with, and those they never saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.spam_report import figures, judged, main

LABELLED = Path(__file__).parents[3] / "data/labelled"
OWN = Path(__file__).with_name("own_lines.jsonl")
PRECISION = 0.95
# Real results showed that whoever offers something on a host named for nothing writes about it as often as he
# sells it. The composed lines have many such sellers; they are left to the judge.
RECALL = 0.65
# In the judging sets these may rightly be stopped.
STOPPABLE = {"loan_shark", "aggregator"}


@pytest.mark.parametrize("path", [LABELLED / "spam_tune.jsonl", OWN], ids=["tune", "own"])
def test_the_rules_hold_on_the_lines_they_were_written_with(path: Path) -> None:
    found = figures(judged(path))
    assert found.precision >= PRECISION
    assert found.recall >= RECALL


@pytest.mark.parametrize("name", ["judge_tune", "judge_judge"])
def test_results_that_are_merely_off_topic_are_not_spam(name: str) -> None:
    path = LABELLED / f"{name}.jsonl"
    wrong = [line.line for line in judged(path) if line.verdict.is_spam]
    wrong = [line for line in wrong if line["category"] not in STOPPABLE]
    assert len(wrong) <= 0.02 * 260, wrong


def test_the_rules_hold_on_lines_they_never_saw() -> None:
    path = LABELLED / "spam_judge.jsonl"
    lines = list(judged(path))
    found = figures(lines)
    assert found.precision >= PRECISION
    assert found.recall >= RECALL


@pytest.mark.parametrize("name", ["spam_judge", "spam_tune", "judge_judge", "judge_tune"])
def test_no_legitimate_line_is_called_spam_because_its_language_is_not_english(name: str) -> None:
    """Those few that are were accused for what they say; none for how its language looks."""
    foreign = [line for line in judged(LABELLED / f"{name}.jsonl") if line.line["lang"] != "en"]
    accused = [line for line in foreign if not line.is_spam and line.verdict.is_spam]
    accused = [line for line in accused if line.line["category"] not in STOPPABLE]
    assert not [line.line for line in accused if set(line.verdict.detectors) & {"wordlist", "mismatch"}]
    assert len(accused) <= 0.03 * len(foreign), [line.line for line in accused]


def test_the_report_prints_every_language_and_the_wrong_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(OWN)]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{language} " in printed for language in ("bg", "de", "el", "en", "es", "fr", "ro", "all"))
    assert printed.count("\nmissed ") == figures(judged(OWN)).missed


def test_the_report_says_what_to_do_about_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err
