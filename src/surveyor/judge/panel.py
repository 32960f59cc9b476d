"""The panel: all judges of a profile over one search result, one confidence, one decision.

Metadata only; nothing is fetched. The confidence is the weighted mean of the judges' scores with two
places, rounded half up; at or above the profile's threshold the result deserves a crawl.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from surveyor.judge import plugged
from surveyor.judge.judges.credibility import CredibilityJudge
from surveyor.judge.judges.geography import GeographyJudge
from surveyor.judge.judges.keywords import KeywordJudge
from surveyor.judge.judges.organisation import OrganisationJudge
from surveyor.judge.reading import Reader, Reading
from surveyor.judge.titles import names_in
from surveyor.judge.values import (
    CONFIDENCES,
    JudgeScore,
    Judgment,
    SearchHit,
    Why,
    hundredths,
    weighted_mean,
)
from surveyor.names import DEFAULT_RULES, NameRules
from surveyor.profiles import Profile

Judge = Callable[[Reading], tuple[int, Why]]


class Panel:
    """The judges of one profile. Pure, and safe to keep for the life of a process."""

    def __init__(self, profile: Profile, rules: NameRules = DEFAULT_RULES) -> None:
        self.threshold = profile.threshold
        self._reader = Reader(profile, rules)
        geography = GeographyJudge(profile)
        keywords = KeywordJudge(profile)
        asks_where = "geography" in profile.judges

        def offered(reading: Reading) -> tuple[int, Why]:
            return keywords(reading, abroad=asks_where and geography.abroad(reading))

        known: dict[str, tuple[str, Judge]] = {
            "keywords": (KeywordJudge.name, offered),
            "credibility": (CredibilityJudge.name, CredibilityJudge(profile)),
            "geography": (GeographyJudge.name, geography),
            "organisation": (OrganisationJudge.name, OrganisationJudge(profile)),
        }
        heaviest_first = sorted(profile.judges.items(), key=lambda each: -each[1])
        self._judges = [
            (*known[name], weight, hundredths(weight)) for name, weight in heaviest_first if name in known
        ]
        others = plugged.judges(profile.judges)
        self._plugged = [
            (name, others[name], weight, hundredths(weight))
            for name, weight in heaviest_first
            if name in others
        ]

    def judge(self, hit: SearchHit) -> Judgment:
        reading = self._reader.read(hit)
        scores, weighed = [], []
        for name, judge, weight, heaviness in self._judges:
            score, why = judge(reading)
            weighed.append((score, heaviness))
            scores.append(JudgeScore(name, CONFIDENCES[score], weight, why))
        for name, score_of, weight, heaviness in self._plugged:
            if (said := score_of(hit, reading)) is not None:
                weighed.append((said[0], heaviness))
                scores.append(JudgeScore(name, CONFIDENCES[said[0]], weight, said[1]))
        confidence = weighted_mean(weighed) if weighed else CONFIDENCES[0]
        names = partial(names_in, hit.title, reading)
        deserves = confidence >= self.threshold
        return Judgment(reading.domain, confidence, deserves, tuple(scores), reading.language, names)
