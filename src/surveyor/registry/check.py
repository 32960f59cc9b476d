"""Looks for states that must not occur: each finding says how often, where, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.registry.store import consistency, merge


@dataclass(frozen=True, slots=True)
class Finding:
    what: str
    count: int
    examples: list[str]
    advice: str


async def check(db: Database, canonical: Callable[[str], str]) -> list[Finding]:
    async with db.read() as tx:
        found = [
            Finding(rule.what, count, examples, rule.advice)
            for rule in consistency.RULES
            for count, examples in [await consistency.broken(tx, rule)]
            if count
        ]
        return found + await _names(tx, canonical)


async def _names(tx: AsyncConnection, canonical: Callable[[str], str]) -> list[Finding]:
    twins, bad = await merge.find_twins(tx, canonical)
    found = []
    if twins:
        names = [pair.name for pair in twins[:3]]
        found.append(
            Finding("domains under an old spelling", len(twins), names, "run `surveyor db merge-domains`")
        )
    if bad:
        found.append(
            Finding("names that are no domains", len(bad), bad[:3], "reject them, or allow hosts in [names]")
        )
    return found
