"""Reason codes, and every other word of the code that is stored, shown or given as an option."""

from __future__ import annotations

from enum import Enum
from typing import get_args

from surveyor.archive.errors import NotAnImageReason
from surveyor.net.reasons import Reason
from surveyor.registry.cooldowns import AUTOMATIC_PROBES, COOLDOWNS, Cooldown, Obstacle
from surveyor.registry.domain import Stage
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import LIFECYCLES
from tools.reference.markdown import code, page, table
from tools.reference.sources import Undescribed, defined, described

# These have pages of their own, or a part of this one.
_ELSEWHERE = {Stage, EventKind, Reason, Obstacle, *(lifecycle.states for lifecycle in LIFECYCLES)}

_NOT_AN_IMAGE = {
    "empty": "no bytes",
    "markup": "a page or an SVG document under the name of an image",
    "unknown_format": "none of the formats browsers show",
    "too_large": "more pixels than are decoded",
    "truncated": "the bytes end before the picture does",
    "damaged": "it cannot be decoded",
    "harmful": "it stopped the processes that looked at it, or took them too long",
}

# For members that have no sentence beside them in the code.
_MEANINGS = {
    "Kind": {"PDF": "A PDF document"}
    | dict.fromkeys(("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "ICO"), "An image of that format"),
    "Source": {
        "JSON_LD": "marks for programs in a script of the page",
        "MICRODATA": "marks for programs on the words of the page",
        "OPENGRAPH": "what the head of the page says to those who share it",
    },
    "ContactKind": {
        "PERSON": "a person by name",
        "EMAIL": "an address of mail",
        "PHONE": "a telephone number in E.164",
        "ADDRESS": "a postal address",
        "FORM": "a page with a form to write to them",
    },
    "Change": {
        "SAME": "in both versions",
        "ADDED": "in the newer version",
        "REMOVED": "in the older version",
        "CHANGED": "in both, with other words",
    },
    "SubmitterType": {
        "ADMIN": "an operator or a member of staff",
        "PUBLIC_USER": "somebody from outside",
        "SYSTEM": "the program itself: a search result, a link",
    },
    "WorkerKind": {
        "CLAIMING": "it takes leases",
        "PASSIVE": "an existing crawler that only reports; the two kinds never run beside each other",
    },
}


def body() -> str:
    parts = [_reasons(), _obstacles(), _images()]
    kinds = sorted(set(defined(Enum)) - _ELSEWHERE, key=lambda kind: (kind.__name__, kind.__module__))
    parts += [_words(kind) for kind in kinds if issubclass(kind, Enum) and not _is_within(kind)]
    return page("Codes", "\n\n".join(parts))


def _is_within(kind: type[Enum]) -> bool:
    """Words that readers of pages use among themselves: nothing keeps or shows them."""
    return kind.__module__.startswith("surveyor.extract.") and kind.__module__ not in _TOLD


_TOLD = tuple(f"surveyor.extract.{name}" for name in ("values", "states", "difference"))


def _reasons() -> str:
    rows = [(code(reason.value), meaning) for reason, meaning in described(Reason).items()]
    return "## Why a request failed\n\n" + table(("code", "what happened"), rows)


def _obstacles() -> str:
    rows = [(code(one.value), f"`{row.status}`", row.message, _rest(row)) for one, row in COOLDOWNS.items()]
    meaning = (
        "What keeps a domain from being crawled, and how long we stay away. A longer Retry-After is "
        f"followed. After the cooldown the domain is tried again, {AUTOMATIC_PROBES} times at most; the next "
        "block is for good, until `surveyor domain-reset`."
    )
    if missing := set(Obstacle) - set(COOLDOWNS):
        raise Undescribed(f"the obstacle {missing.pop()}", "in COOLDOWNS")
    return f"## Obstacles\n\n{meaning}\n\n" + table(("code", "state", "what happened", "cooldown"), rows)


def _rest(row: Cooldown) -> str:
    days = f"{row.rest.days} day{'s' if row.rest.days != 1 else ''}"
    return f"{days}, doubling" if row.doubles else days


def _images() -> str:
    names = get_args(NotAnImageReason)
    for name in names:
        if name not in _NOT_AN_IMAGE:
            raise Undescribed(f"NotAnImage {name}", "in tools/reference/codes.py")
    rows = [(code(name), _NOT_AN_IMAGE[name]) for name in names]
    return "## Why bytes are no image\n\n" + table(("code", "what is wrong"), rows)


def _words(kind: type[Enum]) -> str:
    meanings = described(kind, _MEANINGS.get(kind.__name__))
    rows = [(code(_shown(member)), meaning) for member, meaning in meanings.items()]
    about = f"{kind.__doc__}\n\n" if kind.__doc__ and kind.__doc__ != Enum.__doc__ else ""
    return f"## {kind.__name__}\n\n{about}In `{kind.__module__}`.\n\n" + table(("value", "meaning"), rows)


def _shown(member: Enum) -> str:
    """The stored value; of a flag, whose value is a number, the name with it."""
    return f"{member.value} {member.name}" if isinstance(member.value, int) else str(member.value)
