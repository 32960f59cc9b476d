"""The panel: all judges of a profile over one search result, one confidence, one decision.

Metadata only; nothing is fetched. The confidence is the weighted mean of the judges' scores with two
places, rounded half up; at or above the threshold the result deserves a crawl. Where there is a learned
judge, it has the weight of the built-in ones, and these are asked only when somebody wants to see what they
say: most results are judged and never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

from surveyor.judge import plugged
from surveyor.judge.judges.geography import GeographyJudge
from surveyor.judge.judges.keywords import KeywordJudge
from surveyor.judge.judges.learned import LearnedJudge
from surveyor.judge.judges.organisation import OrganisationJudge
from surveyor.judge.judges.region import RegionJudge
from surveyor.judge.judges.site_kind import SiteKindJudge
from surveyor.judge.learned.model import Model
from surveyor.judge.reading import Reader, Reading
from surveyor.judge.signs import LIMITED
from surveyor.judge.titles import names_in
from surveyor.judge.values import (
    CONFIDENCES,
    JUDGE_VERSION,
    JudgeScore,
    Judgment,
    SearchHit,
    Why,
    hundredths,
    weighted_mean,
)
from surveyor.names import DEFAULT_RULES, NameRules
from surveyor.profiles.model import Profile

Judge = Callable[[Reading], tuple[int, Why]]
# A judge's name, score and reason, and its weight twice: to be shown, and in hundredths.
_Said = tuple[str, tuple[int, Why], Decimal, int]
_NO_WEIGHT = CONFIDENCES[0]


class Panel:
    """The judges of one profile. Pure, and safe to keep for the life of a process."""

    def __init__(
        self, profile: Profile, rules: NameRules = DEFAULT_RULES, model: Model | None = None
    ) -> None:
        self.threshold = profile.threshold if model is None else profile.learned.threshold
        self.version = JUDGE_VERSION if model is None else f"{JUDGE_VERSION}+{model.fingerprint}"
        self._learned = LearnedJudge(model) if model is not None else None
        asks_where = profile.policies.out_of_region != "ignore" and bool(profile.geography.places)
        with_signs = model is not None or asks_where or "site_kind" in profile.judges
        heaviest_first = sorted(profile.judges.items(), key=lambda each: -each[1])
        self._reader = Reader(profile, rules, with_signs=with_signs)
        known = _built_in(profile, self._reader)
        self._judges = [
            (*known[name], weight, hundredths(weight)) for name, weight in heaviest_first if name in known
        ]
        self._weight = sum((weight for _, _, weight, _ in self._judges), _NO_WEIGHT)
        self._heaviness = hundredths(self._weight)
        if model is not None and "site_kind" not in profile.judges:  # shown, and heard through its signs
            self._judges.append((*known["site_kind"], _NO_WEIGHT, 0))
        self._region = RegionJudge(profile, self._reader) if asks_where else None
        others = plugged.judges(profile.judges)
        self._plugged = [
            (name, others[name], weight, hundredths(weight))
            for name, weight in heaviest_first
            if name in others
        ]

    def judge(self, hit: SearchHit) -> Judgment:
        reading = self._reader.read(hit)
        if self._learned is None:
            heard = [(name, judge(reading), weight, heavy) for name, judge, weight, heavy in self._judges]
        else:
            heard = [(LearnedJudge.name, self._learned(reading), self._weight, self._heaviness)]
        for name, score_of, weight, heaviness in self._plugged:
            if (of_plugged := score_of(hit, reading)) is not None:
                heard.append((name, of_plugged, weight, heaviness))
        if len(heard) == 1:
            confidence = CONFIDENCES[heard[0][1][0]]
        else:
            confidence = weighted_mean([(score, heaviness) for _, (score, _), _, heaviness in heard])
        if self._region is not None and LIMITED in reading.signs:
            confidence = self._region.limited(confidence, self.threshold)
        return Judgment(
            reading.domain,
            confidence,
            confidence >= self.threshold,
            partial(self._scores, reading, heard),
            lambda: reading.language,
            partial(names_in, hit.title, reading),
            self.version,
        )

    def _scores(self, reading: Reading, heard: Sequence[_Said]) -> tuple[JudgeScore, ...]:
        """What each judge said; beside the learned one the rules, which have no weight there."""
        said = list(heard)
        if self._learned is not None:
            said += [(name, judge(reading), _NO_WEIGHT, 0) for name, judge, _, _ in self._judges]
        if self._region is not None and LIMITED in reading.signs:
            said.append((RegionJudge.name, self._region(reading), _NO_WEIGHT, 0))
        return tuple(
            JudgeScore(name, CONFIDENCES[score], weight, why) for name, (score, why), weight, _ in said
        )


def _built_in(profile: Profile, reader: Reader) -> dict[str, tuple[str, Judge]]:
    geography, keywords = GeographyJudge(profile), KeywordJudge(profile)
    asks_where = "geography" in profile.judges

    def offered(reading: Reading) -> tuple[int, Why]:
        return keywords(reading, abroad=asks_where and geography.abroad(reading))

    return {
        "keywords": (KeywordJudge.name, offered),
        "credibility": (reader.credibility.name, reader.credibility),
        "geography": (GeographyJudge.name, geography),
        "organisation": (OrganisationJudge.name, OrganisationJudge(profile)),
        "site_kind": (SiteKindJudge.name, SiteKindJudge()),
    }
