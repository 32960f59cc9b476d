"""What a visit wants of its frontier, as values: collected while it runs, applied in one go."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from surveyor.frontier.revisits import Past

# Ranks, lower first. A person's submission goes before what links brought.
RANK_FIRST, RANK_NORMAL, RANK_LATER = RANKS = (0, 1, 2)


class UrlKind(IntEnum):
    """What a URL is taken for: part of its entry, so it survives what the entry survives."""

    # A higher kind wins where a URL was found as two. Images wait in a table of their own.
    PAGE = 0  # something to read, until it turns out otherwise
    SITEMAP = 1  # named by robots.txt, at the usual place, or known by its looks
    NESTED_SITEMAP = 2  # named by a sitemap
    INNERMOST_SITEMAP = 3  # named by a nested one; sitemaps that it names are not followed
    FEED = 4  # names what is new

    @property
    def is_list(self) -> bool:
        """It names pages, and is none."""
        return self is not UrlKind.PAGE

    @property
    def of_children(self) -> UrlKind | None:
        """What the sitemaps are that it names; None: they are not followed. The protocol has one level."""
        return _CHILDREN.get(self)


_CHILDREN = {
    UrlKind.SITEMAP: UrlKind.NESTED_SITEMAP,
    UrlKind.NESTED_SITEMAP: UrlKind.INNERMOST_SITEMAP,
}
# By their numbers; quicker than the enum's own look-up, and done once per URL.
KINDS = tuple(UrlKind)


class NewUrl(NamedTuple):
    """A URL of the domain that was found; whether it is new is for the frontier to say."""

    key: int
    target: str
    depth: int
    rank: int
    found_on: int | None
    cut: str | None = None  # known, but not to be fetched: the reason
    kind: UrlKind = UrlKind.PAGE


class GivenBack(NamedTuple):
    """A URL that was taken and goes back: it failed for a passing reason, or there was no time."""

    key: int
    attempts: int
    to_the_end: bool


class Taken(NamedTuple):
    """A URL in the visit's hands, under its epoch."""

    key: int
    target: str
    depth: int
    rank: int
    attempts: int
    suspect: int
    etag: str | None
    last_modified: str | None
    past: Past | None = None  # of a URL that was looked at before
    kind: UrlKind = UrlKind.PAGE


@dataclass(slots=True)
class DomainChanges:
    """Changes of one domain's frontier under one epoch."""

    no: int
    epoch: int
    added: list[NewUrl] = field(default_factory=list)
    given_back: list[GivenBack] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)  # keys whose rows in `pages` were written
    want: int = 0  # URLs to take

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.given_back or self.finished or self.want)


class Applied(NamedTuple):
    """What the transaction counts. What a frontier learns only after it is counted by the next one."""

    new: int = 0  # URLs that were not known before and wait now
    waiting: int = 0  # how many more wait than before
    charged: int = 0  # URLs taken; where that is not known yet, those wanted, put right by the next
    taken: Sequence[Taken] = ()
    checkpoint: str | None = None  # the name under which the frontier is found again


class Opened(NamedTuple):
    """A frontier under a new epoch."""

    is_new: bool  # the domain has no URL yet
    returned: int  # URLs the last holder had in flight
    quarantined: int  # of these, pages that killed their process three times while alone
    waiting: int | None = None  # URLs that wait now; None: the returned ones more than before
    found: int = 0  # of these, URLs that no transaction has counted


# Links of a fetched page are one compressed value, as `page_links` keeps them.
# They compress well anyhow, and this is paid per page.
_ZLIB_LEVEL = 1


def pack_links(links: Sequence[str], foreign: Sequence[str]) -> bytes:
    """Targets of the domain begin with a slash, foreign links with their scheme."""
    return zlib.compress("\n".join([*links, *foreign]).encode(), _ZLIB_LEVEL)


def unpack_links(data: bytes) -> tuple[list[str], list[str]]:
    """Targets of the domain, and foreign links."""
    text = zlib.decompress(data).decode()
    every = text.split("\n") if text else []
    return [link for link in every if link.startswith("/")], [
        link for link in every if not link.startswith("/")
    ]
