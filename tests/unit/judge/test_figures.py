"""The figures that `tools.judge_score` prints beside the ranking."""

from __future__ import annotations

from surveyor.judge.values import SearchHit
from tools import judge_figures, judge_score
from tools.local_set import Line


def _line(wanted: bool, kind: str, title: str = "Small grants for clubs") -> Line:
    hit = SearchHit("https://fund.example/grants", title, "We give small grants. Write us a letter.", 1)
    return Line("funding", "q", "en", kind, wanted, hit, "fund.example")


def test_small_bands_are_told_with_the_next() -> None:
    scored = [(0.1, False)] * 50 + [(0.5, True)] * 20 + [(0.9, True)] * 30
    told = judge_figures.bands(scored)
    assert [line.split(":")[0].strip() for line in told] == ["confidence 0.0 to 0.2", "confidence 0.2 to 1.0"]
    assert "50 results" in told[1] and "wanted 1.00 (0.93 to 1.00)" in told[1]


def test_few_results_are_told_all_the_same() -> None:
    assert len(judge_figures.bands([(0.9, True)] * 3)) == 1
    assert judge_figures.bands([]) == []


def test_spam_counts_what_is_turned_away_and_the_wanted_among_it() -> None:
    lines = [_line(True, "own_site"), _line(False, "spam", "casino bonus free spins casino slots")]
    (told,) = judge_figures.spam(lines)
    assert told.strip().startswith("spam:") and "(1 are), 0 wanted" in told


def test_where_the_region_does_not_matter_what_it_turned_away_is_wanted() -> None:
    lines = [_line(False, "out_of_region"), _line(False, "news")]
    assert judge_figures.by_subject(lines, [(0.5, False), (0.4, False)]) == [(0.5, True), (0.4, False)]


def test_a_report_names_rules_learned_both_and_the_policies() -> None:
    told = "\n".join(judge_score.report("funding", [_line(True, "own_site"), _line(False, "news", "News")]))
    for part in ("rules alone", "learned", "mean of both", "policy: reject", "policy: ignore", "spam:"):
        assert part in told
