"""An index of the archive's responses as CDXJ, so that replay tools find them in the WARC files.

Each line is the key of the URL (SURT: the host turned round, then the path), the time, and where the
record is. Lines are sorted by their bytes, as binary search in such an index needs. A file at a time
is held and sorted; the runs are merged from disk, so memory does not grow with the archive.
"""

from __future__ import annotations

import heapq
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from surveyor.archive.reader import ArchivedRecord, Gap, WarcReader
from surveyor.archive.record import VIEW

_DEFAULT_PORTS = {"http": 80, "https": 443}
_WWW = re.compile(r"^www\d*\.")
_PRINTED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PATH_SESSIONS = (
    re.compile(r"^(.*/)(?:\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$", re.IGNORECASE),
    re.compile(r"^(.*/)(?:\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$", re.IGNORECASE),
)
_QUERY_SESSIONS = (
    re.compile(r"^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$", re.IGNORECASE),
    re.compile(r"^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$", re.IGNORECASE),
    re.compile(r"^(.*)sid=[0-9a-z]{32}(?:&(.*))?$", re.IGNORECASE),
    re.compile(r"^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$", re.IGNORECASE),
    re.compile(r"^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$", re.IGNORECASE),
)
# Open files at once while runs are merged; more runs are merged in several goes.
_MERGED_AT_ONCE = 200


@dataclass
class Indexed:
    files: int = 0
    records: int = 0
    damaged: int = 0  # records that are not whole, and not in the index


def surt(url: str) -> str:
    """The key replay tools look a URL up by: `https://www.A.example/B?y&x` is `example,a)/b?x&y`.

    As the Internet Archive's canonicaliser makes it, which pywb uses, or an odd URL would not be found.
    """
    parts = urlsplit(url)
    host = _WWW.sub("", (parts.hostname or "").strip("."), count=1)
    turned = host if ":" in host else ",".join(reversed(host.split(".")))
    port = parts.port
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        turned += f":{port}"
    path = _escaped(_normal_path(_unescaped(parts.path))).lower()
    for pattern in _PATH_SESSIONS:
        path = pattern.sub(r"\1\2", path)
    query = _escaped(_unescaped(parts.query))
    for pattern in _QUERY_SESSIONS:
        query = pattern.sub(r"\1\2", query)
    pairs = sorted(tuple(pair.split("=", 1)) for pair in query.lower().split("&")) if query else []
    path = path[:-1] if path.endswith("/") and len(path) > 1 else path
    return f"{turned}){path}{'?' if query else ''}{'&'.join(map('='.join, pairs))}"


def _unescaped(text: str) -> bytes:
    found, before = unquote_to_bytes(text), text.encode()
    while found != before:
        found, before = unquote_to_bytes(found), found
    return found


def _escaped(data: bytes) -> str:
    return quote_from_bytes(data, safe=_PRINTED)


def _normal_path(path: bytes) -> bytes:
    """Without `.`, `..` and what is empty between two slashes."""
    kept: list[bytes] = []
    for part in path.split(b"/")[1:]:
        if part == b".." and kept:
            kept.pop()
        elif part != b".":
            kept.append(part)
    return b"/" + b"".join(part + b"/" for part in kept[:-1] if part) + (kept[-1] if kept else b"")


def line_of(found: ArchivedRecord) -> bytes:
    capture, place = found.capture, found.location
    mime = next((value for name, value in capture.headers if name.lower() == "content-type"), "")
    known = {
        "url": capture.url,
        "mime": mime.partition(";")[0].strip().lower().encode("ascii", "replace").decode() or "unk",
        "status": str(capture.status),
        "digest": f"sha256:{found.sha256.hex()}",
        "length": str(place.length),
        "offset": str(place.offset),
        "filename": place.file,
    }
    return f"{surt(capture.url)} {capture.fetched_at:%Y%m%d%H%M%S} {json.dumps(known)}\n".encode()


def write_index(
    folder: Path, out: IO[bytes], progress: Callable[[Indexed], None] = lambda _: None
) -> Indexed:
    """Index every WARC file of the folder."""
    done, reader = Indexed(), WarcReader(folder)
    with tempfile.TemporaryDirectory(prefix="surveyor-index-") as scratch:
        runs: list[Path] = []
        for file in reader.files():
            run = Path(scratch) / f"{len(runs)}"
            run.write_bytes(b"".join(sorted(_lines(reader.scan(file), done))))
            runs.append(run)
            done.files += 1
            progress(done)
        while len(runs) > _MERGED_AT_ONCE:
            merged = Path(scratch) / f"m{len(runs)}"
            with merged.open("wb") as target:
                _merge(runs[:_MERGED_AT_ONCE], target)
            runs = [*runs[_MERGED_AT_ONCE:], merged]
        _merge(runs, out)
    return done


def _lines(found: Iterator[ArchivedRecord | Gap], done: Indexed) -> Iterator[bytes]:
    for one in found:
        if isinstance(one, Gap):
            done.damaged += 1
        elif not one.capture.url.startswith(VIEW):
            done.records += 1
            yield line_of(one)


def _merge(runs: list[Path], out: IO[bytes]) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(run.open("rb")) for run in runs]
        out.writelines(heapq.merge(*opened))
