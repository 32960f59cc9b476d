"""Fuzzed answers through the client: no exception but ours, none past its deadline, no growing memory."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil
import uvloop

from surveyor.errors import NetError
from surveyor.net.api import ApiClient
from surveyor.net.fetcher import Fetcher, Response
from surveyor.net.sniff import decode_text, kind
from surveyor.net.transport import verifying_tls
from surveyor.settings import NetSettings
from tests.support.hostile.fuzz import FuzzServer

SECONDS: Final = 2.0  # for one answer
LATE: Final = 0.2  # seconds beyond it: timers fire late
GROWTH: Final = 64 * 1024 * 1024
AT_ONCE: Final = 40
WARM: Final = 500  # answers before memory is measured: by then every path was taken once
_HOSTS: Final = tuple(f"fuzz-{number}.example" for number in range(AT_ONCE))


@dataclass(slots=True)
class Found:
    answers: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    foreign: list[str] = field(default_factory=list)
    """Exceptions that are not ours, with the number of their answer."""
    dirty: list[str] = field(default_factory=list)
    """Texts that no row could hold."""
    slowest: float = 0.0
    lag: float = 0.0
    """The longest that the loop itself was kept waiting, by its own work or by the machine."""
    growth: int = 0

    @property
    def ok(self) -> bool:
        return (
            not (self.foreign or self.dirty)
            and self.slowest <= SECONDS + LATE + self.lag
            and self.growth <= GROWTH
        )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab fuzz", description=__doc__)
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve:
        uvloop.run(_serve(args.seed))
        return 0
    with _server(args.seed) as port:
        found = uvloop.run(run(port, args.answers))
    print(f"{found.answers:,} answers of seed {args.seed}, {AT_ONCE} at once, {SECONDS:g} s each")
    for end, count in found.ends.most_common():
        print(f"  {count:6,} {end}")
    print(f"exceptions that are not ours: {len(found.foreign)}  {'; '.join(found.foreign[:5])}")
    print(f"texts that no row could hold: {len(found.dirty)}  {'; '.join(found.dirty[:5])}")
    print(f"slowest {found.slowest:.2f} s (at most {SECONDS + LATE:g} and the loop's lag, {found.lag:.2f} s)")
    print(f"memory grew by {found.growth / 1048576:.1f} MiB (at most {GROWTH // 1048576})")
    return 0 if found.ok else 1


async def run(port: int, answers: int) -> Found:
    """Ask for so many; one request in flight per host, as a crawl does it."""
    found, numbers = Found(), iter(range(answers))
    here = f"127.0.0.1:{port}"
    settings = NetSettings(allow=["127.0.0.0/8"], hosts=dict.fromkeys(_HOSTS, here), total_seconds=SECONDS)
    process, tls = psutil.Process(), verifying_tls()  # which takes a tenth of a second
    memory = 0
    async with Fetcher(settings, tls=tls) as fetcher:

        async def ask(host: str) -> None:
            nonlocal memory
            async with ApiClient(f"http://{host}", settings, tls=tls) as api:
                for number in numbers:
                    await _one(fetcher, api, host, number, found)
                    if found.answers <= WARM or not memory:
                        memory = process.memory_info().rss
                    elif found.answers % 100 == 0:
                        found.growth = max(found.growth, process.memory_info().rss - memory)

        watch = asyncio.create_task(_watch(found))
        await asyncio.gather(*(ask(host) for host in _HOSTS))
        watch.cancel()
    return found


async def _watch(found: Found) -> None:
    while True:
        begun = time.monotonic()
        await asyncio.sleep(0.01)
        found.lag = max(found.lag, time.monotonic() - begun - 0.01)


async def _one(fetcher: Fetcher, api: ApiClient, host: str, number: int, found: Found) -> None:
    begun = time.monotonic()
    try:
        if number % 10 == 0:
            await api.request_json("POST" if number % 20 else "GET", f"{number}", json={"n": number})
            end = "answer of a service"
        else:
            _look(await fetcher.get(f"http://{host}/{number}"), number, found)
            end = "answer"
    except NetError as error:
        end = str(error.code)
        if not error.detail.isprintable():
            found.dirty.append(f"{number}: {error.detail!r}")
    except Exception as error:
        end = "foreign"
        found.foreign.append(f"{number}: {type(error).__name__}: {error}")
    found.slowest = max(found.slowest, time.monotonic() - begun)
    found.ends[end] += 1
    found.answers += 1


def _look(answer: Response, number: int, found: Found) -> None:
    """What a crawl does with an answer, and whether its texts can be stored."""
    kind(answer.body, answer.content_type)
    decode_text(answer.body[:65_536], answer.content_type)
    texts = (*answer.validators, answer.content_type, answer.location, answer.phrase)
    for text in (*texts, *answer.headers.values()):
        if text is not None and ("\0" in text or not _is_utf8(text)):
            found.dirty.append(f"{number}: {text[:50]!r}")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


async def _serve(seed: int) -> None:
    async with FuzzServer.serve(seed) as server:
        print(json.dumps({"port": server.port}), flush=True)
        await asyncio.Event().wait()


@contextmanager
def _server(seed: int) -> Iterator[int]:
    """In a process of its own: its memory is not the client's."""
    command = [sys.executable, "-m", "lab", "fuzz", "--serve", "--seed", str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["port"]
        finally:
            process.terminate()
