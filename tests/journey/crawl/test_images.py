"""Images from pages to files: stored once, with their provenance, from hosts that somebody approved."""

from __future__ import annotations

import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import select

from surveyor.archive.keeper import FOLDER
from surveyor.db import Database
from surveyor.db.tables import domains, image_urls, images, pages, provenance
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import changes, rows
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support import servers
from tests.support.registry_help import ADMIN
from tests.support.site import Manner, SiteGraph, SiteSpec
from tests.support.site.special import FAKE_IMAGE, ICON, Gallery, build

HOST = "gallery.example"
CDN = f"cdn.{HOST}"
ON = {"SURVEYOR_CRAWL__IMAGES": "true"}
# The profile's policy approves the hosts of images along with the domain.
ALONG = {"SURVEYOR_PROFILE": "images"}


def _spec(pages: int = 5, images: int = 6, **known: Any) -> SiteSpec:
    special = {
        HOST: {"kind": "gallery", "pages": pages, "images": images},
        CDN: {"kind": "gallery", "pages": 3, "images": images + 1},
    }
    return SiteSpec(SiteGraph(seed=1, hosts=1, pages_per_host=3, depth=1), special=special, **known)


def _gallery(spec: SiteSpec) -> Gallery:
    found = build(HOST, spec.special[HOST])
    assert isinstance(found, Gallery)
    return found


@dataclass(frozen=True)
class Stored:
    images: dict[int, Any]
    shown: set[tuple[str, str]]  # image URL and the target of the page that shows it, as provenance has it
    types: set[str]
    urls: dict[tuple[str, str], Any]  # host and target
    files: set[str]


def _stored(crawl: Crawl) -> Stored:
    async def read(db: Database) -> Stored:
        async with db.read() as tx:
            found = {row.id: row for row in await tx.execute(select(images))}
            on = (provenance.c.domain_no == pages.c.domain_no) & (provenance.c.page_key == pages.c.key)
            seen = (
                await tx.execute(
                    select(provenance.c.url, pages.c.target, provenance.c.discovery_type).join_from(
                        provenance, pages, on
                    )
                )
            ).all()
            urls = {
                (row.domain, row.target): row
                for row in await tx.execute(
                    select(domains.c.domain, image_urls).join_from(
                        image_urls, domains, image_urls.c.domain_no == domains.c.no
                    )
                )
            }
        folder = crawl.workspace / "archive" / FOLDER
        files = {path.relative_to(folder).as_posix() for path in folder.glob("*/*/*") if path.is_file()}
        shown = {(url.partition("//")[2], target) for url, target, _ in seen}
        assert len({*seen}) == len(seen), "once per image, page and type of visit"
        return Stored(found, shown, {kind for _, _, kind in seen}, urls, files)

    return crawl.with_database(read)


def _expected(gallery: Gallery) -> set[tuple[str, str]]:
    return {
        (f"{HOST}{image}", page)
        for number, page in enumerate(gallery.pages)
        for image in gallery.seen_on(number)
    }


def _asset_sightings(gallery: Gallery) -> set[tuple[str, str]]:
    return {(gallery.asset.partition("//")[2], page) for page in gallery.pages}


def _is_complete(crawl: Crawl, gallery: Gallery) -> Stored:
    """All images of the gallery and its asset host: each one row, one file, all its pages."""
    stored = _stored(crawl)
    assert stored.shown == _expected(gallery) | _asset_sightings(gallery)
    assert len(stored.images) == len(gallery.images) + 1
    assert {row.file for row in stored.images.values()} == stored.files
    for name in (HOST, CDN):
        domain = crawl.domain(name)
        assert (domain["crawl_status"], domain["frontier_size"]) == ("exhausted", 0)
    assert crawl.run("db", "check").code == 0
    return stored


def test_a_gallery_is_stored_once_with_every_page_that_shows_it(make_crawl: MakeCrawl) -> None:
    spec = _spec()
    gallery = _gallery(spec)
    crawl = make_crawl(spec, HOST, **ON)
    ran = crawl.run("crawl", "--json")
    assert ran.code == 0, ran.err
    stored = _stored(crawl)
    assert stored.shown == _expected(gallery)
    assert stored.types == {"discovery"}
    assert len(stored.images) == len(gallery.images)
    sizes = Counter((row.width, row.height, row.format) for row in stored.images.values())
    assert sizes == {(64, 48, "png"): len(gallery.images) - 1, (320, 240, "jpg"): 1}
    assert len({row.sha256 for row in stored.images.values()}) == len(gallery.images)
    assert len({row.dhash for row in stored.images.values()}) > 1
    assert {row.file for row in stored.images.values()} == stored.files
    fake = stored.urls[HOST, FAKE_IMAGE]
    assert (fake.state, fake.reason, fake.image_id) == ("ended", "not_an_image", None)
    assert (HOST, ICON) not in stored.urls, "the page says that it is a counting pixel"
    asked = Counter(crawl.requests(HOST))
    assert max(asked.values()) == 1
    domain = crawl.domain(HOST)
    assert domain["images_stored"] == len(gallery.images)
    assert domain["pages_crawled"] == domain["pages_discovered"] == len(gallery.pages) + 1
    assert ran.json["pages"] == len(gallery.pages) + 1, "images are no pages"
    assert domain["bytes_fetched"] > sum(row.bytes for row in stored.images.values())


def test_nothing_is_asked_of_an_image_host_until_somebody_approves_it(make_crawl: MakeCrawl) -> None:
    spec = _spec()
    gallery = _gallery(spec)
    crawl = make_crawl(spec, HOST, **ON)
    assert crawl.run("crawl").code == 0
    host = crawl.domain(CDN)
    assert (host["source"], host["review_status"], host["due_at"]) == (
        f"asset:{HOST}",
        "pending_review",
        None,
    )
    assert [asset["host"] for asset in crawl.domain(HOST)["assets"]] == [CDN]
    told = crawl.run("why", gallery.asset, "--json").json
    assert (told["verdict"], "approve" in told["because"]) == ("waiting", True)
    assert all(not entry.host.startswith("cdn.") for entry in crawl.site.log(hellos=True))

    async def approve(db: Database) -> None:
        async with db.write() as tx:
            no = await rows.find_no(tx, HOST)
            await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN)
            await changes.advance_review(tx, no, ReviewStatus.APPROVED, ADMIN, approve_assets=True)

    crawl.with_database(approve)
    assert crawl.run("crawl").code == 0
    _is_complete(crawl, gallery)
    of_the_host = [entry.target for entry in crawl.site.log() if entry.host.split(":")[0] == CDN]
    assert of_the_host == ["/robots.txt", gallery.asset.partition(CDN)[2]], "images only: no page of it"
    assert crawl.domain(HOST)["images_stored"] == len(gallery.images) + 1
    assert crawl.domain(CDN)["images_stored"] == 1
    assert crawl.run("why", gallery.asset, "--json").json["verdict"] == "fetched"


def test_the_policy_takes_image_hosts_along_and_their_robots_txt_is_obeyed(make_crawl: MakeCrawl) -> None:
    spec = _spec(manners={CDN: Manner(robots="User-agent: *\nDisallow: /img/\n")})
    gallery = _gallery(spec)
    crawl = make_crawl(spec, HOST, **ALONG)
    assert crawl.run("crawl").code == 0
    assert [e.target for e in crawl.site.log() if e.host.split(":")[0] == CDN] == ["/robots.txt"]
    told = crawl.run("why", gallery.asset, "--json").json
    assert (told["verdict"], told["details"]["reason"]) == ("skipped", "robots")
    assert crawl.domain(CDN)["reviewed_by"] == "policy:approve_assets"


@pytest.mark.parametrize(
    ("engine_name", "frontier", "point"),
    [
        ("sqlite", "sql", "after_fetch:9"),
        ("sqlite", "redis", "before_commit:2"),
        ("postgresql", "sql", "before_commit:3"),
        ("postgresql", "redis", "after_commit:3"),
    ],
)
def test_a_crawl_killed_in_the_middle_loses_no_image_and_stores_none_twice(
    make_crawl: MakeCrawl, engine_name: str, request: pytest.FixtureRequest, frontier: str, point: str
) -> None:
    spec = _spec(pages=6)
    where = {}
    if frontier == "redis":
        valkey: servers.Valkey = request.getfixturevalue("valkey")
        where["SURVEYOR_FRONTIER__URL"] = valkey.url
    crawl = make_crawl(spec, HOST, **ALONG, **where)
    short = {"SURVEYOR_CRAWL__LEASE_SECONDS": "1", "SURVEYOR_CRAWL__RENEW_SECONDS": "0.3"}
    doomed = crawl.start("crawl", SURVEYOR_FAILPOINT=point, **short)
    doomed.communicate(timeout=200)
    assert doomed.returncode == -signal.SIGKILL, "the point was never passed"
    if engine_name == "postgresql":
        time.sleep(1.1)  # there a dead worker's lease ends by time
    if frontier == "redis":
        client = redis.Redis.from_url(where["SURVEYOR_FRONTIER__URL"])
        client.flushall()
        client.close()
    assert crawl.run("crawl").code == 0
    _is_complete(crawl, _gallery(spec))
    repeated = {target for target, count in Counter(crawl.requests(HOST)).items() if count > 1}
    assert len(repeated) <= 32, "no more than what was in flight"
    assert list(Path(crawl.workspace / "archive" / FOLDER / "tmp").glob("*")) == []


def test_a_budget_of_pages_is_not_spent_on_images(make_crawl: MakeCrawl) -> None:
    spec = _spec()
    crawl = make_crawl(spec, HOST, **ON)
    ran = crawl.run("crawl", "--max-pages", "3", "--json")
    assert (ran.json["pages"], ran.json["stopped_by"]) == (3, "budget_run")
    asked = crawl.requests(HOST)
    assert len([target for target in asked if not target.startswith("/img/")]) == 3
    gallery, shown = _gallery(spec), {target for target in asked if target in _gallery(spec).pages}
    wanted = {image for page in shown for image in gallery.seen_on(gallery.pages.index(page))}
    assert wanted <= set(asked), "the images of the pages that were fetched are there"


def test_seen_again_moves_the_date_and_a_new_page_adds_to_the_provenance(make_crawl: MakeCrawl) -> None:
    spec = _spec()
    crawl = make_crawl(spec, HOST, **ON)
    assert crawl.run("crawl").code == 0
    before = _stored(crawl)
    assert crawl.run("recrawl", HOST).code == 0
    assert crawl.run("crawl").code == 0
    after = _stored(crawl)
    assert after.shown == before.shown
    assert after.images.keys() == before.images.keys()
    for number, row in after.images.items():
        assert row.last_seen_at > before.images[number].last_seen_at
        assert row.first_seen_at == before.images[number].first_seen_at
    assert crawl.domain(HOST)["images_stored"] == len(_gallery(spec).images)


def test_what_lies_moves_repeats_or_asks_to_be_left_alone(make_crawl: MakeCrawl) -> None:
    special = {
        "pictures.example": {"kind": "pictures"},
        "cdn.pictures.example": {"kind": "gallery"},
    }
    spec = SiteSpec(SiteGraph(seed=1, hosts=1, pages_per_host=3, depth=1), special=special)
    crawl = make_crawl(spec, "pictures.example", **ALONG)
    assert crawl.run("crawl").code == 0
    stored = _stored(crawl)
    became = {target: row.reason or row.state for (_, target), row in stored.urls.items()}
    assert became == {
        "/img/one.png": "done",
        "/img/same.jpg": "done",
        "/img/moved": "redirect",
        "/img/two.png": "done",
        "/img/round": "redirect_loop",
        "/img/away": "redirect",
        "/img/4.png": "done",
        "/img/noai.png": "noai",
        "/img/other.png": "done",
        "/img/dot.png": "too_small",
        "/img/forbidden.png": "http_error",
        "/img/script.png": "not_an_image",
        "/img/gone.png": "gone",
        "/img/linked.png": "done",
    }
    assert (stored.urls["pictures.example", "/img/script.png"].detail or "").startswith("markup")
    same = {stored.urls["pictures.example", path].image_id for path in ("/img/one.png", "/img/same.jpg")}
    assert len(same) == 1 and len(stored.images) == len(stored.files) == 5
    assert {target for _, target in stored.shown} == {"/"}
    assert len(stored.shown) == 5, "what moved was seen where it was shown"
    assert "/img/private.png" not in crawl.requests("pictures.example")
    assert crawl.domain("pictures.example")["crawl_status"] == "exhausted", "a refused image blocks nobody"
