"""Erases a domain or a contact for good."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.registry.actors import Actor
from surveyor.review import forgetting
from surveyor.review.forgetting import Forgotten, ForgottenContact


def forget(
    subject: Annotated[str, Parameter(name="DOMAIN_OR_CONTACT", help="A domain, or an e-mail address.")],
    *,
    contact: Annotated[
        bool, Parameter(negative="", help="It is a contact of another kind: a number, a name, an address.")
    ] = False,
    yes: Annotated[
        bool, Parameter(negative="", help="Do it: what is erased cannot be brought back.")
    ] = False,
    json: Json = False,
) -> int:
    """Erase all content of a domain, or a contact, at its owner's request, and keep it out."""
    if not yes:
        return runtime.usage_error("forget erases what is known of it, in the archive too; add --yes")
    is_contact = contact or ("@" in subject and "/" not in subject)

    async def act(workspace: Any) -> Forgotten | ForgottenContact:
        from surveyor.bootstrap.workers import frontier_of

        db, rules, by = workspace.db, workspace.name_rules, Actor.operator()
        archive = workspace.path / workspace.settings.archive.path
        if is_contact:
            return await forgetting.forget_contact(db, archive, rules, subject, by)
        name = workspace.domain_name(subject)
        async with frontier_of(workspace) as frontier:
            return await forgetting.forget_domain(db, frontier, archive, rules, name, by)

    done = runtime.in_workspace(act)
    show.result(asdict(done), lambda: _print(done), json=json)
    return 0


def _print(done: Forgotten | ForgottenContact) -> None:
    if isinstance(done, ForgottenContact):
        runtime.say(
            f"forgotten: {show.count(done.contacts, 'contact')}, {show.count(done.snapshots, 'snapshot')},"
            f" {show.count(done.archive_records, 'archived response')}; it is not taken in again"
        )
        return
    rows = sum(done.rows.values())
    runtime.say(
        f"{done.domain}: forgotten, {show.count(rows, 'row')}, {show.count(done.images, 'image')} and"
        f" {show.count(done.archive_records, 'archived response')} erased; it is blacklisted (opt_out)"
    )
    if done.was_crawled:
        runtime.say("  a worker had claimed it: forget it once more when that worker has stopped")
