"""Mail addresses: one, plain, and without anything that could reach a header or a second recipient."""

from __future__ import annotations

import re
from typing import Final

from surveyor.errors import BadInput, NotADomain
from surveyor.names import NameRules, canonical_domain

# What mail servers agree on, without quotes and comments; 64 characters, as RFC 5321 has it.
_LOCAL: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LONGEST, _LONGEST_LOCAL = 254, 64
# A host keeps its www; the rules for domains of the register drop it.
_RULES: Final = NameRules()


def parse_address(text: str) -> str:
    """The address with its domain in one spelling, or BadInput."""
    local, at, host = text.strip().rpartition("@")
    wrong = BadInput("a mail address is like name@example.org")
    if not at or len(local) > _LONGEST_LOCAL or not _LOCAL.fullmatch(local):
        raise wrong
    if any(mark in host for mark in "/:?#[]") or host.lower().startswith("www."):
        raise wrong
    try:
        found = f"{local}@{canonical_domain(host, _RULES)}"
    except NotADomain:
        raise wrong from None
    if len(found) > _LONGEST:
        raise wrong
    return found
