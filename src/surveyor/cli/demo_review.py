"""The demo's reviewer: a person at the terminal, or the curator who wrote down the truth about the sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from surveyor.cli import demo_queries, show
from surveyor.judge.values import spoken
from surveyor.registry.actors import Actor
from surveyor.review import decisions, queries, queue
from surveyor.review.decisions import DONE, Decision, Target, Verb
from surveyor.review.queue import Order

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.cli.demo_scene import Scene
    from surveyor.registry.candidates import Candidate
    from surveyor.registry.domain import Domain
    from surveyor.smallweb import Expected

_QUESTION = "[a]pprove  [r]eject  [s]kip  [t]he rest as you would > "


@dataclass(frozen=True, slots=True)
class Said:
    """A word on one domain; None leaves it waiting."""

    domain: str
    verb: Verb | None
    reason: str | None = None


def decide(scene: Scene, truth: Mapping[str, Expected], *, asks: bool) -> set[str]:
    """Let the whole queue be decided; returns what was approved."""
    waiting = scene.ask(_waiting)
    said = list(_person(scene, waiting, truth) if asks else _curator(waiting, truth))
    scene.ask(lambda workspace: _write(workspace, said))
    by_verb = {verb: [one for one in said if one.verb is verb] for verb in (Verb.APPROVE, Verb.REJECT, None)}
    scene.line(f"{len(by_verb[Verb.APPROVE])} approved: {_names(by_verb[Verb.APPROVE])}")
    for one in by_verb[Verb.REJECT]:
        scene.line(f"{DONE[Verb.REJECT]}: {one.domain} ({show.safe(one.reason)})")
    if by_verb[None]:
        scene.line(f"{len(by_verb[None])} left waiting: {_names(by_verb[None])}")
    return {one.domain for one in by_verb[Verb.APPROVE]}


def words_of(candidate: Candidate) -> Iterator[Text]:
    """What each judge said, and what it came to."""
    for score in candidate.scores:
        said = f"{spoken(score['judge']):<20} {show.safe(score['explanation'])}"
        yield Text(f"  {score['score']}  {said}", style="dim")
    verdict = "worth a reviewer's minute" if candidate.confidence >= candidate.threshold else "low"
    yield Text(f"  {candidate.confidence}  together: {verdict}")


async def _waiting(workspace: Workspace) -> list[tuple[Domain, Candidate | None]]:
    found = await queue.waiting(workspace.db, Order.OLDEST, demo_queries.MOST, everything=False)
    candidates = await queries.open_candidates(workspace.db, found)
    return [(domain, candidates.get(domain.no)) for domain in found]


def _curator(
    waiting: Iterable[tuple[Domain, Candidate | None]], truth: Mapping[str, Expected]
) -> Iterator[Said]:
    for domain, _ in waiting:
        yield _as_curator(domain.domain, truth)


def _as_curator(name: str, truth: Mapping[str, Expected]) -> Said:
    known = truth.get(name)
    if known is None or known.decision == "none":
        return Said(name, None)
    verb = Verb.APPROVE if known.decision == "approve" else Verb.REJECT
    return Said(name, verb, known.reason or None)


def _person(
    scene: Scene, waiting: Sequence[tuple[Domain, Candidate | None]], truth: Mapping[str, Expected]
) -> Iterator[Said]:
    for place, (domain, candidate) in enumerate(waiting, 1):
        _show(scene, domain, candidate, f"{place} of {len(waiting)}")
        answer = _answered(scene)
        if answer == "t":
            yield from _curator(waiting[place - 1 :], truth)
            return
        if answer == "r":
            yield Said(domain.domain, Verb.REJECT, _reason())
        else:
            yield Said(domain.domain, Verb.APPROVE if answer == "a" else None)


def _show(scene: Scene, domain: Domain, candidate: Candidate | None, place: str) -> None:
    scene.line("")
    scene.line(Text(f"{show.domain_name(domain.domain)}  ({place})", style="bold"))
    scene.line(f"  {show.safe(domain.submission_context or domain.source)}")
    if candidate is not None:
        scene.line(f"  {show.safe(candidate.title)}  {show.safe(candidate.url)}")
        for line in words_of(candidate):
            scene.line(line)


def _answered(scene: Scene) -> str:
    """One of the letters; at the end of the input the rest is left to the curator."""
    for _ in range(3):
        try:
            said = input(_QUESTION).strip().lower()[:1]
        except EOFError:
            scene.line("")
            return "t"
        if said in ("a", "r", "s", "t"):
            return said
        scene.line("  one of the letters a, r, s, t")
    return "s"


def _reason() -> str:
    try:
        return input("why? > ").strip() or "not what we look for"
    except EOFError:
        return "not what we look for"


async def _write(workspace: Workspace, said: Sequence[Said]) -> None:
    by, assets = Actor.operator(), workspace.profile.policies.approve_assets
    for one in said:
        if one.verb is not None:
            decision = Decision(one.verb, by, one.reason, approve_assets=assets)
            await decisions.decide(workspace.db, decision, [Target(one.domain)])


def _names(said: Sequence[Said]) -> str:
    return ", ".join(show.domain_name(one.domain) for one in said) or "none"
