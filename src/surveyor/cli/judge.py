"""Commands of the judge stage."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from surveyor.bootstrap import workers
from surveyor.cli import judge_file, judge_tables, runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import UsageError
from surveyor.judge import service, training
from surveyor.judge.candidates import judge_stored
from surveyor.judge.rejudge import judge_again
from surveyor.process.resources import keep_heap
from surveyor.registry.actors import Actor
from surveyor.registry.service import require_profile
from surveyor.review.policies import auto_approve

if TYPE_CHECKING:
    from collections.abc import Callable

    from surveyor.bootstrap.workspace import Workspace
    from surveyor.judge.calibration import Calibration
    from surveyor.judge.rejudge import RejudgeReport
    from surveyor.judge.statistics import JudgingStatistics
    from surveyor.judge.training import TrainingReport


def judge(
    *,
    again: Annotated[
        bool,
        Parameter(negative="", help="Judge stored results with the present judges and show what changes."),
    ] = False,
    apply: Annotated[bool, Parameter(negative="", help="With --again: write what changes.")] = False,
    calibrate: Annotated[
        bool, Parameter(negative="", help="Show the share of approvals per band of confidence.")
    ] = False,
    file: Annotated[
        str | None,
        Parameter(
            allow_leading_hyphen=True,
            help="Judge JSON lines (url, title, description, position) of a file or -; stores nothing.",
        ),
    ] = None,
    train: Annotated[
        bool,
        Parameter(negative="", help="Train the judge with the decisions made here; kept if it is better."),
    ] = False,
    untrain: Annotated[bool, Parameter(negative="", help="Undo what --train did.")] = False,
    json: Json = False,
) -> int:
    """Judge waiting search results by title, description and address; nothing is fetched."""
    if apply and not again:
        raise UsageError("--apply goes with --again; results that wait are judged without it")
    if again + calibrate + train + untrain + (file is not None) > 1:
        raise UsageError("--again, --calibrate, --train, --untrain and --file are five things; ask for one")
    keep_heap()
    if train or untrain:
        return _train(json) if train else _untrain()
    if file is not None:
        return runtime.in_workspace(lambda workspace: judge_file.judge_lines(workspace, file))
    if calibrate:
        return _calibrate(json)
    return _again(apply, json) if again else _stored(json)


def _stored(json: bool) -> int:
    async def act(workspace: Workspace) -> JudgingStatistics:
        await _require_profile(workspace)
        total = await service.waiting(workspace.db)
        with _bar("judging", total) as advance:
            return await judge_waiting(workspace, advance)

    statistics = runtime.in_workspace(act)
    show.result(statistics.to_json(), lambda: judge_tables.print_statistics(statistics), json=json)
    return 0


async def judge_waiting(
    workspace: Workspace, advance: Callable[[int], None] = lambda _: None
) -> JudgingStatistics:
    """Judge what waits; then what the profile lets the program approve by itself is approved."""
    panel, by = await workspace.panel(), Actor.operator()
    async with workers.model_judge(workspace) as model:
        statistics = await judge_stored(workspace.db, panel, by, advance, model)
    policies = workspace.profile.policies
    approved = await auto_approve(workspace.db, policies.auto_approve, approve_assets=policies.approve_assets)
    if approved:
        runtime.say(f"{show.count(len(approved), 'domain')} approved by the profile's policy")
    return statistics


def _again(apply: bool, json: bool) -> int:
    async def act(workspace: Workspace) -> RejudgeReport:
        await _require_profile(workspace)
        total = await service.waiting(workspace.db, again=True)
        with _bar("judging again", total) as advance:
            by = Actor.operator()
            panel = await workspace.panel()
            async with workers.model_judge(workspace) as model:
                return await judge_again(workspace.db, panel, by, apply=apply, progress=advance, model=model)

    report = runtime.in_workspace(act)
    data = asdict(report) | {"applied": apply}
    show.result(data, lambda: judge_tables.print_again(report, applied=apply), json=json)
    return 0


def _train(json: bool) -> int:
    async def act(workspace: Workspace) -> TrainingReport:
        await _require_profile(workspace)
        return await training.train_model(
            workspace.db, workspace.profile, Actor.operator(), workspace.name_rules
        )

    report = runtime.in_workspace(act)
    show.result(asdict(report), lambda: judge_tables.print_training(report), json=json)
    return 0


def _untrain() -> int:
    if runtime.in_workspace(lambda workspace: training.untrain(workspace.db, Actor.operator())):
        runtime.say("the shipped model judges again; `surveyor judge --again` shows what that changes")
    else:
        runtime.say("no model was trained here; nothing changed")
    return 0


def _calibrate(json: bool) -> int:
    async def act(workspace: Workspace) -> tuple[Calibration, Any]:
        return await service.calibration(workspace.db), (await workspace.panel()).threshold

    found, threshold = runtime.in_workspace(act)
    data = judge_tables.calibration_json(found, threshold)
    show.result(data, lambda: judge_tables.print_calibration(found, threshold), json=json)
    return 0


async def _require_profile(workspace: Workspace) -> None:
    await require_profile(workspace.db, workspace.profile.name, workspace.profile.hash)


class _bar:  # noqa: N801 - used like a function
    """A progress bar over so many results, on standard error; interrupted, it says how far it came."""

    def __init__(self, what: str, total: int) -> None:
        self._progress = show.counted_progress()
        self._task = self._progress.add_task(what, total=total)
        self._what, self._total, self._done = what, total, 0

    def __enter__(self) -> Callable[[int], None]:
        self._progress.start()
        return self._advance

    def _advance(self, done: int) -> None:
        self._done = done
        self._progress.update(self._task, completed=done)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._progress.stop()
        if kind is not None and issubclass(kind, (asyncio.CancelledError, KeyboardInterrupt)):
            came = f"{self._done:,} of {show.count(self._total, 'result')}"
            runtime.say(f"{self._what} came as far as {came}; the same command goes on")
