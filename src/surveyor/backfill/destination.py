"""The register that something is brought into: who brings it, and what holds there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from surveyor.backfill.pages import Keeper
from surveyor.db import Database
from surveyor.names import NameRules
from surveyor.profiles.kinds import DeclaredKind
from surveyor.registry.actors import Actor


@dataclass(frozen=True, slots=True)
class Destination:
    db: Database
    by: Actor
    rules: NameRules
    yields: str  # what the profile counts as yield
    revisit: timedelta  # so far apart are visits
    keeper: Keeper = field(default_factory=Keeper)
    phone_regions: Sequence[str] = ()
    kinds: Mapping[str, DeclaredKind] = field(default_factory=dict)  # that the profile declares
