"""How judging looks: statistics, what judging again changes, calibration, candidates."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from surveyor.cli import runtime, show
from surveyor.judge.calibration import Band, Calibration
from surveyor.judge.rejudge import RejudgeReport
from surveyor.judge.statistics import JudgingStatistics
from surveyor.judge.training import TrainingReport


def print_statistics(statistics: JudgingStatistics) -> None:
    s = statistics
    if not s.processed and not s.failures:
        runtime.say("no results wait to be judged; `surveyor search` brings some")
        return
    message = f"{show.count(s.processed, 'result')} of {show.count(s.domains, 'domain')} judged"
    message += f" in {s.milliseconds:,} ms: {show.count(s.created)} opened a candidate"
    message += f", {show.count(s.skipped_low_confidence)} were low"
    runtime.say(f"{message}, {show.count(s.known_domain)} of domains that have one")
    if s.processed:
        average = s.average_confidence
        more = "" if average is None else f"; {average} on average where a candidate was opened"
        runtime.say(f"confidence from {s.lowest_confidence} to {s.highest_confidence}{more}")
    for number, what in (
        (s.blacklisted, "passed over: their domain is blacklisted"),
        (s.failures, f"of {show.count(s.domains_failed, 'domain')} failed and are tried again; {_WHERE}"),
    ):
        if number:
            runtime.say(f"{show.count(number)} {what}")


_WHERE = "`surveyor domain-status` names them"


def print_again(report: RejudgeReport, *, applied: bool) -> None:
    rows = [
        (show.domain_name(change.domain), str(change.before), str(change.after), show.cut(change.title))
        for change in report.changes
    ]
    if rows:
        show.print_table((("DOMAIN", "left"), ("WAS", "right"), ("IS", "right"), ("TITLE", "left")), rows)
    runtime.say(
        f"{show.count(report.read, 'result')} judged again with version {report.version}: "
        f"{show.count(report.changed)} changed, {show.count(report.now_high)} rose to the threshold, "
        f"{show.count(report.now_low)} fell below"
    )
    if applied:
        runtime.say(f"{show.count(report.written)} written")
    elif report.changed:
        runtime.say("nothing was written; --apply writes it")


def print_calibration(found: Calibration, threshold: Decimal) -> None:
    if not found.decisions:
        runtime.say("nobody decided on a judged domain yet; there is nothing to calibrate with")
        return
    rows = [
        (f"{band.low} to {band.high}", str(band.yes), str(band.no), _percent(band)) for band in found.bands
    ]
    show.print_table((("CONFIDENCE", "left"), ("YES", "right"), ("NO", "right"), ("SHARE", "right")), rows)
    implied = found.implied_threshold
    runtime.say(
        f"{show.count(found.decisions, 'decision')}; the threshold is {threshold}, they imply {implied}"
        if implied is not None
        else f"{show.count(found.decisions, 'decision')}; no threshold tells their yes from their no"
    )


def calibration_json(found: Calibration, threshold: Decimal) -> dict[str, Any]:
    return {
        "decisions": found.decisions,
        "threshold": threshold,
        "implied_threshold": found.implied_threshold,
        "bands": [
            {
                "low": band.low,
                "high": band.high,
                "yes": band.yes,
                "no": band.no,
                "share": None if band.share is None else round(float(band.share), 4),
            }
            for band in found.bands
        ],
    }


def _percent(band: Band) -> str:
    return "-" if band.share is None else f"{float(band.share):.0%}"


def print_training(report: TrainingReport) -> None:
    runtime.say(
        f"{report.results:,} results of {report.domains:,} decided domains, {report.wanted:,} of them wanted"
    )
    runtime.say(
        f"order of unseen domains (1.00: all wanted ones first): "
        f"{report.before:.2f} before, {report.after:.2f} after"
    )
    if report.kept:
        runtime.say(
            "kept; `surveyor judge --again` shows what changes, `surveyor judge --untrain` takes it back"
        )
    else:
        runtime.say("not better, so not kept; decide more domains and try again")
