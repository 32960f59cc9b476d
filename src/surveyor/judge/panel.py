"""The panel: all judges of a profile over one search result, one confidence, one decision.

Metadata only; nothing is fetched. The confidence is the weighted mean of the judges' scores with two
places, rounded half up; at or above the threshold the result deserves a crawl. Where there is a learned
judge, it has heard the built-in ones and has their weight: what they said is shown, and counts through it.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial

from surveyor.judge import plugged
from surveyor.judge.judges.credibility import CredibilityJudge
from surveyor.judge.judges.geography import GeographyJudge
from surveyor.judge.judges.keywords import KeywordJudge
from surveyor.judge.judges.learned import LearnedJudge
from surveyor.judge.judges.organisation import OrganisationJudge
from surveyor.judge.judges.site_kind import SiteKindJudge
from surveyor.judge.learned.model import Model
from surveyor.judge.reading import Reader, Reading
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
from surveyor.profiles import Profile

Judge = Callable[[Reading], tuple[int, Why]]
# A judge's name, score and reason, and its weight twice: to be shown, and in hundredths.
_Said = tuple[str, tuple[int, Why], Decimal, int]


class Panel:
    """The judges of one profile. Pure, and safe to keep for the life of a process."""

    def __init__(
        self, profile: Profile, rules: NameRules = DEFAULT_RULES, model: Model | None = None
    ) -> None:
        self.threshold = profile.threshold if model is None else profile.learned.threshold
        self.version = JUDGE_VERSION if model is None else f"{JUDGE_VERSION}+{model.fingerprint}"
        self._learned = LearnedJudge(model) if model is not None else None
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
        with_signs = model is not None or "site_kind" in profile.judges
        if with_signs:
            known["site_kind"] = (SiteKindJudge.name, SiteKindJudge())
        heaviest_first = sorted(profile.judges.items(), key=lambda each: -each[1])
        self._judges = [
            (*known[name], weight, hundredths(weight)) for name, weight in heaviest_first if name in known
        ]
        if with_signs and "site_kind" not in profile.judges:  # shown, and heard through its signs
            self._judges.append((*known["site_kind"], CONFIDENCES[0], 0))
        self._reader = Reader(profile, rules, with_signs=with_signs)
        others = plugged.judges(profile.judges)
        self._plugged = [
            (name, others[name], weight, hundredths(weight))
            for name, weight in heaviest_first
            if name in others
        ]

    def judge(self, hit: SearchHit) -> Judgment:
        reading = self._reader.read(hit)
        said = [(name, judge(reading), weight, heaviness) for name, judge, weight, heaviness in self._judges]
        if self._learned is not None:
            said = self._heard(reading, said)
        for name, score_of, weight, heaviness in self._plugged:
            if (of_plugged := score_of(hit, reading)) is not None:
                said.append((name, of_plugged, weight, heaviness))
        weighed = [(score, heaviness) for _, (score, _), _, heaviness in said if heaviness]
        confidence = weighted_mean(weighed) if weighed else CONFIDENCES[0]
        scores = [JudgeScore(name, CONFIDENCES[score], weight, why) for name, (score, why), weight, _ in said]
        names = partial(names_in, hit.title, reading)
        deserves = confidence >= self.threshold
        return Judgment(
            reading.domain, confidence, deserves, tuple(scores), reading.language, names, self.version
        )

    def _heard(self, reading: Reading, said: list[_Said]) -> list[_Said]:
        """The learned judge, who has heard the others and has their weight; what they said stays visible."""
        assert self._learned is not None
        mean = weighted_mean([(score, heaviness) for _, (score, _), _, heaviness in said])
        heard = [(name, score) for name, (score, _), _, _ in said]
        word = self._learned(reading, [*heard, ("mean", hundredths(mean))])
        weight = sum((weight for _, _, weight, _ in said), CONFIDENCES[0])
        others = [(name, score, CONFIDENCES[0], 0) for name, score, _, _ in said]
        return [(LearnedJudge.name, word, weight, hundredths(weight)), *others]
