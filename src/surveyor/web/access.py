"""Authentication and authorisation: the session of a browser, or the token of a program. Decided only here.

A browser shows its session in a cookie and proves with every change that the form came from one
of our pages: the Origin is ours, and the form carries a value that only our pages know. A program
shows a token in a header. The session of a browser also reads what programs read, so that a list can be
followed there from its page; it changes nothing that way, and a page of another site cannot ask with it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from fastapi import Request

from surveyor.people import Scope, User, service
from surveyor.people.users import ALLOWS, RIGHTS
from surveyor.registry.actors import Actor, Role
from surveyor.web.errors import ForgedRequest, NotAllowed, NotLoggedIn, SessionEnded
from surveyor.web.forms import Form
from surveyor.web.state import state_of

SESSION, VISIT = "surveyor_session", "surveyor_visit"
TOKEN_FIELD = "csrf"  # noqa: S105 - the name of a form field
_SAFE = ("GET", "HEAD")
# Where browsers say that a request comes from: one of our pages, or somebody who typed the address.
_OURS = ("same-origin", "none")
_FORM = "application/x-www-form-urlencoded"
# A cookie of ours is 43 characters; a longer one is nobody's.
_LONGEST_KEY = 64
# The largest role whose mark is among the scopes; whoever may only read changes nothing as a submitter.
_ROLES = (
    (Role.ADMIN, Scope.ADMIN),
    (Role.REVIEWER, Scope.REVIEW),
    (Role.SUBMITTER, Scope.SUBMIT),
    (Role.SUBMITTER, Scope.READ),
)


@dataclass(frozen=True, slots=True)
class Who:
    """Whoever asks, with what they may do."""

    user: User | None = None
    scopes: frozenset[Scope] = frozenset()
    key: str = field(default="", repr=False)  # of the session, or of the visit of somebody unknown

    @property
    def actor(self) -> Actor:
        """The person; as large a role as the session or the token gives, which may be less than theirs."""
        if self.user is None:
            raise NotLoggedIn
        return Actor(self.user.name, next(role for role, scope in _ROLES if scope in self.scopes))

    @property
    def form_token(self) -> str:
        """Known to pages that were made for this session or visit, and to nobody else."""
        return hmac.new(self.key.encode(), b"surveyor form", hashlib.sha256).hexdigest()

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes

    def require(self, needs: Scope | None) -> None:
        if needs is None or self.may(needs):
            return
        if self.user is None:
            raise NotLoggedIn
        raise NotAllowed(self.user.name, needs.value)


def who(request: Request) -> Who:
    """Whoever was let in."""
    found: Who = request.state.who
    return found


def user(request: Request) -> User:
    """The account behind a request of a route that needs a login."""
    found = who(request).user
    assert found is not None
    return found


def form(request: Request) -> Form:
    """What was posted, after the proof that it came from one of our pages."""
    found: Form = request.state.form
    return found


async def admit_browser(request: Request, needs: Scope | None) -> None:
    """Let a browser in, or raise why not. A change is read only after its proof."""
    visitor = await visitor_of(request)
    request.state.who = visitor
    if request.method not in _SAFE:
        _check_origin(request)
        posted = await _read_form(request)
        if not hmac.compare_digest(posted.one(TOKEN_FIELD).encode(), visitor.form_token.encode()):
            was_logged_in = needs is not None or bool(request.cookies.get(SESSION))
            if visitor.user is None and was_logged_in:
                raise SessionEnded
            raise ForgedRequest("its form is not of this session")
        request.state.form = posted
    visitor.require(needs)


async def admit_program(request: Request, needs: Scope | None) -> None:
    """Let a program in by its token, or a browser that only reads by its session, or raise why not."""
    shown = request.headers.get("authorization")
    if shown is not None:
        request.state.who = await _bearer(request, shown)
    else:
        request.state.who = await visitor_of(request) if _only_reads(request) else Who()
    who(request).require(needs)


async def _bearer(request: Request, shown: str) -> Who:
    kind, _, key = shown.partition(" ")
    if kind.lower() == "bearer":
        bearer = await service.bearer_of(state_of(request).db, key.strip())
        if bearer is not None:
            return Who(bearer.user, RIGHTS[bearer.user.role] & ALLOWS[bearer.scope])
    return Who()


def _only_reads(request: Request) -> bool:
    """No header of ours lets another site read an answer; a preflight request is refused."""
    return request.method in _SAFE and request.headers.get("sec-fetch-site", "none") in _OURS


async def visitor_of(request: Request) -> Who:
    """Whoever the cookies say it is; somebody unknown gets the key of a new visit."""
    key = request.cookies.get(SESSION, "")
    if key and len(key) <= _LONGEST_KEY:
        session = await service.session_of(state_of(request).db, key)
        if session is not None:
            return Who(session.user, RIGHTS[session.user.role], key)
    visit = request.cookies.get(VISIT, "")
    return Who(key=visit if 20 <= len(visit) <= _LONGEST_KEY else secrets.token_urlsafe(32))


def _check_origin(request: Request) -> None:
    """Browsers name where a form came from; ours is the host that was asked."""
    origin = request.headers.get("origin") or request.headers.get("referer")
    if not origin:
        raise ForgedRequest("the browser did not say where it came from")
    try:
        parts = urlsplit(origin)
    except ValueError:  # half an IPv6 address is one
        raise ForgedRequest("the browser did not say where it came from") from None
    if parts.scheme != request.url.scheme or parts.netloc.lower() != request.headers.get("host", "").lower():
        raise ForgedRequest("it came from another site")


async def _read_form(request: Request) -> Form:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise ForgedRequest("it is not a form")
    return Form.parse(await request.body())
