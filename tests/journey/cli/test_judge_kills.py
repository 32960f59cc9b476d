"""Death while judging: nothing stays in `processing`, nothing is judged twice, nothing is left out."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import candidates, domains, events, search_results
from surveyor.process.failpoints import JUDGING
from surveyor.registry.events import EventKind
from surveyor.settings import DatabaseSettings
from tests.support.cli_help import fork, surveyor
from tests.support.in_thread import in_thread
from tests.support.searchweb import SearchWeb

_DOMAINS = [f"oak{number}-foundation.org" for number in range(4)]
_OFFER = ("Education grants for schools in Bulgaria | Oak Foundation", "Apply for a grant by 1 May.")


@pytest.fixture
def settings(db_url: str) -> Iterator[dict[str, str]]:
    """A search that finds four domains with two results each."""
    with in_thread(SearchWeb.serve) as web:
        web.rows = _rows
        yield web.settings("brave") | {"SURVEYOR_DATABASE__URL": db_url}


def _rows(_provider: str, query: str) -> list[tuple[str, str, str]]:
    return [(f"https://{name}/{query}", *_OFFER) for name in _DOMAINS]


@pytest.mark.parametrize("point", sorted(JUDGING))
def test_judging_that_was_killed_is_finished_by_the_next_one(
    tmp_path: Path, settings: dict[str, str], point: str
) -> None:
    workspace = _found(tmp_path, settings)
    _killed(workspace, settings, point, "judge")
    judged = sum(asyncio.run(_look(workspace, settings)).judged.values())
    assert judged == (4 if point == "in_judging" else 6), "two domains, and the third if it was committed"
    assert surveyor("judge", "--json", workspace=workspace, **settings).json["processed"] == 8 - judged
    _all_judged_once(workspace, settings)


def test_a_search_killed_while_it_judges_has_its_results_judged_by_the_next_command(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    workspace = tmp_path / "ws"
    assert surveyor("init", workspace, **settings).code == 0
    _killed(workspace, settings, "in_judging", "search", "foo", "bar")
    (session,) = surveyor("sessions", "--json", workspace=workspace, **settings).json
    assert (session["status"], session["results_found"]) == ("completed", 8), "judging comes after its end"
    assert surveyor("judge", "--json", workspace=workspace, **settings).json["processed"] == 4
    _all_judged_once(workspace, settings)


def _found(tmp_path: Path, settings: dict[str, str]) -> Path:
    workspace = tmp_path / "ws"
    assert surveyor("init", workspace, **settings).code == 0
    assert surveyor("search", "foo", "bar", "--no-judge", workspace=workspace, **settings).code == 0
    return workspace


def _killed(workspace: Path, settings: dict[str, str], point: str, *command: str) -> None:
    """Run a command that dies while it judges the third domain, or right after."""
    doomed = fork(*command, workspace=workspace, SURVEYOR_FAILPOINT=f"{point}:3", **settings)
    _, err = doomed.communicate(timeout=200)
    assert doomed.returncode == -signal.SIGKILL, err


class _Register:
    """What judging left behind."""

    def __init__(self) -> None:
        self.states: Counter[str] = Counter()
        self.times: list[int] = []
        self.judged: Counter[int] = Counter()
        self.candidates: Counter[int] = Counter()
        self.moves: Counter[int] = Counter()


async def _look(workspace: Path, settings: dict[str, str]) -> _Register:
    db = Database.open(DatabaseSettings(url=settings["SURVEYOR_DATABASE__URL"]), workspace)
    found = _Register()
    try:
        async with db.read() as tx:
            for row in await tx.execute(select(domains.c.quality_status, domains.c.processing_count)):
                found.states[row.quality_status] += 1
                found.times.append(row.processing_count)
            judged = select(search_results.c.domain_no).where(search_results.c.judged_at.is_not(None))
            found.judged.update((await tx.execute(judged)).scalars())
            found.candidates.update((await tx.execute(select(candidates.c.domain_no))).scalars())
            moves = select(events.c.domain_no).where(events.c.kind == EventKind.QUALITY_CHANGED)
            found.moves.update((await tx.execute(moves)).scalars())
    finally:
        await db.close()
    assert "processing" not in found.states
    return found


def _all_judged_once(workspace: Path, settings: dict[str, str]) -> None:
    found = asyncio.run(_look(workspace, settings))
    assert found.states == {"processed_high_quality": len(_DOMAINS)}
    assert found.times == [1] * len(_DOMAINS)
    assert sorted(found.judged.values()) == [2] * len(_DOMAINS)
    assert sorted(found.candidates.values()) == [1] * len(_DOMAINS)
    assert len(set(found.moves.values())) == 1, "each domain went the same way"
    assert surveyor("judge", "--json", workspace=workspace, **settings).json["processed"] == 0
