"""A draft of the profile on decided domains, made active, refused and taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import select

from surveyor import settings, workspaces
from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.db.tables import events
from surveyor.errors import BadProfile, NotFound, ProfileMismatch, Refused
from surveyor.judge.comparison import compare
from surveyor.judge.panel import Panel
from surveyor.operations import profile_change
from surveyor.profiles import files, loader
from surveyor.registry import service
from surveyor.review.decisions import Decision, Target, Verb, decide
from tests.support.judge_help import add_results, add_session, found_domain
from tests.support.registry_help import ADMIN

FUNDING = files.read("funding")
# The same with a threshold that nothing reaches.
STRICT = FUNDING.replace(b"threshold = 0.60", b"threshold = 0.99")


@pytest_asyncio.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    await workspaces.make(tmp_path / "w", "funding")
    async with open_workspace(tmp_path / "w") as opened:
        yield opened


async def _changes(workspace: Workspace) -> list[dict[str, str]]:
    async with workspace.db.read() as tx:
        query = select(events.c.data).where(events.c.kind == "ProfileChanged").order_by(events.c.id)
        return [dict(data) for data in (await tx.execute(query)).scalars()]


async def test_a_draft_says_which_decided_domains_change_sides(workspace: Workspace) -> None:
    db, session = workspace.db, await add_session(workspace.db)
    for name, title in (
        ("fund.example", "Grants for villages in Bulgaria: apply for funding by 30 June"),
        ("shop.example", "Buy shoes online"),
    ):
        await add_results(db, await found_domain(db, name), session, [title])
    present = Panel(workspace.profile)
    assert await compare(db, present, present) is None, "nobody decided yet"
    await decide(db, Decision(Verb.REJECT, ADMIN, "a shop"), [Target("shop.example")])
    await decide(db, Decision(Verb.APPROVE, ADMIN), [Target("fund.example")])
    same = await compare(db, present, present)
    assert same is not None and not same.flips and same.before == same.after
    strict = await compare(db, present, Panel(loader.parse(STRICT, "draft")))
    assert strict is not None
    assert [(flip.domain, flip.wanted, flip.is_high, flip.is_right) for flip in strict.flips] == [
        ("fund.example", True, False, False)
    ]
    assert (strict.before.recall, strict.after.recall) == (1.0, 0.0)


async def test_a_draft_is_made_active_and_the_one_before_it_can_be_taken_again(workspace: Workspace) -> None:
    folder, before = workspace.path, workspace.profile
    named = await profile_change.activate(workspace.db, folder, STRICT, before, ADMIN)
    workspace.take_profile(named)
    assert str(workspace.profile.threshold) == "0.99"
    assert settings.load(folder).profile == "profile.toml" == named
    assert (folder / "profile.toml").read_bytes() == STRICT
    assert settings.load(folder).model_copy(update={"profile": "funding"}) == workspace.settings.model_copy(
        update={"profile": "funding"}
    ), "no other setting changed"
    await service.require_profile(workspace.db, workspace.profile.name, workspace.profile.hash)
    (kept,) = profile_change.kept(folder)
    assert (kept.name, kept.hash) == ("funding", before.hash[:12])
    text = profile_change.kept_text(folder, kept.file)
    assert text == FUNDING
    back = await profile_change.activate(workspace.db, folder, text, workspace.profile, ADMIN)
    workspace.take_profile(back)
    assert (back, settings.load(folder).profile) == ("funding", "funding"), "by its name, as it was"
    await service.require_profile(workspace.db, workspace.profile.name, before.hash)
    assert [one.hash for one in profile_change.kept(folder)] == [
        loader.parse(STRICT, "").hash[:12],
        before.hash[:12],
    ]
    first, second = await _changes(workspace)
    assert (first["before"], first["hash"]) == (second["hash"], second["before"]) and first["profile"] == (
        "funding"
    )


async def test_what_cannot_be_taken_changes_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, present = workspace.path, workspace.profile
    file = (folder / settings.FILE_NAME).read_bytes()
    other = loader.load("community")
    with pytest.raises(BadProfile):
        await profile_change.activate(workspace.db, folder, b"title = 3", present, ADMIN)
    with pytest.raises(Refused, match="says what the present profile says"):
        await profile_change.activate(workspace.db, folder, FUNDING + b"\n# a remark\n", present, ADMIN)
    with pytest.raises(ProfileMismatch, match="meanwhile"):
        profile_change.require_seen(present, other.hash)
    with pytest.raises(Refused, match="file of the profile was changed"):
        await profile_change.activate(workspace.db, folder, STRICT, other, ADMIN)
    with pytest.raises(NotFound):
        profile_change.kept_text(folder, "../surveyor.toml")
    await service.bind_profile(workspace.db, other.name, other.hash)  # somebody else was quicker
    with pytest.raises(ProfileMismatch):
        await profile_change.activate(workspace.db, folder, STRICT, present, ADMIN)
    monkeypatch.setenv("SURVEYOR_PROFILE", "funding")
    with pytest.raises(Refused, match="environment"):
        await profile_change.activate(workspace.db, folder, STRICT, present, ADMIN)
    assert (folder / settings.FILE_NAME).read_bytes() == file and await _changes(workspace) == []
