"""Judges domains by what search engines say of them: metadata in, a confidence and a candidate out.

Panel           the judges of a profile over one search result; pure
SearchHit       what a search engine says about a page
Judgment        the panel's word, with every judge's score and why
judge_stored    judge the results that wait, one domain per transaction
judge_again     judge stored results with the present version; writes only where asked to
JUDGE_VERSION   stored beside every judgment

The names are loaded when they are first asked for: a list of candidates needs no judge.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surveyor.judge.candidates import judge_stored
    from surveyor.judge.panel import Panel
    from surveyor.judge.rejudge import RejudgeReport, judge_again
    from surveyor.judge.statistics import JudgingStatistics
    from surveyor.judge.values import JUDGE_VERSION, JudgeScore, Judgment, SearchHit

__all__ = [
    "JUDGE_VERSION",
    "JudgeScore",
    "JudgingStatistics",
    "Judgment",
    "Panel",
    "RejudgeReport",
    "SearchHit",
    "judge_again",
    "judge_stored",
]

_MODULE_OF = {
    "RejudgeReport": "rejudge",
    "JudgingStatistics": "statistics",
    "Panel": "panel",
    "judge_again": "rejudge",
    "judge_stored": "candidates",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF.get(name, 'values')}"), name)
