"""CPU per archived page of 33 KB: our WARC writer at several levels, warcio's, and a plain write."""

from __future__ import annotations

import argparse
import io
import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from surveyor.archive import Capture, WarcReader, WarcWriter
from surveyor.archive.files import AppendFile
from surveyor.archive.record import GZIP_LEVEL
from surveyor.clock import SystemClock

PAGE_BYTES = 33_000
LEVELS = (1, 2, 3, 4, 6, 9)
GROUP = 50  # pages per sync, the default of crawl.commit_pages
HEADERS = (
    ("Server", "nginx"),
    ("Date", "Mon, 06 Jul 2026 10:00:00 GMT"),
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Encoding", "gzip"),
    ("Transfer-Encoding", "chunked"),
    ("Connection", "keep-alive"),
    ("Vary", "Accept-Encoding"),
    ("ETag", 'W/"5f3c-62d1a7"'),
    ("Last-Modified", "Sun, 05 Jul 2026 09:12:44 GMT"),
    ("Cache-Control", "max-age=600, public"),
    ("X-Content-Type-Options", "nosniff"),
)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench archive", description=__doc__)
    parser.add_argument("--pages", type=int, default=2_000, help="pages per measurement")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    captures = [_capture(number, random.Random(args.seed + number)) for number in range(GROUP)]
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as name:
        _report(Path(name), captures, args.pages)
    return 0


def _report(folder: Path, captures: list[Capture], pages: int) -> None:
    runs: dict[str, Callable[[], int]] = {
        "plain write": lambda: _plain(folder / "plain", captures, pages),
        **{f"ours, gzip {level}": partial(_ours, folder, captures, pages, level) for level in LEVELS},
        "warcio (gzip 9)": lambda: _warcio(folder / "theirs", captures, pages),
    }
    best = {name: min(_measured(run) for _ in range(3)) for name, run in runs.items()}
    chosen = best[f"ours, gzip {GZIP_LEVEL}"][0]
    print(f"{pages} pages of {PAGE_BYTES} bytes, synced every {GROUP}; CPU is user + system, best of 3")
    for name, (cpu, size) in best.items():
        _line(name, cpu / pages, cpu / chosen, f"{size / pages:7.0f} bytes/page")
    cpu, count = _measured(lambda: _read(folder / f"level{GZIP_LEVEL}"))
    _line("read, verified", cpu / count, cpu / count * pages / chosen)
    print(f"chosen: gzip {GZIP_LEVEL}")


def _line(name: str, cpu: float, ratio: float, more: str = "") -> None:
    print(f"{name:16} {cpu * 1e6:7.0f} µs/page {ratio:6.2f} x {more}")


def _measured(run: Callable[[], int]) -> tuple[float, int]:
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def _ours(folder: Path, captures: list[Capture], pages: int, level: int) -> int:
    size = 0
    with WarcWriter(folder / f"level{level}", "bench", 1_000_000_000, SystemClock(), level) as writer:
        for number in range(pages):
            size += writer.append(captures[number % GROUP]).length
            if number % GROUP == GROUP - 1:
                writer.sync()
    return size


def _plain(folder: Path, captures: list[Capture], pages: int) -> int:
    file = AppendFile(folder / str(time.monotonic_ns()))
    for number in range(pages):
        file.place(captures[number % GROUP].body)
        if number % GROUP == GROUP - 1:
            file.sync(file.spill())
    file.close()
    return file.placed


def _warcio(folder: Path, captures: list[Capture], pages: int) -> int:
    file = AppendFile(folder / str(time.monotonic_ns()))
    for number in range(pages):
        capture, buffer = captures[number % GROUP], io.BytesIO()
        writer = WARCWriter(buffer, gzip=True, warc_version="WARC/1.1")
        head = StatusAndHeaders("200 OK", list(capture.headers), protocol="HTTP/1.1")
        record = writer.create_warc_record(
            capture.url, "response", payload=io.BytesIO(capture.body), http_headers=head
        )
        writer.write_record(record)
        file.place(buffer.getvalue())
        if number % GROUP == GROUP - 1:
            file.sync(file.spill())
    file.close()
    return file.placed


def _read(folder: Path) -> int:
    reader = WarcReader(folder)
    return sum(1 for file in reader.files() for _ in reader.records(file))


def _capture(number: int, rng: random.Random) -> Capture:
    """A page that packs to a quarter of its size, as pages do: menus, classes, words of uneven frequency."""
    words = ["".join(rng.choices("aeinrstdlu", k=rng.randint(2, 11))) for _ in range(600)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]

    def text(count: int, between: str = " ") -> str:
        return between.join(rng.choices(words, weights, k=count))

    parts = [f"<!doctype html><html><head><title>{text(5)}</title></head><body class='page-{number}'>"]
    parts += [
        f'<li class="menu-item menu-item-type-post_type item-{link}">'
        f'<a class="menu-link" href="/{text(3, "/")}.html">{text(3)}</a></li>\n'
        for link in range(53)
    ]
    parts += [f'<div class="entry-content"><p class="entry-text">{text(25)}</p></div>\n' for _ in range(300)]
    body = "".join(parts).encode()[:PAGE_BYTES]
    url, fetched_at = f"http://site.example/{number}", datetime(2026, 7, 6, tzinfo=UTC)
    return Capture(url, fetched_at, 200, HEADERS, body, "OK")
