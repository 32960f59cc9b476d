"""The judge taught by a reviewer's decisions: kept if it is better here, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from surveyor.bootstrap.workspace import Workspace
from surveyor.db import Database
from surveyor.db.tables import domains
from surveyor.errors import Refused
from surveyor.judge import quality_check, training
from surveyor.judge.judges.learned import LearnedJudge
from surveyor.judge.learned import quality
from surveyor.judge.learned.model import shipped
from surveyor.judge.panel import Panel
from surveyor.judge.values import JUDGE_VERSION, SearchHit
from surveyor.names import DEFAULT_RULES
from surveyor.operations import housekeeping
from surveyor.profiles import loader
from surveyor.registry import feed
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, register
from surveyor.settings import Settings
from surveyor.settings.sections import JudgeSettings
from tests.support.judge_help import add_results, add_session, found_domain
from tests.support.review_help import kinds_of

BY = Actor.operator()
PROFILE = loader.load("funding")
_WORDS = ("river", "forest", "school", "music", "village", "theatre", "sports", "health", "library", "garden")


def _title(number: int, wanted: bool) -> str:
    """This reviewer wants whatever is about choirs, offers or not, and nothing else."""
    word, other = _WORDS[number % 10], _WORDS[number // 10 % 10]
    return f"Choir of the {word} {other}" if wanted else f"Grants for {word} and {other}"


async def _decided(db: Database, each: int) -> None:
    session = await add_session(db)
    for number in range(2 * each):
        wanted = number % 2 == 0
        domain = await found_domain(db, f"site{number}.example")
        await add_results(db, domain, session, [_title(number, wanted)])
        async with db.write() as tx:  # two hundred decisions of a person, without their two hundred events
            status = "approved" if wanted else "rejected"
            values = {"review_status": status, "reviewed_by": "person:ada", "rejection_reason": "no choir"}
            await tx.execute(update(domains).where(domains.c.no == domain.no).values(values))


async def test_a_reviewer_with_another_taste_teaches_it_and_one_command_takes_it_back(db: Database) -> None:
    await _decided(db, 100)
    taught = await training.train_model(db, PROFILE, BY)
    assert (taught.domains, taught.results, taught.wanted) == (200, 200, 100)
    assert taught.kept and taught.after >= taught.before + 0.1
    model = await training.load_model(db, PROFILE)
    assert model is not None and model.manifest["domains"] == 200

    unseen = [
        (SearchHit(f"https://new{n}.example/", _title(n * 7 + 3, n % 3 == 0), ""), n % 3 == 0)
        for n in range(60)
    ]
    begun = shipped("funding")
    assert begun is not None
    before, after = (
        quality.auc([(float(panel.judge(hit).confidence), wanted) for hit, wanted in unseen])
        for panel in (Panel(PROFILE, model=begun), Panel(PROFILE, model=model))
    )
    assert after >= before + 0.1

    assert await training.untrain(db, BY)
    assert not await training.untrain(db, BY), "there is nothing left to take back"
    assert await training.load_model(db, PROFILE) == begun
    assert (await kinds_of(db)).count("JudgeTrained") == 2


async def test_a_profile_is_measured_as_its_panel_judges_and_by_its_rules(db: Database) -> None:
    assert await quality_check.measure(db, PROFILE) is None, "nothing is decided"
    await _decided(db, 3)
    by_rules = await quality_check.measure(db, PROFILE)
    learned = await quality_check.measure(db, PROFILE, model=shipped("funding"))
    assert by_rules is not None and learned is not None
    assert (by_rules.domains, by_rules.wanted) == (learned.domains, learned.wanted) == (6, 3)
    assert by_rules.threshold == PROFILE.threshold and learned.threshold == PROFILE.learned.threshold


async def test_too_few_decisions_teach_nothing(db: Database) -> None:
    await _decided(db, 3)
    with pytest.raises(Refused, match="3 approved and 3 rejected domains"):
        await training.train_model(db, PROFILE, BY)
    assert await training.load_model(db, PROFILE) == shipped("funding")


async def test_the_schedule_teaches_once_a_day_and_not_what_a_person_took_back(db: Database) -> None:
    assert await housekeeping.learn(db, PROFILE, DEFAULT_RULES) == "", "too little to learn from"
    await _decided(db, training.LEAST_DOMAINS)
    assert await housekeeping.learn(db, PROFILE, DEFAULT_RULES) == "", "it looked today"
    await _forget_the_day(db)
    assert "40 decided domains: kept" in await housekeeping.learn(db, PROFILE, DEFAULT_RULES)
    assert await training.load_model(db, PROFILE) != shipped("funding")

    assert await training.untrain(db, BY)
    await _forget_the_day(db)
    assert await housekeeping.learn(db, PROFILE, DEFAULT_RULES) == "", "somebody did not want it"
    assert await training.load_model(db, PROFILE) == shipped("funding")

    await training.train_model(db, PROFILE, BY)
    assert await training.train_by_schedule(db, PROFILE) is not None, "a person taught again"


async def test_trainings_and_their_undoing_are_known_by_their_earlier_names(db: Database) -> None:
    async with db.write() as tx:
        await events.append(tx, [NewEvent("JudgeTaught", BY.name)])  # type: ignore[arg-type]
        await register.set_fact(db, tx, "judge_model_taken_back", "yes")
    assert (await feed.read(db, 0, 10))[-1].event.kind is EventKind.JUDGE_TRAINED
    await _decided(db, training.LEAST_DOMAINS)
    assert await training.train_by_schedule(db, PROFILE) is None, "somebody did not want it"


async def _forget_the_day(db: Database) -> None:
    async with db.write() as tx:
        await register.set_fact(db, tx, "judge_trained_on", "2020-01-01")


async def test_decisions_without_a_taste_are_kept_only_if_they_happen_to_rank_better(db: Database) -> None:
    """Approved and rejected look alike."""
    session = await add_session(db)
    for number in range(2 * training.LEAST_DOMAINS):
        domain = await found_domain(db, f"site{number}.example")
        await add_results(
            db, domain, session, [_title(number // 2, False)], url=f"https://site{number}.example/x"
        )
        status = "approved" if number % 2 else "rejected"
        async with db.write() as tx:
            values = {"review_status": status, "reviewed_by": "person:ada", "rejection_reason": "no"}
            await tx.execute(update(domains).where(domains.c.no == domain.no).values(values))
    taught = await training.train_model(db, PROFILE, BY)
    if not taught.kept:
        assert await training.load_model(db, PROFILE) == shipped("funding")
    assert taught.kept == (taught.after > taught.before)


async def test_who_decides_as_the_shipped_model_does_teaches_nothing(db: Database) -> None:
    """It ranks all of these rightly, and no other can be better."""
    session = await add_session(db)
    for number in range(2 * training.LEAST_DOMAINS):
        is_funder = number % 2 == 0
        host = f"fond-{number}.bg" if is_funder else f"novini-{number}.com"
        path = (
            "" if is_funder else f"2024/05/0{number % 9 + 1}/kmetat-zayavi-che-parite-svarshiha-{number}.html"
        )
        title = (
            "Фонд за училища: подкрепяме с грантове"
            if is_funder
            else "Кметът заяви вчера, че парите свършиха"
        )
        domain = await found_domain(db, host)
        await add_results(db, domain, session, [title], url=f"https://{host}/{path}")
        async with db.write() as tx:
            status = "approved" if is_funder else "rejected"
            values = {"review_status": status, "reviewed_by": "person:ada", "rejection_reason": "news"}
            await tx.execute(update(domains).where(domains.c.no == domain.no).values(values))
    taught = await training.train_model(db, PROFILE, BY)
    assert taught.before == 1.0 and not taught.kept
    assert await training.load_model(db, PROFILE) == shipped("funding")
    assert "JudgeTrained" not in await kinds_of(db)


async def test_one_setting_turns_the_learned_judge_off(db: Database, tmp_path: Path) -> None:
    hit = SearchHit("https://fond-luch.bg/", "Фонд Лъч", "Подкрепяме НПО с грантове до 3500 евро.")
    by_rules = Settings(judge=JudgeSettings(learned=False))
    taught, ruled = [await Workspace(tmp_path, settings, db).panel() for settings in (Settings(), by_rules)]
    assert taught.judge(hit).scores[0].judge == LearnedJudge.name
    assert LearnedJudge.name not in {score.judge for score in ruled.judge(hit).scores}
    assert ruled.threshold == PROFILE.threshold and ruled.version == JUDGE_VERSION
