"""`ITEM_PIPELINES = {"surveyor.contrib.scrapy.ImagePipeline": 300}`: images of items, with their provenance.

The field `image_urls` names them, as for Scrapy's own pipeline, and `images` says what became of them. Each
is kept once by its content, as it was sent, with size, perceptual hash, rights, and the pages that showed it:
`discovery_type` is `discovery` for what a page's first visit showed, `refresh` for later ones.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.pipelines.media import FileException, FileInfo, FileInfoOrError, MediaPipeline
from twisted.python.failure import Failure

from surveyor.archive import NotAnImage
from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.image_commits import SpiderImage
from surveyor.contrib.scrapy.items import page_of_item
from surveyor.contrib.scrapy.pages import ScrapyPage
from surveyor.contrib.scrapy.scheduler import scheduler_of
from surveyor.crawl.images.outbox import Sighting
from surveyor.crawl.images.refs import LEAST_PIXELS
from surveyor.crawl.results import PageReason
from surveyor.errors import DatabaseError
from surveyor.names import PageUrl, resolve, url_key
from surveyor.net import robots_meta
from surveyor.net.robots_meta import PageRobots

_NOT_FOR_US = PageRobots.NOAI | PageRobots.NOIMAGEAI | PageRobots.NOINDEX
_GONE = {404: PageReason.NOT_FOUND, 410: PageReason.GONE}

log = logging.getLogger("surveyor.scrapy")


class ImagePipeline(MediaPipeline):
    surveyor_needs = "images"
    LOG_FAILED_RESULTS = False

    def __init__(self, *, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        settings = crawler.settings
        self._urls_field = settings.get("IMAGES_URLS_FIELD") or "image_urls"
        self._result_field = settings.get("IMAGES_RESULT_FIELD") or "images"
        self._fresh = timedelta(days=settings.getint("IMAGES_EXPIRES", 90))
        self._agent = str(settings.get("USER_AGENT") or "").lower()
        self._said = False

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        scheduler, page = scheduler_of(self.crawler), page_of_item()
        if not self._urls(item):
            return item
        if scheduler is None or scheduler.register is None or page is None or page.url is None:
            if not self._said:
                self._said = True
                log.warning("images are not stored: the register's queue is off or away, or has no such page")
            return item
        return await super().process_item(item)

    def _urls(self, item: Any) -> list[str]:
        given = ItemAdapter(item).get(self._urls_field) if ItemAdapter.is_item(item) else None
        return [given] if isinstance(given, str) else list(given or [])

    def get_media_requests(self, item: Any, info: Any) -> list[Request]:
        return [Request(place.text) for place in (self._place(url) for url in self._urls(item)) if place]

    def _place(self, url: str) -> PageUrl | None:
        page, scheduler = page_of_item(), scheduler_of(self.crawler)
        assert page is not None and page.url is not None and scheduler is not None and scheduler.register
        return resolve(page.url, url, scheduler.register.name_rules)

    # -- one image

    async def media_to_download(self, request: Request, info: Any, *, item: Any = None) -> FileInfo | None:  # type: ignore[override]
        """What is stored and young is not asked for again."""
        place, scheduler = self._place(request.url), scheduler_of(self.crawler)
        assert scheduler is not None and scheduler.register is not None
        if place is None:
            raise IgnoreRequest(f"{request.url} is no URL of a site")
        try:
            async with scheduler.register.db.read() as tx:
                known = await store.stored_image(tx, place.domain, url_key(place.target))
        except DatabaseError:
            return None
        if known is None or datetime.now(UTC) - known.fetched_at > self._fresh:
            return None
        return _file_info(request.url, known.file, known.sha256, "uptodate")

    async def media_downloaded(
        self, response: Response, request: Request, info: Any, *, item: Any = None
    ) -> FileInfo:
        page, place, scheduler = page_of_item(), self._place(response.url), scheduler_of(self.crawler)
        if page is None or place is None or scheduler is None or scheduler.images is None:
            raise FileException("the register has no place for it any more")
        result = SpiderImage(url_key(place.target), response.url, "ended", datetime.now(UTC))
        result.host = None if place.domain == page.domain else place.domain
        result.status, result.bytes = response.status, len(response.body)
        page.images.results.append(result)
        if response.status != 200:
            result.reason = _GONE.get(response.status, PageReason.HTTP_ERROR)
            raise FileException(f"it was answered with {response.status}")
        asked = robots_meta.from_headers(
            [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")], self._agent
        )
        if asked & _NOT_FOR_US:
            result.reason = PageReason.NOINDEX if asked & PageRobots.NOINDEX else PageReason.NOAI
            raise FileException("its answer asks to leave it alone")
        try:
            facts = await scheduler.images.inspect(response.body)
        except NotAnImage as error:
            result.reason, result.detail = PageReason.NOT_AN_IMAGE, f"{error.reason}: {error.detail}"
            raise FileException(f"it is no image: {error.reason}") from None
        if min(facts.width, facts.height) < LEAST_PIXELS:
            result.reason = PageReason.TOO_SMALL
            raise FileException(f"it has {facts.width} x {facts.height} pixels")
        result.state, result.facts, result.data = "done", facts, response.body
        result.size, result.signals = len(response.body), asked.words or None
        for name in ("ETag", "Last-Modified"):
            value = (response.headers.get(name) or b"").decode("latin-1").strip() or None
            setattr(result, name.lower().replace("-", "_"), value)
        digest = facts.sha256.hex()
        name = f"{digest[:2]}/{digest[2:4]}/{digest}.{facts.format}"  # as the archive will name it
        return _file_info(response.url, name, facts.sha256, "downloaded")

    def media_failed(self, failure: Failure, request: Request, info: Any) -> NoReturn:
        why = failure.value
        log.log(
            logging.DEBUG if isinstance(why, (FileException, IgnoreRequest)) else logging.WARNING,
            "image %s is not stored: %s",
            request.url,
            why,
        )
        raise why if isinstance(why, FileException) else FileException(str(why))

    def file_path(self, request: Request, *known: Any, **more: Any) -> str:
        raise NotImplementedError("images are named by their content")

    # -- one item

    def item_completed(self, results: Sequence[FileInfoOrError], item: Any, info: Any) -> Any:
        page = page_of_item()
        assert page is not None
        for url in self._urls(item):
            self._sight(page, self._place(url))
        adapter, stored = ItemAdapter(item), [one for is_stored, one in results if is_stored]
        if self._result_field in adapter.field_names() or isinstance(item, dict):
            adapter[self._result_field] = stored
        return item

    def _sight(self, page: ScrapyPage, place: PageUrl | None) -> None:
        if place is None or page.taken is None:
            return
        host = None if place.domain == page.domain else place.domain
        seen = (page.taken.key, "", datetime.now(UTC))
        page.images.sightings.append(Sighting(host, url_key(place.target), place.target, place.text, *seen))


def _file_info(url: str, path: str, sha256: bytes, status: str) -> FileInfo:
    return FileInfo(url=url, path=path, checksum=sha256.hex(), status=status)
