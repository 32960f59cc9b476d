"""People: accounts with roles, passwords, web sessions, tokens for programs, and limits on tries.

Whoever asks is turned into an `Actor` of the registry; what a role may do is decided where it
is done. No secret that is handed out here is stored: only its hash is.
"""

from surveyor.people.limits import Limit, TooManyTries
from surveyor.people.passwords import Hasher
from surveyor.people.users import Scope, Session, Token, User

__all__ = ["Hasher", "Limit", "Scope", "Session", "Token", "TooManyTries", "User"]
