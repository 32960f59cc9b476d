"""The learned judge trained further with this workspace's decisions: kept if it is better, undone on demand.

A domain's decision stands for all its search results. Examples of one domain are measured together, on models
that have not seen it; the new model is kept only if it ranks the decided results better than the one it
began with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from surveyor.db import Database
from surveyor.errors import BadInput, Refused
from surveyor.judge.learned import quality
from surveyor.judge.learned.features import of_reading
from surveyor.judge.learned.model import Model, probability, shipped
from surveyor.judge.learned.training import Example, train
from surveyor.judge.reading import Reader
from surveyor.judge.store import models
from surveyor.judge.store.models import DecidedResult
from surveyor.names import DEFAULT_RULES, NameRules
from surveyor.profiles.model import Profile
from surveyor.registry.actors import SYSTEM, Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

# Decided domains of each kind before there is anything to learn: fewer show the names of sites, not a taste.
LEAST_DOMAINS = 20


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What training came to."""

    domains: int
    results: int
    wanted: int
    before: float
    """AUC of the model it began with, on the decided results."""
    after: float
    """AUC of models trained with other domains, on the same results."""
    kept: bool


async def load_model(db: Database, profile: Profile) -> Model | None:
    """The model trained here, else the one shipped for the profile; None where there is neither."""
    async with db.read() as tx:
        raw = await models.kept(tx)
    if raw is not None:
        try:
            return Model.from_bytes(raw)
        except BadInput:
            pass  # of another version of the program: the shipped one is better than none
    return shipped(profile.name)


async def train_model(
    db: Database, profile: Profile, by: Actor, rules: NameRules = DEFAULT_RULES
) -> TrainingReport:
    """Train on all decisions and keep the model if it is better."""
    begin = shipped(profile.name)
    async with db.read() as tx:
        decided = await models.decided_results(tx)
    yes = {each.domain_no for each in decided if each.wanted}
    no = {each.domain_no for each in decided if not each.wanted}
    if min(len(yes), len(no)) < LEAST_DOMAINS:
        raise Refused(
            f"{len(yes)} approved and {len(no)} rejected domains with search results are too few to learn "
            f"from; decide on at least {LEAST_DOMAINS} of each (`surveyor review`)"
        )
    report, model = await asyncio.to_thread(_trained, profile, rules, decided, begin)
    if by != SYSTEM:
        async with db.write() as tx:
            await models.allow(tx)
    if report.kept:
        data = {"domains": report.domains, "results": report.results, "model": model.fingerprint}
        async with db.write() as tx:
            await models.keep(db, tx, model.to_bytes())
            await events.append(tx, [NewEvent(EventKind.JUDGE_TRAINED, by.name, data=data)])
    return report


async def train_by_schedule(
    db: Database, profile: Profile, rules: NameRules = DEFAULT_RULES
) -> TrainingReport | None:
    """As `train_model`; None where there is too little to learn from, or a person undid the last training."""
    async with db.read() as tx:
        if await models.is_untrained(tx):
            return None
    try:
        return await train_model(db, profile, SYSTEM, rules)
    except Refused:
        return None


async def untrain(db: Database, by: Actor) -> bool:
    """Judge with the shipped model again; False if none had been trained here."""
    async with db.write() as tx:
        if await models.kept(tx) is None:
            return False
        await models.untrain(db, tx)
        await events.append(tx, [NewEvent(EventKind.JUDGE_TRAINED, by.name, data={"model": None})])
    return True


def _trained(
    profile: Profile, rules: NameRules, decided: Sequence[DecidedResult], begin: Model | None
) -> tuple[TrainingReport, Model]:
    reader = Reader(profile, rules, with_signs=True)
    examples = [
        Example(of_reading(reader.read(each.hit)), each.wanted, str(each.domain_no)) for each in decided
    ]
    trained = train(examples, begin)
    before = 0.5
    if begin is not None:
        before = quality.auc([(begin.total(example.features), example.wanted) for example in examples])
    after = quality.auc([(probability(each.total), each.wanted) for each in trained.unseen])
    wanted = sum(example.wanted for example in examples)
    domains = len({each.domain_no for each in decided})
    made_from = {
        "begun_with": begin.fingerprint if begin else None,
        "domains": domains,
        "results": len(examples),
    }
    model = replace(trained.model, manifest=made_from)
    return TrainingReport(domains, len(examples), wanted, before, after, after > before), model
