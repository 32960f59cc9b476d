"""How well a profile ranks the domains that people decided on here: as its panel does, and by its rules."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from surveyor.db import Database
from surveyor.judge.learned import quality
from surveyor.judge.learned.model import Model
from surveyor.judge.panel import Panel
from surveyor.judge.store import models
from surveyor.judge.store.models import DecidedResult
from surveyor.judge.values import Judgment
from surveyor.names import DEFAULT_RULES, NameRules
from surveyor.profiles.model import Profile


class Measured(NamedTuple):
    domains: int
    results: int
    wanted: int
    auc: float
    precision: float
    recall: float
    threshold: Decimal


async def measure(
    db: Database, profile: Profile, rules: NameRules = DEFAULT_RULES, model: Model | None = None
) -> Measured | None:
    """With the learned judge if there is a model, else by the rules; None where nothing was decided."""
    async with db.read() as tx:
        decided = await models.decided_results(tx)
    if not decided:
        return None
    panel = Panel(profile, rules, model)
    return figures(decided, [panel.judge(each.hit) for each in decided], panel.threshold)


def figures(decided: Sequence[DecidedResult], judged: Sequence[Judgment], threshold: Decimal) -> Measured:
    """How well these judgments rank the decided results, one by one."""
    pairs = zip(decided, judged, strict=True)
    scored = [(float(judgment.confidence), each.wanted) for each, judgment in pairs]
    precision, recall = quality.at_threshold(scored, float(threshold))
    domains = len({each.domain_no for each in decided})
    wanted = sum(each.wanted for each in decided)
    return Measured(domains, len(scored), wanted, quality.auc(scored), precision, recall, threshold)
