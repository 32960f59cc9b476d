"""Judges domains by what search engines say of them: metadata in, a confidence and a candidate out.

Panel           the judges of a profile over one search result; pure
SearchHit       what a search engine says about a page
Judgment        the panel's word, with every judge's score and why
judge_stored    judge the results that wait, one domain per transaction
judge_again     judge stored results with the present version; writes only where asked to
JUDGE_VERSION   stored beside every judgment
"""

from surveyor.judge.again import AgainReport, judge_again
from surveyor.judge.candidates import judge_stored
from surveyor.judge.panel import Panel
from surveyor.judge.statistics import JudgingStatistics
from surveyor.judge.values import JUDGE_VERSION, JudgeScore, Judgment, SearchHit

__all__ = [
    "JUDGE_VERSION",
    "AgainReport",
    "JudgeScore",
    "JudgingStatistics",
    "Judgment",
    "Panel",
    "SearchHit",
    "judge_again",
    "judge_stored",
]
