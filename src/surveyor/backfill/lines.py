"""One line of a log, in each kind of file, to a request; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from surveyor.backfill.cells import moment
from surveyor.backfill.totals import Requests

# `2026-02-05 14:30:01 [scrapy.core.engine] DEBUG: Crawled (200) <GET https://a.example/> (referer: None)`
_CRAWLED = re.compile(
    r"^(?P<when>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d).*Crawled \((?P<status>\d{3})\) <\w+ (?P<url>[^>]+)>"
)
_GAVE_UP = re.compile(r"^(?P<when>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d).*Gave up retrying <\w+ (?P<url>[^>]+)>")
_CDX_TIME = re.compile(r"\d{14}")


class LogKind(StrEnum):
    """What a file is, by its first line."""

    CSV = "CSV"  # a table whose first line names its columns
    JSON_LINES = "JSON Lines"  # rows of a log, or the items of a feed that have a url
    SCRAPY_LOG = "Scrapy's log"  # what a spider printed while it crawled
    CDX = "CDX"  # an index of WARC files, in columns
    CDXJ = "CDXJ"  # the same, with JSON behind the key and the time

    def read(self, line: str) -> dict[str, Any] | None:
        """url, status and crawled_at of a line of a log or an index; None if it has none."""
        if self is LogKind.SCRAPY_LOG:
            return _scrapy(line)
        return _cdx(line) if self is LogKind.CDX else _cdxj(line)


def kind_of(first: str) -> LogKind:
    text = first.removeprefix("\ufeff")
    if text.startswith((" CDX", "CDX ")):
        return LogKind.CDX
    if text.lstrip().startswith(("{", "[")):
        return LogKind.JSON_LINES
    words = text.split(" ", 2)
    if len(words) == 3 and _CDX_TIME.fullmatch(words[1]):
        return LogKind.CDXJ if words[2].lstrip().startswith("{") else LogKind.CDX
    return LogKind.SCRAPY_LOG if "[scrapy." in text else LogKind.CSV


def request(values: Mapping[str, Any]) -> Requests:
    """A row of a log by our names of its columns."""
    status, images = _number(values.get("status")), _number(values.get("images_found"))
    when = moment(values.get("crawled_at"))
    host = values.get("domain") or values.get("url") or ""
    failed = {} if status is not None and status < 400 else {status or 0: 1}
    return Requests(str(host), 1, failed, images or 0, when, when)


def _number(value: Any) -> int | None:
    """A whole number, also as tables with gaps write it: 200.0."""
    try:
        exact = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return int(exact) if exact.is_integer() else None


def _scrapy(line: str) -> dict[str, Any] | None:
    if (found := _CRAWLED.match(line)) is not None:
        if found["url"].endswith("/robots.txt"):
            return None
        return {"url": found["url"], "status": found["status"], "crawled_at": found["when"]}
    if (found := _GAVE_UP.match(line)) is not None:
        return {"url": found["url"], "status": None, "crawled_at": found["when"]}
    return None


def _cdx(line: str) -> dict[str, Any] | None:
    """`key timestamp url type status …`: the fields all tools agree on."""
    fields = line.split()
    if len(fields) < 5 or not _CDX_TIME.fullmatch(fields[1]):
        return None
    return {"url": fields[2], "status": _archived(fields[4]), "crawled_at": fields[1]}


def _cdxj(line: str) -> dict[str, Any] | None:
    words = line.split(" ", 2)
    if len(words) < 3 or not _CDX_TIME.fullmatch(words[1]):
        return None
    try:
        known = json.loads(words[2])
        url = known["url"]
    except (ValueError, TypeError, KeyError):
        return None
    return {"url": url, "status": _archived(known.get("status")), "crawled_at": words[1]}


def _archived(status: Any) -> Any:
    """An index entry without a status stands for something that was had."""
    return 200 if status in (None, "-", "") else status
