"""What a visit wants written about images: part of its outbox until the next group commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from surveyor.frontier.changes import GivenBack, Taken
from surveyor.names import PageUrl

if TYPE_CHECKING:  # it loads Pillow
    from surveyor.archive.images import ImageFacts


class Sighting(NamedTuple):
    """A page of the visit's domain shows this image."""

    host: str | None  # the image's own, as a domain; None: the visit's
    key: int
    target: str
    url: str
    page_key: int
    alt: str
    seen_at: datetime


@dataclass(slots=True)
class ImageResult:
    """One URL of an image, finished. `state` is done or ended."""

    key: int
    url: str
    state: str
    fetched_at: datetime
    reason: str | None = None
    detail: str | None = None
    status: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    data: bytes | None = None  # of an image, until it is safe on disk
    bytes: int = 0
    ms: int = 0
    size: int = 0  # of the image itself, in bytes
    facts: ImageFacts | None = None
    file: str | None = None  # where it lies then
    signals: str | None = None  # what the answer's headers say about rights
    moved_to: PageUrl | None = None
    moved_host: str | None = None  # as in a sighting
    hops: int = 0  # redirects up to `moved_to`
    was_fetched: bool = True


@dataclass(slots=True)
class ImageBox:
    sightings: list[Sighting] = field(default_factory=list)
    results: list[ImageResult] = field(default_factory=list)
    given_back: list[GivenBack] = field(default_factory=list)
    unchanged: list[tuple[int, datetime]] = field(default_factory=list)  # pages that show what they showed
    want: int = 0  # URLs of images to take next
    taken: list[Taken] = field(default_factory=list)  # the answer; written by the commit

    def __bool__(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.sightings or self.results or self.given_back or self.unchanged or self.want)

    def foreign_hosts(self) -> set[str]:
        """Every other host whose images are to be queued."""
        found = {sighting.host for sighting in self.sightings}
        found |= {result.moved_host for result in self.results}
        return {host for host in found if host is not None}
