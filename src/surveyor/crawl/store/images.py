"""Writes a group's images: sightings, stored images with their provenance, and what each host has waiting.

All of it under locks on `domain_crawl` that the group took before, its own domains' and those of
every host it adds to. So a sighting and the storing of its image never pass each other unseen:
whichever commits last finds the other and writes the provenance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, and_, func, literal_column, select, tuple_, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.images.outbox import ImageResult, Sighting
from surveyor.db import now
from surveyor.db.bulk import converter, execute_many, insert_many, insert_new, update_many, upsert_many
from surveyor.db.tables import crawl_log, domain_crawl, image_sightings, image_urls, images, pages, provenance
from surveyor.frontier.changes import GivenBack, Taken
from surveyor.names import url_key
from surveyor.registry.lifecycle import CrawlStatus

_u, _i, _c = image_urls.c, images.c, domain_crawl.c
# Keys in one look-up; SQLite takes 32,766 values in a statement.
_AT_ONCE = 5_000
# Hosts asked for their next images in one statement.
_HOSTS_AT_ONCE = 50

# Written out, because a partial index serves only statements that name the state themselves.
_IS_WAITING = _u.state == literal_column("'waiting'")

Place = tuple[int, int]
"""A host's number and the key of a URL of it."""


class Seen(NamedTuple):
    """A sighting, with the numbers of the image's host and of the page's domain."""

    host_no: int
    page_no: int
    sighting: Sighting


# --- what waits


async def add_urls(tx: AsyncConnection, urls: Iterable[tuple[int, int, str, int]]) -> Counter[int]:
    """Host number, key, target, hops: known ones stay as they are. Returns how many wait now, by host."""
    unique = {(no, key): (no, key, target, "waiting", hops) for no, key, target, hops in urls}
    columns = ("domain_no", "key", "target", "state", "hops")
    added = await insert_new(tx, image_urls, columns, list(unique.values()), ("domain_no", "key"))
    return Counter(no for no, _ in added)


async def note_hosts(tx: AsyncConnection, added: Mapping[int, int]) -> None:
    """More waits on these hosts; one that was crawled to its end, and may be crawled, is due at once."""
    for no, count in sorted(added.items()):
        more = {"frontier_size": _c.frontier_size + count, "frontier_updated_at": now()}
        await tx.execute(update(domain_crawl).where(_c.no == no).values(more))
        at_its_end = and_(
            _c.no == no,
            _c.crawl_status == CrawlStatus.EXHAUSTED,
            _c.claimed_by.is_(None),
            _c.due_at > now(),
        )
        await tx.execute(update(domain_crawl).where(at_its_end).values(due_at=now(), ready=False))


async def take(tx: AsyncConnection, wanted: Sequence[tuple[int, int, int]]) -> dict[int, list[Taken]]:
    """Hosts (number, epoch, how many): what waits there, less often tried first."""
    found: dict[int, list[Taken]] = {no: [] for no, _, _ in wanted}
    for start in range(0, len(wanted), _HOSTS_AT_ONCE):
        some = wanted[start : start + _HOSTS_AT_ONCE]
        arms = [select(_next_of(no, want).subquery()) for no, _, want in some]
        query = arms[0] if len(arms) == 1 else union_all(*arms)
        for no, key, target, hops, attempts, etag, modified in await tx.execute(query):
            found[no].append(Taken(key, target, hops, 0, attempts, 0, etag, modified))
    marks = [(epoch, no, url.key) for no, epoch, _ in wanted for url in found[no]]
    where = "domain_no = {} AND key = {}"
    await update_many(tx, image_urls, "state = 'taken', taken_epoch = {}", marks, where)
    return found


def _next_of(no: int, want: int) -> Select[Any]:
    return (
        select(_u.domain_no, _u.key, _u.target, _u.hops, _u.attempts, _u.etag, _u.last_modified)
        .where(_u.domain_no == no, _IS_WAITING)
        .order_by(_u.attempts, _u.key)
        .limit(want)
    )


async def give_back(tx: AsyncConnection, back: Sequence[tuple[int, GivenBack]]) -> None:
    rows = [(url.attempts, no, url.key) for no, url in back]
    assigned = "state = 'waiting', taken_epoch = NULL, attempts = {}"
    await update_many(tx, image_urls, assigned, rows, "domain_no = {} AND key = {}")


async def open_host(tx: AsyncConnection, no: int) -> int:
    """What a dead holder had taken waits again; returns how many. None of them is to blame for its death:
    they are looked at in a process of their own."""
    mine = (_u.domain_no == no, _u.state == "taken")
    values = {"state": "waiting", "taken_epoch": None}
    return len((await tx.execute(update(image_urls).where(*mine).values(values).returning(_u.key))).all())


async def count_waiting(tx: AsyncConnection, numbers: Sequence[int]) -> dict[int, int]:
    """Images that wait, of those domains that have any."""
    if not numbers:
        return {}
    query = select(_u.domain_no, func.count()).where(_u.domain_no.in_(numbers), _u.state == "waiting")
    found = (await tx.execute(query.group_by(_u.domain_no))).all()
    return {row[0]: int(row[1]) for row in found}


async def with_waiting(tx: AsyncConnection, numbers: Sequence[int]) -> set[int]:
    """Which of these hosts have images waiting."""
    one = select(_u.key).where(_u.domain_no == _c.no, _IS_WAITING).correlate(domain_crawl)
    return set((await tx.execute(select(_c.no).where(_c.no.in_(numbers), one.exists()))).scalars())


async def requeue(tx: AsyncConnection, no: int) -> int:
    """Stored images wait again, with their validators; returns how many."""
    mine = (_u.domain_no == no, _u.state == "done")
    values = {"state": "waiting", "attempts": 0}
    return len((await tx.execute(update(image_urls).where(*mine).values(values).returning(_u.key))).all())


# --- sightings


async def fetched_before(tx: AsyncConnection, keys: Sequence[Place]) -> set[Place]:
    """Which of these pages a visit before this one has fetched."""
    found: set[Place] = set()
    place = tuple_(pages.c.domain_no, pages.c.key)
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        query = select(pages.c.domain_no, pages.c.key).where(place.in_(some), pages.c.fetched_at.is_not(None))
        found.update((no, key) for no, key in await tx.execute(query))
    return found


async def write_sightings(tx: AsyncConnection, seen: Sequence[Seen], again: set[Place]) -> None:
    """Which page shows which URL; images that are stored already were seen there too."""
    time = converter(tx, image_sightings.c.seen_at)
    kinds = {False: "discovery", True: "refresh"}
    rows = {}
    for host_no, page_no, s in seen:
        kind = kinds[(page_no, s.page_key) in again]
        rows[host_no, s.key, page_no, s.page_key] = (kind, s.alt, time(s.seen_at), s.url)
    columns = ("domain_no", "key", "page_no", "page_key", "discovery_type", "alt", "seen_at")
    known = ("domain_no", "key", "page_no", "page_key")
    values = [(*key, *row[:3]) for key, row in sorted(rows.items())]
    await insert_many(tx, image_sightings, columns, values, ignore_known=known)
    stored = await _stored(tx, sorted({key[:2] for key in rows}))
    shown = [
        (stored[key[:2]], *key[2:], kind, url, alt, moment)
        for key, (kind, alt, moment, url) in sorted(rows.items())
        if key[:2] in stored
    ]
    await _write_shown(tx, shown)
    latest: dict[int, Any] = {}
    for image, _, _, _, _, _, moment in shown:
        latest[image] = max(latest.get(image, moment), moment)
    await _seen_again(tx, latest)


_PROVENANCE = ("image_id", "domain_no", "page_key", "discovery_type", "url", "alt", "seen_at")


async def _write_shown(tx: AsyncConnection, rows: Sequence[tuple[Any, ...]]) -> None:
    """A page shows an image: what the first visit saw stays, what later ones see has the latest date."""
    key = _PROVENANCE[:4]
    first = [row for row in rows if row[3] == "discovery"]
    await insert_many(tx, provenance, _PROVENANCE, first, ignore_known=key)
    later = [row for row in rows if row[3] == "refresh"]
    await upsert_many(tx, provenance, _PROVENANCE, later, key, (), _LATEST)


_LATEST = (
    "seen_at = CASE WHEN excluded.seen_at > provenance.seen_at THEN excluded.seen_at"
    " ELSE provenance.seen_at END"
)


async def _stored(tx: AsyncConnection, places: Sequence[Place]) -> dict[Place, int]:
    """Images that these URLs showed last."""
    found: dict[Place, int] = {}
    place = tuple_(_u.domain_no, _u.key)
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        query = select(_u.domain_no, _u.key, _u.image_id).where(place.in_(some), _u.image_id.is_not(None))
        found.update({(no, key): image for no, key, image in await tx.execute(query)})
    return found


async def _seen_again(tx: AsyncConnection, latest: Mapping[int, Any]) -> None:
    rows = [(moment, image, moment) for image, moment in sorted(latest.items())]
    await update_many(tx, images, "last_seen_at = {}", rows, "id = {} AND last_seen_at < {}")


async def seen_unchanged(tx: AsyncConnection, found: Sequence[tuple[int, int, Any]]) -> None:
    """Pages (domain number, key, when) that have not changed still show what they showed."""
    time, p = converter(tx, _i.last_seen_at), provenance.c
    latest: dict[int, Any] = {}
    shown: dict[tuple[int, int, int], tuple[Any, ...]] = {}
    for no, key, when in found:
        moment = time(when)
        query = select(p.image_id, p.url, p.alt).where(p.domain_no == no, p.page_key == key)
        for image, url, alt in await tx.execute(query):
            latest[image] = max(latest.get(image, moment), moment)
            shown[image, no, key] = (image, no, key, "refresh", url, alt, moment)
    await _write_shown(tx, [row for _, row in sorted(shown.items())])
    await _seen_again(tx, latest)


# --- what was fetched

_IMAGE = (
    "sha256",
    "dhash",
    "width",
    "height",
    "format",
    "bytes",
    "file",
    "copyright",
    "creator",
    "licence",
    "data_mining",
    "signals",
    "first_seen_at",
    "last_seen_at",
)


async def write_images(tx: AsyncConnection, results: Iterable[ImageResult]) -> set[bytes]:
    """Each content once; returns the hashes of those that are new."""
    time = converter(tx, _i.first_seen_at)
    rows: dict[bytes, tuple[Any, ...]] = {}
    for r in results:
        if r.facts is not None:
            f, rights, seen = r.facts, r.facts.rights, time(r.fetched_at)
            said = (rights.copyright, rights.creator, rights.licence, rights.data_mining)
            facts = (f.sha256, f.dhash64, f.width, f.height, f.format, r.size, r.file)
            rows[f.sha256] = (*facts, *(word or None for word in said), r.signals, seen, seen)
    # In the order of hashes, so that two groups never wait for each other crosswise.
    added = await insert_new(tx, images, _IMAGE, [rows[key] for key in sorted(rows)], ("sha256",))
    new = {bytes(sha) for (sha,) in added}
    again = [(row[-1], sha, row[-1]) for sha, row in sorted(rows.items()) if sha not in new]
    await update_many(tx, images, "last_seen_at = {}", again, "sha256 = {} AND last_seen_at < {}")
    return new


async def write_results(tx: AsyncConnection, results: Sequence[tuple[int, ImageResult]]) -> None:
    """What became of each URL, and the provenance of those that show an image."""
    time = converter(tx, _u.fetched_at)
    for_all = ("state", "reason", "detail", "status", "fetched_at")
    ended = [((r.state, r.reason, r.detail, r.status, time(r.fetched_at)), no, r) for no, r in results]
    plain = [(*values, no, r.key) for values, no, r in ended if r.facts is None]
    await update_many(tx, image_urls, _assigned(for_all), plain, _THIS_URL)
    shows = [(values, no, r, r.facts.sha256) for values, no, r in ended if r.facts is not None]
    whole = [(*values, r.etag, r.last_modified, sha, no, r.key) for values, no, r, sha in shows]
    image = f"{_assigned((*for_all, 'etag', 'last_modified'))}, image_id = {_BY_CONTENT}"
    await update_many(tx, image_urls, image, whole, _THIS_URL)
    await _write_provenance(tx, [(r.url, sha, no, r.key) for _, no, r, sha in shows])
    await _still_there(tx, [(no, r) for no, r in results if r.status == 304])


_THIS_URL = "domain_no = {} AND key = {}"
_BY_CONTENT = "(SELECT id FROM images WHERE sha256 = {})"


def _assigned(columns: Sequence[str]) -> str:
    return ", ".join([f"{name} = {{}}" for name in columns] + ["taken_epoch = NULL", "attempts = 0"])


async def _write_provenance(tx: AsyncConnection, shown: Sequence[tuple[str, bytes, int, int]]) -> None:
    """URLs (as text, content, host, key) show an image now: so do all pages that were seen to show them."""
    await execute_many(tx, _PAGES_SHOW, shown)


# What the first visit saw stays, as in `_write_shown`.
_PAGES_SHOW = f"""
INSERT INTO provenance ({", ".join(_PROVENANCE)})
SELECT i.id, s.page_no, s.page_key, s.discovery_type, {{}}, s.alt, s.seen_at
FROM images i, image_sightings s
WHERE i.sha256 = {{}} AND s.domain_no = {{}} AND s.key = {{}}
ON CONFLICT ({", ".join(_PROVENANCE[:4])}) DO UPDATE SET {_LATEST}
WHERE provenance.discovery_type = 'refresh'
"""  # noqa: S608 - our own names


async def _still_there(tx: AsyncConnection, results: Sequence[tuple[int, ImageResult]]) -> None:
    time = converter(tx, _i.last_seen_at)
    stored = await _stored(tx, [(no, r.key) for no, r in results])
    await _seen_again(
        tx, {stored[no, r.key]: time(r.fetched_at) for no, r in results if (no, r.key) in stored}
    )


async def move_sightings(tx: AsyncConnection, no: int, result: ImageResult, to_no: int) -> None:
    """An image that is elsewhere now was seen on the same pages."""
    assert result.moved_to is not None
    s = image_sightings.c
    query = select(s.page_no, s.page_key, s.discovery_type, s.alt, s.seen_at).where(
        s.domain_no == no, s.key == result.key
    )
    time, key = converter(tx, s.seen_at), url_key(result.moved_to.target)
    found = (await tx.execute(query)).all()
    rows = [(to_no, key, page, page_key, kind, alt, time(at)) for page, page_key, kind, alt, at in found]
    columns = ("domain_no", "key", "page_no", "page_key", "discovery_type", "alt", "seen_at")
    await insert_many(tx, image_sightings, columns, rows, ignore_known=columns[:4])
    stored = (await _stored(tx, [(to_no, key)])).get((to_no, key))
    if stored is not None:
        url = result.moved_to.text
        shown = [(stored, page, page_key, kind, url, alt, at) for _, _, page, page_key, kind, alt, at in rows]
        await _write_shown(tx, shown)


async def first_shown_by(tx: AsyncConnection, places: Sequence[Place]) -> dict[Place, int]:
    """For each URL the number of the domain whose page showed it first."""
    s = image_sightings.c
    found: dict[Place, tuple[Any, int]] = {}
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        query = select(s.domain_no, s.key, s.page_no, func.min(s.seen_at)).where(
            tuple_(s.domain_no, s.key).in_(some)
        )
        for no, key, page_no, seen in await tx.execute(query.group_by(s.domain_no, s.key, s.page_no)):
            best = found.get((no, key))
            if best is None or (seen, page_no) < best:
                found[no, key] = (seen, page_no)
    return {place: page_no for place, (_, page_no) in found.items()}


async def credit(tx: AsyncConnection, stored: Mapping[int, int]) -> None:
    """Images stored on another host, thanks to the pages of these domains."""
    for no, count in sorted(stored.items()):
        values = {"images_stored": _c.images_stored + count}
        await tx.execute(update(domain_crawl).where(_c.no == no).values(values))


async def write_log(tx: AsyncConnection, run: UUID, results: Iterable[tuple[int, int, ImageResult]]) -> None:
    """One row per request: (host number, epoch, result)."""
    time, run_id = converter(tx, crawl_log.c.fetched_at), converter(tx, crawl_log.c.run_id)(run)
    rows = [
        (run_id, no, r.url, r.status, r.reason, r.bytes, r.ms, time(r.fetched_at), epoch)
        for no, epoch, r in results
        if r.was_fetched
    ]
    columns = ("run_id", "domain_no", "url", "status", "reason", "bytes", "ms", "fetched_at", "lease_epoch")
    await insert_many(tx, crawl_log, columns, rows)
