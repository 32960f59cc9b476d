"""Hosts of images: registered, approved along with a domain for images only, and never longer than it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from surveyor.db import Database
from surveyor.registry import assets, service
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import assets as store
from surveyor.registry.store import changes, rows
from tests.support.registry_help import ADMIN, add_domain, get

R = ReviewStatus


async def _noted(db: Database, domain: Domain, *hosts: str, approve: bool = False) -> Sequence[int]:
    async with db.write() as tx:
        found = await assets.note_hosts(tx, domain.no, hosts, approve=approve)
    return [found[host] for host in hosts if host in found]


async def _review(db: Database, no: int, *steps: ReviewStatus, **known: bool) -> None:
    async with db.write() as tx:
        for step in steps:
            await changes.advance_review(tx, no, step, ADMIN, reason="because", **known)


async def _is_images_only(db: Database, no: int) -> bool:
    async with db.read() as tx:
        return await store.is_images_only(tx, no)


async def test_a_host_of_images_waits_for_a_decision_and_is_shown_with_its_domain(db: Database) -> None:
    domain = await add_domain(db, "a.example")
    (no,) = await _noted(db, domain, "cdn.example")
    assert await _noted(db, domain, "cdn.example") == [no], "known the second time"
    host = await get(db, no)
    assert (host.source, host.review_status, host.due_at) == ("asset:a.example", R.PENDING_REVIEW, None)
    (shown,) = (await service.domain_info(db, "a.example", 1)).assets
    assert (shown.host, shown.review_status, shown.images_only) == ("cdn.example", "pending_review", False)


async def test_approving_a_domain_takes_its_hosts_along_only_if_asked_to(db: Database) -> None:
    domain = await add_domain(db, "a.example", approved=False)
    (no,) = await _noted(db, domain, "cdn.example")
    await _review(db, domain.no, R.APPROVED)
    assert (await get(db, no)).review_status is R.PENDING_REVIEW
    await _review(db, domain.no, R.SUSPENDED)
    await _review(db, domain.no, R.APPROVED, approve_assets=True)
    host = await get(db, no)
    assert (host.review_status, host.reviewed_by) == (R.APPROVED, ADMIN.name)
    assert host.due_at is not None and await _is_images_only(db, no)
    told = (await service.domain_info(db, "cdn.example", 5)).events[0]
    assert (told.to_state, told.reason) == ("approved", "images of a.example")


async def test_what_a_person_decided_on_a_host_is_not_undone_by_the_policy(db: Database) -> None:
    domain = await add_domain(db, "a.example")
    own = await add_domain(db, "own.example", approved=False)
    numbers = await _noted(db, domain, "no.example", "own.example")
    assert numbers[1] == own.no
    await _review(db, numbers[0], R.REJECTED)
    assert await _noted(db, domain, "no.example", "own.example", approve=True) == [own.no]
    assert (await get(db, numbers[0])).review_status is R.REJECTED
    assert (await get(db, own.no)).review_status is R.PENDING_REVIEW, "it is known for more than images"


@pytest.mark.parametrize("end", [R.SUSPENDED, R.PENDING_REVIEW, "blacklisted"])
async def test_a_host_loses_its_permission_with_the_last_domain_that_gave_it(db: Database, end: str) -> None:
    first, second = await add_domain(db, "a.example"), await add_domain(db, "b.example")
    (no,) = await _noted(db, first, "cdn.example", approve=True)
    await _noted(db, second, "cdn.example", approve=True)

    async def withdraw(domain: Domain) -> None:
        if end == "blacklisted":
            async with db.write() as tx:
                await changes.advance_quality(
                    tx, domain.no, QualityStatus.BLACKLISTED, ADMIN, reason="opt out"
                )
        else:
            await _review(db, domain.no, R(end))

    epoch = (await get(db, no)).lease_epoch
    await withdraw(first)
    assert (await get(db, no)).review_status is R.APPROVED
    await withdraw(second)
    host = await get(db, no)
    assert (host.review_status, host.due_at) == (R.PENDING_REVIEW, None)
    assert host.lease_epoch > epoch, "whoever crawls it now stops"
    assert not await _is_images_only(db, no)


async def test_a_host_that_a_person_approves_is_a_domain_like_any_other(db: Database) -> None:
    domain = await add_domain(db, "a.example")
    (no,) = await _noted(db, domain, "cdn.example", approve=True)
    await _review(db, no, R.SUSPENDED)
    await _review(db, no, R.APPROVED)
    assert await _is_images_only(db, no), "resumed as it was"
    await _review(db, no, R.PENDING_REVIEW, R.APPROVED)
    assert not await _is_images_only(db, no)
    await _review(db, domain.no, R.SUSPENDED)
    assert (await get(db, no)).review_status is R.APPROVED, "its permission is its own"


async def test_pages_that_name_ever_new_hosts_do_not_fill_the_register(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "MOST_HOSTS", 5)
    domain = await add_domain(db, "a.example")
    for batch in range(3):
        await _noted(db, domain, *(f"i{batch}-{index}.example" for index in range(3)))
    async with db.read() as tx:
        assert await store.count(tx, domain.no) == 5
        assert await rows.find(tx, "i2-0.example") is None
