"""The main job on this machine: a list becomes a register, and approved sites are crawled.

The crawl is killed in the middle and goes on; a person stops a domain while it is crawled.
The sites are invented and served on loopback; everything lies in a folder of its own, on SQLite.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import fill

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from surveyor import cli
from surveyor.bootstrap import Workspace, open_workspace
from surveyor.registry.actors import Actor
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import changes, rows
from tools.demo_site import DemoSite

SEEDS = Path(__file__).with_name("demo_seeds.csv")
# A terminal narrower than this wraps what we print; a wider one is easier to read half empty.
WIDTH = 78
# Shorter than on the open web, where two seconds lie between two requests to one site.
_DELAY = "0.05"
_PATIENCE_SECONDS = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev demo", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--once", action="store_true", help="end when done; it always does")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="make the workspace here and leave it")
    asked = parser.parse_args(arguments)
    if asked.keep is not None and asked.keep.exists():
        parser.error(f"{asked.keep} exists; name a folder that does not")
    with tempfile.TemporaryDirectory(prefix="surveyor-demo-", ignore_cleanup_errors=True) as folder:
        try:
            with _served() as site:
                Story(asked.keep or Path(folder) / "grants", site).tell()
        except KeyboardInterrupt:
            return 130
    if asked.keep is not None:
        _say(f"Look around: ./dev run --workspace {asked.keep} domain-status")
    return 0


@contextlib.contextmanager
def _served() -> Iterator[DemoSite]:
    """The sites, in a thread with a loop of its own."""
    site, loop = DemoSite(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(site.start(), loop).result()
    try:
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(site.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Story:
    """Six steps in one workspace; each prints what it does and what came of it."""

    def __init__(self, workspace: Path, site: DemoSite) -> None:
        self.workspace, self.site = workspace, site
        self.settings = site.environment() | {"SURVEYOR_CRAWL__DELAY_SECONDS": _DELAY}
        self._steps = 0

    def tell(self) -> None:
        self.step("A workspace", "A folder with settings, a SQLite file and a profile: what to look for.")
        self.surveyor("init", str(self.workspace), "--profile", "funding", outside=True)
        self.step("Seeds", "A list with doubles, full addresses and bad lines becomes canonical domains.")
        self.surveyor("ingest-seeds", str(SEEDS), "--source", "demo")
        self.a_crawl_is_killed()
        self.a_person_decides()
        self.it_goes_on()
        self.what_is_known()

    def a_crawl_is_killed(self) -> None:
        self.step(
            "A crawl, killed",
            "A worker crawls all sites side by side, politely, one request at a time each. "
            "After some pages it gets SIGKILL and cannot tidy up.",
        )
        worker = self.start("crawl")
        self.until(lambda: self.site.asked.total() >= 60)
        worker.kill()
        worker.wait()
        _say(f"It had asked for {self.site.asked.total()} pages.")

    def a_person_decides(self) -> None:
        chosen = "danube.example"
        self.step(
            "A person decides",
            f"Crawling goes on at once: the dead worker's lock file is free. While it runs, "
            f"somebody suspends {chosen}.",
        )
        before = self.site.asked.total()
        worker = self.start("crawl")
        self.until(lambda: self.site.asked.total() >= before + 30)
        self.suspend(chosen)
        asked = self._asked(chosen)
        worker.wait(_PATIENCE_SECONDS)
        _say(
            f"Requests to {chosen} after the decision: {self._asked(chosen) - asked} (one may be on its way)."
        )

    def it_goes_on(self) -> None:
        self.step("To the end", "One more run finds what is left, if anything is.")
        self.surveyor("crawl")
        repeats = self.site.asked.total() - len(self.site.asked)
        _say(f"{len(self.site.asked)} different pages were asked for, {repeats} of them twice:")
        _say("what was in flight when the worker was killed, and errors that were tried again.")

    def what_is_known(self) -> None:
        self.step("What is known now", "Progress, obstacles and decisions, each with who, when and why.")
        self.surveyor("domain-status")
        self.surveyor("why", "http://lom.example/private/minutes")
        self.surveyor("why", "danube.example")
        self.surveyor("list-runs")

    def _asked(self, domain: str) -> int:
        return sum(count for page, count in self.site.asked.items() if page.startswith(domain))

    def suspend(self, domain: str) -> None:
        async def act(place: Workspace) -> None:
            async with place.db.write() as tx:
                no = await rows.find_no(tx, domain)
                asked = "its owner asked us to"
                await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, Actor.operator(), reason=asked)

        async def whole() -> None:
            async with open_workspace(self.workspace) as place:
                await act(place)

        asyncio.run(whole())

    def until(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not reached():
            if time.monotonic() > deadline:
                raise SystemExit("the demo's crawl did not get on; run `./dev run doctor`")
            time.sleep(0.02)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        _console().print(Text(f"$ surveyor {' '.join(arguments)} &", style="cyan"))
        command = [sys.executable, "-m", "surveyor", "--workspace", str(self.workspace), *arguments]
        return subprocess.Popen(command, env=os.environ | self.settings, stderr=subprocess.DEVNULL)  # noqa: S603

    def surveyor(self, *arguments: str, outside: bool = False) -> None:
        """Run a command as a person would type it."""
        shown = [Path(word).name if word.startswith("/") else word for word in arguments]
        _console().print(Text(f"$ surveyor {' '.join(shown)}", style="cyan"))
        before = [] if outside else ["--workspace", str(self.workspace)]
        with _environment(self.settings):
            code = cli.run([*before, *arguments])
        sys.stdout.flush()
        if code:
            raise SystemExit(code)

    def step(self, heading: str, told: str) -> None:
        self._steps += 1
        _say("")
        _console().print(Rule(Text(f"{self._steps}  {heading}", style="bold"), align="left"), width=WIDTH)
        _say(fill(told, WIDTH))


@contextlib.contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _console() -> Console:
    return Console(highlight=False)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the demo is what it prints


if __name__ == "__main__":
    sys.exit(main())
