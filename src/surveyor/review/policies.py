"""What a profile lets the program decide by itself: off unless the profile says so.

A policy never overrides a person: not for a domain that was rejected, suspended or sent back
to review before, and not for one that the public named.
"""

from __future__ import annotations

from decimal import Decimal

from surveyor.db import Database
from surveyor.errors import Refused
from surveyor.profiles.model import AutoApprove
from surveyor.registry.actors import SYSTEM
from surveyor.registry.domain import Domain
from surveyor.review.decisions import Decision, Target, Verb, decide_one
from surveyor.review.store import domains as store

_PAGE = 500


async def auto_approve(db: Database, policy: AutoApprove, *, approve_assets: bool = False) -> list[Domain]:
    """Approve what the policy covers, each recorded as decided by `system`; returns what was approved."""
    approved: list[Domain] = []
    after = 0
    while policy.enabled:
        async with db.read() as tx:
            found = await store.undecided(tx, after, _PAGE, policy.from_confidence, policy.suffixes)
        for no, name, confidence in found:
            after = no
            reason = _reason(policy, name, confidence)
            decision = Decision(Verb.APPROVE, SYSTEM, reason, approve_assets=approve_assets)
            try:
                approved.append(await decide_one(db, decision, Target(name)))
            except Refused:
                continue  # a person was quicker
        if len(found) < _PAGE:
            break
    return approved


def _reason(policy: AutoApprove, name: str, confidence: Decimal | None) -> str:
    if policy.from_confidence is not None and confidence is not None and confidence >= policy.from_confidence:
        return f"policy: confidence {confidence} reaches {policy.from_confidence}"
    suffix = next(each for each in policy.suffixes if name == each or name.endswith(f".{each}"))
    return f"policy: names under {suffix}"
