"""`ITEM_PIPELINES = {"surveyor.contrib.scrapy.RecordPipeline": 800}`: items become records of a kind.

Items go on as they came, whatever becomes of them here. One that is no record of its kind is refused with one
line, and what was known from its page before stays.
"""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from surveyor.contrib.scrapy.item_values import Mapped, mapped_of, read_mapping, record_of
from surveyor.contrib.scrapy.items import page_of_item
from surveyor.contrib.scrapy.pages import ScrapyPage
from surveyor.contrib.scrapy.scheduler import FrontierScheduler, scheduler_of
from surveyor.extract.field_values import BadValue, Context

log = logging.getLogger("surveyor.scrapy")


class RecordPipeline:
    surveyor_needs = "records"

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._mapping: dict[str, Mapped] | None = None
        self._said: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.get("SURVEYOR_RECORDS"):
            raise NotConfigured('SURVEYOR_RECORDS is empty; write such as {"GrantItem": "funding_program"}')
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        scheduler = scheduler_of(self._crawler)
        if scheduler is None or scheduler.register is None:
            self._say("nowhere", "items are not stored as records: the register's queue is off or away")
            return item
        mapped = mapped_of(item, self._known(scheduler))
        if mapped is not None:
            self._store(item, mapped, scheduler)
        return item

    def _known(self, scheduler: FrontierScheduler) -> dict[str, Mapped]:
        """Not before the register is open: its profile declares kinds."""
        if self._mapping is None:
            try:
                self._mapping = read_mapping(self._crawler.settings.getdict("SURVEYOR_RECORDS"))
            except ValueError as error:
                self._mapping = {}
                log.error("items are not stored as records: %s", error)
        return self._mapping

    def _store(self, item: Any, mapped: Mapped, scheduler: FrontierScheduler) -> None:
        page, name, stats = page_of_item(), type(item).__name__, self._crawler.stats
        if page is None or page.url is None:
            self._say(name, f"{name} is not stored: it comes from no page of the register; yield it from one")
            return
        try:
            page.records.append(record_of(item, mapped, self._context(scheduler, page)))
            outcome = "stored"
        except BadValue as refusal:
            page.is_whole, outcome = False, "refused"
            self._say(
                f"{name} {str(refusal).split(' is ', 1)[0]}", f"{name} of {page.url} is refused: {refusal}"
            )
        if stats is not None:
            stats.inc_value(f"surveyor/records_{outcome}")

    def _context(self, scheduler: FrontierScheduler, page: ScrapyPage) -> Context:
        assert scheduler.register is not None and page.url is not None
        profile, rules = scheduler.register.profile, scheduler.register.name_rules
        return Context(page.url, rules, profile.geography.phone_regions, profile.kinds)

    def _say(self, kind: str, message: str) -> None:
        """Once for each kind of mistake, not for each item; the statistics count them."""
        if kind not in self._said:
            self._said.add(kind)
            log.warning("%s", message)
