"""Figures beside the ranking, for `tools.judge_score`: calibration, spam, region policy, what was not met.

Each gives lines to print; nothing is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from surveyor.discover.spam import verdict
from surveyor.judge.learned.model import shipped
from surveyor.judge.learned.training import train
from surveyor.profiles.model import Profile
from tools import ranking
from tools.judge_train import examples_of, shown, without_each
from tools.local_set import Line

Scored = Sequence[tuple[float, bool]]
# Results of a band before something is said of it, and how sure the interval is (95 %).
_BAND = 40
_SURE = 1.96
# What a profile's policy about regions turns away.
_ELSEWHERE = "out_of_region"


def interval(wanted: int, results: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    share, square = wanted / results, _SURE**2
    middle = (share + square / (2 * results)) / (1 + square / results)
    half = _SURE * sqrt(share * (1 - share) / results + square / (4 * results**2)) / (1 + square / results)
    return max(0.0, middle - half), min(1.0, middle + half)


def bands(scored: Scored) -> list[str]:
    """Mean confidence and share of wanted ones, in bands of a fifth; small ones are told with the next."""
    found, kept = [], list[ranking.Band]()
    parts = ranking.bands(scored)
    for number, band in enumerate(parts, 1):
        kept.append(band)
        results = sum(each.results for each in kept)
        left = sum(each.results for each in parts[number:])
        if not results or (results < _BAND and left) or 0 < left < _BAND:
            continue
        wanted = sum(each.wanted for each in kept)
        mean = sum(each.mean * each.results for each in kept) / results
        low, high = interval(wanted, results)
        off = abs(mean - wanted / results)
        found.append(
            f"  confidence {kept[0].low:.1f} to {band.high:.1f}: {results:4} results, mean {mean:.2f}, "
            f"wanted {wanted / results:.2f} ({low:.2f} to {high:.2f}), off by {off:.2f}"
        )
        kept = []
    return found


def spam(lines: Sequence[Line]) -> list[str]:
    """How many are turned away as spam, how many of them rightly, and how many wanted ones are among them."""
    turned = [line for line in lines if verdict(line.hit.url, line.hit.title, line.hit.description).is_spam]
    rightly = sum(line.kind == "spam" for line in turned)
    labelled = sum(line.kind == "spam" for line in lines)
    wanted = sum(line.wanted for line in turned)
    of = f"{rightly} of them labelled spam ({labelled} are), {wanted} wanted"
    return [f"  spam: {len(turned)} turned away, {of}"]


def with_policy(profile: Profile, out_of_region: str) -> Profile:
    """The profile with another rule for results that are limited to people elsewhere."""
    policies = profile.policies.model_copy(update={"out_of_region": out_of_region})
    return profile.model_copy(update={"policies": policies})


def by_subject(lines: Sequence[Line], scored: Scored) -> Scored:
    """As if it did not matter where: what was only turned away for its region counts as wanted."""
    return [
        (score, wanted or line.kind == _ELSEWHERE)
        for line, (score, wanted) in zip(lines, scored, strict=True)
    ]


def not_met(profile: str, lines: Sequence[Line]) -> list[str]:
    """Learning curve, and each language and kind by a model without it, cross-validated over these lines.

    Models of these lines alone show what lines bring; those that begin with the package's weights what
    somebody gains who trains it further.
    """
    examples = examples_of(profile, lines)
    found = []
    for share in (4, 2, 1):
        part = [example for example in examples if sum(example.group.encode()) % share == 0]
        found.append("  these alone " + shown(f"1/{share}", train(part)))
        found.append("  trained on  " + shown(f"1/{share}", train(part, shipped(profile))))
    return [*found, *without_each(lines, examples, [])]
