"""Who may do what, as values: a person, the session of a browser, the token of a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from surveyor.registry.actors import Actor, Role


class Scope(StrEnum):
    """What a token may do; never more than its owner may."""

    READ = "read"  # see everything, change nothing
    SUBMIT = "submit"  # name domains and URLs
    REVIEW = "review"  # read, submit, and decide
    ADMIN = "admin"  # everything


# What a token of each scope lets through.
ALLOWS: dict[Scope, frozenset[Scope]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.SUBMIT: frozenset({Scope.SUBMIT}),
    Scope.REVIEW: frozenset({Scope.READ, Scope.SUBMIT, Scope.REVIEW}),
    Scope.ADMIN: frozenset(Scope),
}
# What each role may do, in the same words.
RIGHTS: dict[Role, frozenset[Scope]] = {
    Role.SUBMITTER: ALLOWS[Scope.SUBMIT],
    Role.REVIEWER: ALLOWS[Scope.REVIEW],
    Role.ADMIN: ALLOWS[Scope.ADMIN],
}


@dataclass(frozen=True, slots=True)
class User:
    id: UUID
    name: str
    role: Role
    has_password: bool
    created_at: datetime
    created_by: str
    disabled_at: datetime | None

    @property
    def actor(self) -> Actor:
        return Actor(self.name, self.role)

    def may(self, scope: Scope) -> bool:
        return self.disabled_at is None and scope in RIGHTS[self.role]


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that logged in; `key` is given out once and kept nowhere."""

    user: User
    expires_at: datetime
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    id: UUID
    user: str
    label: str
    scope: Scope
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whoever showed a token that holds: the person, narrowed to the token's scope."""

    user: User
    scope: Scope

    def may(self, scope: Scope) -> bool:
        return self.user.may(scope) and scope in ALLOWS[self.scope]
