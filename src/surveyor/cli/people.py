"""Commands for accounts and tokens. A password is asked for or read from a pipe, never an argument."""

from __future__ import annotations

import getpass
import sys
from contextlib import closing
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import App, Parameter

from surveyor.cli import runtime, show
from surveyor.cli.ids import full_id
from surveyor.cli.listing import Column, Json, Limit, Listing
from surveyor.errors import UsageError
from surveyor.people import Hasher, Scope, Token, User, service
from surveyor.registry.actors import Actor, Role

user_app = App(name="user", help="People who log in.", version_flags=[])
token_app = App(name="token", help="Keys for programs that use the API.", version_flags=[])

_USERS: Listing[User] = Listing(
    (
        Column("NAME", lambda user: user.name),
        Column("ROLE", lambda user: user.role),
        Column("PASSWORD", lambda user: "yes" if user.has_password else "no"),
        Column("SINCE", lambda user: show.when(user.created_at)),
        Column("STATE", lambda user: "disabled" if user.disabled_at else "active"),
    )
)
_TOKENS: Listing[Token] = Listing(
    (
        Column("ID", lambda token: str(token.id)),
        Column("USER", lambda token: token.user),
        Column("LABEL", lambda token: token.label),
        Column("SCOPE", lambda token: token.scope),
        Column("UNTIL", lambda token: show.when(token.expires_at)),
        Column("LAST USED", lambda token: show.when(token.last_used_at)),
        Column("REVOKED", lambda token: show.when(token.revoked_at)),
    )
)

_Name = Annotated[str, Parameter(help="The name to log in with.")]


@user_app.command
def add(
    name: _Name,
    *,
    role: Annotated[Role, Parameter(help="admin: everything; reviewer: decide and see; submitter: submit.")],
    no_password: Annotated[
        bool, Parameter(negative="", help="Tokens only; nobody can log in under this name.")
    ] = False,
    json: Json = False,
) -> None:
    """Add a person; the password is asked for, or read from standard input."""
    password = None if no_password else _password()

    async def act(workspace: Any) -> User:
        with closing(Hasher()) as hasher:
            return await service.add_user(workspace.db, hasher, name, role, password, Actor.operator())

    _print_user(runtime.in_workspace(act), "added", json)


@user_app.command(name="list")
def list_users(*, limit: Limit = 100, json: Json = False) -> None:
    """List people."""

    found = runtime.in_workspace(lambda workspace: service.list_users(workspace.db, limit + 1))
    empty = "nobody yet; `surveyor user add NAME --role admin` adds the first"
    _USERS.print(found, limit, json=json, empty=empty)


@user_app.command
def disable(name: _Name, *, json: Json = False) -> None:
    """Disable an account: its sessions and tokens no longer work."""
    user = runtime.in_workspace(lambda w: service.set_disabled(w.db, name, True, Actor.operator()))
    _print_user(user, "disabled", json)


@user_app.command
def enable(name: _Name, *, json: Json = False) -> None:
    """Let a disabled account work again; its sessions stay ended."""
    user = runtime.in_workspace(lambda w: service.set_disabled(w.db, name, False, Actor.operator()))
    _print_user(user, "enabled", json)


@user_app.command
def password(name: _Name, *, json: Json = False) -> None:
    """Set a new password; all sessions of the person end."""
    given = _password()

    async def act(workspace: Any) -> User:
        with closing(Hasher()) as hasher:
            return await service.set_password(workspace.db, hasher, name, given, Actor.operator())

    _print_user(runtime.in_workspace(act), "has a new password", json)


def _print_user(user: User, what: str, json: bool) -> None:
    show.result(asdict(user), f"{user.name} ({user.role}): {what}", json=json)


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != first:
        raise UsageError("the two passwords differ; try again")
    return first


@token_app.command
def create(
    user: Annotated[str, Parameter(help="The account it acts for.")],
    *,
    label: Annotated[str, Parameter(help="What it is for.")],
    scope: Annotated[Scope, Parameter(help="What it may do; never more than the account.")] = Scope.READ,
    days: Annotated[int, Parameter(help="Days for which it is valid.")] = 90,
    json: Json = False,
) -> None:
    """Make a token. It is shown this once and never again."""

    key, token = runtime.in_workspace(
        lambda workspace: service.create_token(workspace.db, user, label, scope, days, Actor.operator())
    )
    line = f"token {token.id} of {token.user}, scope {token.scope}, until {show.when(token.expires_at)}:"
    show.result(asdict(token) | {"token": key}, line, lambda: runtime.answer(key), json=json)


@token_app.command(name="list")
def list_tokens(*, limit: Limit = 100, json: Json = False) -> None:
    """List tokens, valid ones first."""

    found = runtime.in_workspace(lambda workspace: service.list_tokens(workspace.db, limit + 1))
    empty = "no tokens; `surveyor token create USER --label L` makes one"
    _TOKENS.print(found, limit, json=json, empty=empty)


@token_app.command
def revoke(
    token: Annotated[str, Parameter(name="ID", help="The id that `surveyor token list` shows.")],
    *,
    json: Json = False,
) -> None:
    """End a token at once."""

    async def act(workspace: Any) -> Token:
        token_id = await full_id(workspace, "api_tokens", token, "token", "surveyor token list")
        return await service.revoke_token(workspace.db, token_id, Actor.operator())

    revoked = runtime.in_workspace(act)
    show.result(asdict(revoked), f"token {revoked.id} of {revoked.user} is revoked", json=json)
