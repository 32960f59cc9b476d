"""Passwords: argon2id in threads of their own, two at a time, and the same work for names nobody has."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from surveyor.errors import Refused, UsageError

T = TypeVar("T")

SHORTEST, LONGEST = 10, 1_000  # characters; the upper end keeps a megabyte from being hashed
# One hash takes 64 MiB and some 50 ms: two at a time leave the machine its memory and one core.
_AT_ONCE = 2
# Waiting for a hash; more is an attack, and each would wait longer than a person does.
_MOST_WAITING = 40


class Hasher:
    """For one process; `close` it."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._argon = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="password")
        self._waiting = 0

    async def hash(self, password: str) -> str:
        _check(password)
        return await self._run(lambda: self._argon.hash(_normal(password)))

    async def verify(self, stored: str | None, password: str) -> bool:
        """Whether it is the one; without a stored hash it takes as long, and never is."""
        if len(password) > LONGEST:
            return False  # for every name alike
        found = await self._run(lambda: self._matches(stored or self._nobodys, password))
        return found and stored is not None

    def is_outdated(self, stored: str) -> bool:
        return self._argon.check_needs_rehash(stored)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _nobodys(self) -> str:
        return self._argon.hash("the password of nobody")

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._argon.verify(stored, _normal(password))
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, act: Callable[[], T]) -> T:
        if self._waiting >= _MOST_WAITING:
            raise Refused("too many people log in at this moment; try again in a minute")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, act)
        finally:
            self._waiting -= 1


def _check(password: str) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {SHORTEST} to {LONGEST:,} characters, not {len(password):,}")


def _normal(password: str) -> bytes:
    """The same password typed on another keyboard has the same bytes."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
