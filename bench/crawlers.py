"""How each crawler is run on the bench's site, and what it cost: CPU of all its processes and servers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import asyncpg  # type: ignore[import-untyped]
import psutil  # type: ignore[import-untyped]

from bench import site
from tests.support.servers import Postgres, Valkey, random_name

OTHERS = Path(__file__).parent.parent / ".venv-bench" / "bin"
_ROOT = Path(__file__).parent.parent
_PLACES = "SURVEYOR_NET__HOSTS"


class Cost(NamedTuple):
    served: site.Served
    seconds: float  # from the start of the program to its end
    cpu: float  # seconds, user and system


class Crawler(Protocol):
    name: str

    def crawl(self, on: site.SiteProcess, hosts: int) -> Cost:
        """Crawl that many hosts of the site, from nothing to the last page."""
        ...


@dataclass(frozen=True)
class Other:
    """A crawler of others, with a module here that runs it in the environment of the benchmarks."""

    name: str
    module: str

    def crawl(self, on: site.SiteProcess, hosts: int) -> Cost:
        with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
            orders = {"folder": folder, "port": on.port, "hosts": [site.address(n) for n in range(hosts)]}
            line = [str(OTHERS / "python"), "-m", self.module, json.dumps(orders)]
            return _measured(on, line, dict(os.environ), [])


@dataclass(frozen=True)
class Surveyor:
    """Ours. Registry, frontier, log, pages, links and content hashes are durable; no archive, no extraction.

    One request at a time per host, as always. `wrapper` is put before the command, such as a profiler.
    """

    name: str
    on_servers: bool = False
    workers: int = 1
    delay: float = 0.0
    most_at_once: int = 1_000  # domains that one worker has in hand
    first: int = 0  # number of the first host
    wrapper: tuple[str, ...] = ()

    def crawl(self, on: site.SiteProcess, hosts: int) -> Cost:
        with self.ready(on, hosts) as line:
            return _measured(on, *line)

    @contextmanager
    def ready(self, on: site.SiteProcess, hosts: int) -> Iterator[_Line]:
        """With everything there that the crawl needs; how it is begun."""
        with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder, ExitStack() as stack:
            servers = stack.enter_context(_servers()) if self.on_servers else _Servers({}, ())
            environment = self.environment(on, hosts) | servers.environment
            workspace, seeds = Path(folder) / "workspace", Path(folder) / "seeds.txt"
            seeds.write_text("".join(f"{site.name(number)}\n" for number in self._numbers(hosts)))
            places = environment.pop(_PLACES)  # too long for the environment of a process, from 3,500 on
            for prepare in (("init", "--profile", "community"), ("ingest-seeds", str(seeds))):
                subprocess.run(_line(workspace, *prepare), env=environment, check=True, capture_output=True)
            _write_places(workspace, json.loads(places))
            more = ("--workers", str(self.workers)) if self.workers > 1 else ()
            line = [*self.wrapper, *_line(workspace, "crawl", "--json", *more)]
            yield _Line(line, environment, servers.pids)

    def _numbers(self, hosts: int) -> range:
        return range(self.first, self.first + hosts)

    def environment(self, on: site.SiteProcess, hosts: int) -> dict[str, str]:
        return self.settings(
            {site.name(number): f"{site.address(number)}:{on.port}" for number in self._numbers(hosts)}
        )

    def settings(self, places: Mapping[str, str]) -> dict[str, str]:
        """For a crawl of hosts by their names, and where each is."""
        hosts = len(places)
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")},
            _PLACES: json.dumps(dict(places)),
            "SURVEYOR_NET__ALLOW": '["127.0.0.0/8"]',
            "SURVEYOR_NET__CONTACT": "mailto:bench@surveyor.example",
            "SURVEYOR_CRAWL__DELAY_SECONDS": str(self.delay),
            "SURVEYOR_CRAWL__DEPTH": "20",
            "SURVEYOR_CRAWL__ARCHIVE": "off",
            # A fair share each, or the first to come holds them all.
            "SURVEYOR_CRAWL__DOMAINS_PER_WORKER": str(min(self.most_at_once, -(-hosts // self.workers))),
            "SURVEYOR_EXTRACT__ENABLED": "false",
            "SURVEYOR_LOG__LEVEL": "warning",
        }


@dataclass(frozen=True)
class Apart:
    """Crawls at once that share nothing, each with servers and hosts of its own: what so many processes cost
    on this machine, whatever they are."""

    name: str
    crawls: int

    def crawl(self, on: site.SiteProcess, hosts: int) -> Cost:
        each = hosts // self.crawls
        with ExitStack() as stack, ThreadPoolExecutor(self.crawls) as threads:
            lines = [
                stack.enter_context(Surveyor(self.name, on_servers=True, first=n * each).ready(on, each))
                for n in range(self.crawls)
            ]
            before = sum(_cpu_of(pid) for line in lines for pid in line.servers)
            spent = list(threads.map(lambda line: spent_by(line.words, line.environment), lines))
            servers = sum(_cpu_of(pid) for line in lines for pid in line.servers) - before
            seconds, cpu = zip(*spent, strict=True)
            return Cost(on.served(), max(seconds), sum(cpu) + servers)


class _Line(NamedTuple):
    """A command, and the servers that work for it."""

    words: Sequence[str]
    environment: dict[str, str]
    servers: Sequence[int]


def _write_places(workspace: Path, places: Mapping[str, str]) -> None:
    with (workspace / "surveyor.toml").open("a") as settings:
        settings.write("\n[net.hosts]\n")
        settings.writelines(f'"{name}" = "{place}"\n' for name, place in places.items())


def _line(workspace: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "surveyor", "--workspace", str(workspace), *arguments]


def _measured(
    on: site.SiteProcess, line: Sequence[str], environment: dict[str, str], servers: Sequence[int]
) -> Cost:
    """Run a program to its end; the CPU is its own, its children's, and what the servers spent meanwhile."""
    before = sum(map(_cpu_of, servers))
    seconds, cpu = spent_by(line, environment)
    spent = sum(map(_cpu_of, servers)) - before
    return Cost(on.served(), seconds, cpu + spent)


def spent_by(
    line: Sequence[str], environment: Mapping[str, str], *, is_quiet: bool = False
) -> tuple[float, float]:
    """Run a program to its end: seconds, and CPU seconds of it and of its children."""
    began = time.monotonic()
    silent = subprocess.DEVNULL
    err = silent if is_quiet else None
    process = subprocess.Popen(line, env=dict(environment), stdout=silent, stderr=err, cwd=_ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for here
    if process.returncode:
        raise RuntimeError(f"{' '.join(line)[:200]} ended with {process.returncode}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime


def _cpu_of(pid: int) -> float:
    """CPU seconds of a server with all its processes, those that ended included."""
    server = psutil.Process(pid)
    ended = server.cpu_times()
    alive = [process.cpu_times() for process in (server, *server.children(recursive=True))]
    return float(
        ended.children_user + ended.children_system + sum(times.user + times.system for times in alive)
    )


class _Servers(NamedTuple):
    environment: dict[str, str]
    pids: Sequence[int]


@contextmanager
def _servers() -> Iterator[_Servers]:
    """A PostgreSQL that syncs as it does by default, and a Valkey with its append-only file."""
    with ExitStack() as stack:
        postgres = Postgres.create()
        stack.callback(postgres.remove)
        valkey = Valkey.create()
        stack.callback(valkey.remove)
        name = random_name()
        asyncio.run(_prepare(postgres.url(), name))
        assert postgres.process is not None and valkey.process is not None
        yield _Servers(
            {"SURVEYOR_DATABASE__URL": postgres.url(name), "SURVEYOR_FRONTIER__URL": valkey.url},
            (postgres.process.pid, valkey.process.pid),
        )


async def _prepare(url: str, name: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.execute("ALTER SYSTEM SET fsync = on")  # the tests' server does without
    await connection.execute("SELECT pg_reload_conf()")
    await connection.close()
