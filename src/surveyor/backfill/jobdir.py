"""The queue of a Scrapy `JOBDIR`: requests that wait on disk, whatever class of queue wrote them.

They are read as plain values by `safe_unpickle.py`; nothing in these files is run. All of `requests.queue`
is read, not only what `active.json` names: a process that was killed did not write that. `requests.seen` has
hashes, which no URL can be read from, so it is counted alone; `spider.state` belongs to the spider.
"""

from __future__ import annotations

import json
import mmap
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surveyor import logs
from surveyor.backfill.safe_unpickle import NotPlain, length_of, read_plain
from surveyor.errors import BadInput

_QUEUE, _SEEN = "requests.queue", "requests.seen"
_PRIORITY = re.compile(r"p?-?\d+s?")  # a folder of such a name is a queue in pieces
_SQLITE = b"SQLite format 3\0"
_SIZE = 4  # bytes that say how long a request is
_PLAIN_NAMES = {"callback": (None, "parse"), "errback": (None,), "encoding": ("utf-8",), "priority": (0,)}
# What Scrapy writes into `meta` by itself, and the spider's name: as in contrib/scrapy/requests.py.
_ADDED = ("depth", "is_start_request", "download_slot", "download_latency", "download_timeout")
_SPIDER = "surveyor_spider"

log = logs.get("backfill")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request of the queue; `why_not` says why it cannot be taken over."""

    url: str
    depth: int = 0
    priority: int = 0
    request: Mapping[str, Any] | None = None  # what it carries beside its URL
    why_not: str | None = None

    def text(self, spider: str) -> str | None:
        """As the register's queue keeps it for this spider; none where the URL says everything."""
        if not self.request:
            return None
        named = self.request.keys() & {"callback", "errback"}
        return json.dumps({**self.request, **({_SPIDER: spider} if named else {})})


def is_jobdir(where: str) -> bool:
    return Path(where).is_dir()


def read_queue(where: str) -> Iterator[Waiting]:
    """Raises `BadInput` where the folder is none of Scrapy's, or what it has is no queue."""
    queue = Path(where) / _QUEUE
    if not queue.is_dir():
        raise BadInput(f"{where} is a folder without {_QUEUE}: no JOBDIR of Scrapy")
    for file in sorted(one for one in queue.rglob("*") if one.is_file() and not one.name.endswith(".json")):
        for data in _requests(file):
            yield _waiting(data)


def count_seen(where: str) -> int:
    """Requests that were made or queued: a hash of each, behind its length or on a line of its own."""
    try:
        data = (Path(where) / _SEEN).read_bytes()
    except OSError:
        return 0
    if data[40:41] == b"\n":
        return data.count(b"\n")
    count = at = 0
    while at + 2 <= len(data):
        at += 2 + int.from_bytes(data[at : at + 2])
        count += 1
    return count


def _requests(file: Path) -> Iterator[bytes]:
    if file.stat().st_size <= _SIZE:
        return
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[: len(_SQLITE)] == _SQLITE:
            yield from _of_sqlite(file)
        elif _PRIORITY.fullmatch(file.parent.name):
            yield from _first_in_first_out(data, _done(file))
        else:
            yield from _last_in_first_out(file, data)


def _of_sqlite(file: Path) -> Iterator[bytes]:
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as db:
            yield from (bytes(item) for (item,) in db.execute("SELECT item FROM queue ORDER BY id"))
    except (sqlite3.Error, TypeError) as error:
        raise BadInput(f"{file} cannot be read as a queue of Scrapy: {error}") from None


def _first_in_first_out(data: mmap.mmap, at: int) -> Iterator[bytes]:
    """Length and request in a row, from where the reader was."""
    while at + _SIZE <= len(data):
        size = int.from_bytes(data[at : at + _SIZE])
        if at + _SIZE + size > len(data):
            return  # a kill cut the last one off
        yield data[at + _SIZE : at + _SIZE + size]
        at += _SIZE + size


def _done(file: Path) -> int:
    try:
        number, _, offset = json.loads((file.parent / "info.json").read_bytes())["tail"]
        return int(offset) if file.name == f"q{int(number):05d}" else 0
    except (OSError, ValueError, TypeError, KeyError):
        return 0


def _last_in_first_out(file: Path, data: mmap.mmap) -> Iterator[bytes]:
    """A count, then request and length in a row: from the end on it is clear where each begins."""
    if not _is_whole(data):
        log.warning("the file ends within a request, as a kill leaves it; read up to there", file=str(file))
        yield from _up_to_the_cut(data)
        return
    end = len(data)
    while end > _SIZE:
        size = int.from_bytes(data[end - _SIZE : end])
        yield data[end - _SIZE - size : end - _SIZE]
        end -= _SIZE + size


def _is_whole(data: mmap.mmap) -> bool:
    end = len(data)
    while end > _SIZE:
        end -= _SIZE + int.from_bytes(data[end - _SIZE : end])
    return end == _SIZE


def _up_to_the_cut(data: mmap.mmap) -> Iterator[bytes]:
    """From the front: each request says itself where it ends, and its length behind it must agree."""
    at = _SIZE
    while (size := length_of(data, at)) is not None:
        end = at + size
        if int.from_bytes(data[end : end + _SIZE]) != size:
            return
        yield data[at:end]
        at = end + _SIZE


def _waiting(data: bytes) -> Waiting:
    try:
        known = read_plain(data)
    except NotPlain as refusal:
        return Waiting("", why_not=str(refusal))
    if not isinstance(known, dict) or not isinstance(known.get("url"), str):
        return Waiting("", why_not="what waits there is no request")
    url, meta = known["url"], known.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    depth, priority = _number(meta.get("depth")), _number(known.get("priority"))
    if known.get("method", "GET") != "GET" or known.get("body"):
        return Waiting(url, depth, priority, why_not="it is a form or has another method than GET")
    try:
        return Waiting(url, depth, priority, _carried(known, meta))
    except (TypeError, ValueError, AttributeError):
        return Waiting(url, depth, priority, why_not="its meta or cb_kwargs are not texts and numbers")


def _number(value: Any) -> int:
    return value if isinstance(value, int) and abs(value) < 2**31 else 0


def _carried(known: Mapping[str, Any], meta: Mapping[Any, Any]) -> dict[str, Any]:
    """What a plain request of the URL would not have; raises where JSON cannot keep it."""
    own = {name: value for name, value in meta.items() if name not in _ADDED}
    given = known.get("headers") or {}
    headers = {_text(name): [_text(one) for one in values] for name, values in given.items()}
    usual = {name: value for name, value in known.items() if name in _PLAIN_NAMES}
    kept = {name: value for name, value in usual.items() if value not in _PLAIN_NAMES[name]}
    more = {name: known.get(name) for name in ("cookies", "flags", "cb_kwargs", "_class")}
    kept |= {name: value for name, value in ({**more, "meta": own, "headers": headers}).items() if value}
    if not _is_json(kept):
        raise ValueError("not all of it is text or number")
    return kept


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_json(inner) for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_json, value))
    return value is None or isinstance(value, (str, int, float))


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
