"""Splits a group that the database refuses, so that one page does not keep the others from being written.

An outbox is cut into pieces that stand for one URL each: the page, its links and its images, or one
image. Pieces that can be written are. The failure of another is counted in the database; the third
quarantines its URL, which nobody fetches again until a person asks for it. Links that a quarantined
page alone knew are lost with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

from surveyor import logs
from surveyor.crawl.group_writer import UNWRITABLE, GroupWriter, Part
from surveyor.crawl.images.outbox import ImageBox, ImageResult
from surveyor.crawl.member import Delivery, Member, Outbox
from surveyor.crawl.results import PageReason, PageResult
from surveyor.crawl.store.failures import ATTEMPTS

_MOST_INT = (1 << 31) - 1

T = TypeVar("T")

log = logs.get("crawl")


async def write_apart(writer: GroupWriter, batch: Sequence[Part], error: Exception) -> dict[int, Delivery]:
    """Each domain of a refused group alone. One that is missing in the answer begins anew."""
    if len(batch) == 1:
        await _write_pieces(writer, batch[0], error)
        return {}
    found: dict[int, Delivery] = {}
    for part in batch:
        try:
            found |= await writer.write([part])
        except UNWRITABLE as refused:
            await _write_pieces(writer, part, refused)
    return found


async def _write_pieces(writer: GroupWriter, part: Part, error: Exception) -> None:
    """Page by page. The visit ends here: what it takes for written may be in the piece that is not."""
    member = part.member
    log.error("group refused; written page by page", domain_no=member.no, error=str(error))
    for piece in pieces(part.box):
        try:
            await writer.write([Part(member, piece.box)])
        except UNWRITABLE as refused:
            await _note_refused(writer, member, piece.subject, refused)


async def _note_refused(
    writer: GroupWriter, member: Member, subject: PageResult | ImageResult | None, error: Exception
) -> None:
    if subject is None:
        log.error("rows of a domain not written", domain_no=member.no, error=str(error))
        return
    kind = _kind(subject)
    tries = await writer.count_refused(member, kind, subject.key, error)
    if tries:
        log.error(f"{kind} not written", url=subject.url, tries=tries, error=str(error))
    if tries >= ATTEMPTS:
        await _quarantine(writer, member, subject)


async def _quarantine(writer: GroupWriter, member: Member, subject: PageResult | ImageResult) -> None:
    fullest, least = quarantined(subject)
    try:
        await writer.write([Part(member, fullest)])
    except UNWRITABLE:
        await writer.write([Part(member, least)])
    log.error(f"{_kind(subject)} quarantined", url=subject.url)


def _kind(subject: PageResult | ImageResult) -> Literal["image", "page"]:
    return "image" if isinstance(subject, ImageResult) else "page"


class Piece(NamedTuple):
    box: Outbox
    subject: PageResult | ImageResult | None
    """The URL that answers for it; none: what is lost with it is found again."""


def pieces(box: Outbox) -> Iterator[Piece]:
    """The outbox in parts that can be written one without the other; nothing is taken by any of them."""
    yield from _page_pieces(box)
    images = box.images
    for image in images.results:
        yield Piece(Outbox(images=ImageBox(results=[image])), image)
    pages = {result.key for result in box.results}
    yield from (Piece(Outbox(robots=[row]), None) for row in box.robots)
    yield from (Piece(Outbox(added=[url]), None) for url in box.added if url.found_on not in pages)
    yield from (Piece(Outbox(named=[named]), None) for named in box.named)
    others = [seen for seen in images.sightings if seen.page_key not in pages]
    yield from (Piece(Outbox(images=ImageBox(sightings=[seen])), None) for seen in others)
    yield Piece(_rest(box, pages), None)


def _page_pieces(box: Outbox) -> Iterator[Piece]:
    links = _by_key((url.found_on, url) for url in box.added)
    shown = _by_key((seen.page_key, seen) for seen in box.images.sightings)
    unchanged = _by_key((same[0], same) for same in box.images.unchanged)
    for result in box.results:
        # Only once, though a URL that moved to another scheme may have ended twice.
        key = result.key
        images = ImageBox(sightings=shown.pop(key, []), unchanged=unchanged.pop(key, []))
        yield Piece(Outbox(results=[result], added=links.pop(key, []), images=images), result)


def _by_key(found: Iterator[tuple[int | None, T]]) -> dict[int | None, list[T]]:
    sorted_: dict[int | None, list[T]] = defaultdict(list)
    for key, value in found:
        sorted_[key].append(value)
    return sorted_


def _rest(box: Outbox, pages: set[int]) -> Outbox:
    """Counts, and what goes back: numbers of ours, which can always be written."""
    images = ImageBox(
        given_back=box.images.given_back,
        unchanged=[same for same in box.images.unchanged if same[0] not in pages],
    )
    return Outbox(
        given_back=box.given_back,
        images=images,
        unused=box.unused,
        errors=box.errors,
        extra_bytes=box.extra_bytes,
        seconds=box.seconds,
    )


def quarantined(subject: PageResult | ImageResult) -> Sequence[Outbox]:
    """What is written of a URL that was refused too often: that it was asked for; at the least, its end."""
    if isinstance(subject, ImageResult):
        image = ImageResult(subject.key, subject.url, "ended", subject.fetched_at, PageReason.QUARANTINED)
        image.status, image.bytes, image.ms = subject.status, _int(subject.bytes), _int(subject.ms)
        unlogged = replace(image, was_fetched=False, status=None)
        return [Outbox(images=ImageBox(results=[one])) for one in (image, unlogged)]
    page = PageResult(subject.key, subject.url, subject.target, subject.depth, "ended", subject.fetched_at)
    page.reason, page.status, page.past = PageReason.QUARANTINED, subject.status, subject.past
    page.bytes, page.ms = _int(subject.bytes), _int(subject.ms)
    page.was_fetched, page.kind = subject.was_fetched, subject.kind
    return [Outbox(results=[one]) for one in (page, replace(page, was_fetched=False, status=None))]


def _int(value: int) -> int:
    return min(max(0, value), _MOST_INT)
