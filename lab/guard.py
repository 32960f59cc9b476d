"""Leads the fetcher and a whole crawl to forbidden addresses, in every spelling and by every way.

It happens in a network of its own, without a way out, in which every address of the internet leads to
one listener: so whatever the guard lets through is seen, and public addresses can be tried as well.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.claims import commit

LEAST_ARMED = 48
"""Forbidden addresses that must be reachable for somebody without a guard; else nothing is proved."""
CONTROLS = 50
_ROOT = Path(__file__).parent.parent
_SECONDS = 600.0


class NoNamespace(Exception):
    """This machine does not let us make a network of our own; the text says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    every_way: bool = True
    """Each form by each code at each hop; else each directly, and every third by one of them, in turns."""
    domains: int | None = None
    """Crawled domains, each with pages that lead to one form; None: as many as there are forms."""


@dataclass(frozen=True, slots=True)
class Report:
    armed: int
    """Forbidden addresses that answer whoever has no guard."""
    tried: Mapping[str, int]
    """Entry point -> attempts."""
    not_refused: Sequence[str]
    """Attempts of the fetcher that did not end with a refusal."""
    accepted: Sequence[str]
    """Connections that arrived where nobody may go."""
    controls: int
    """Public addresses that were reached, of 50."""
    crawled: int
    """Pages that the crawl fetched from the public addresses of its domains."""
    expected: int
    crawl_code: int

    @property
    def is_sound(self) -> bool:
        return (
            self.armed >= LEAST_ARMED
            and not self.not_refused
            and not self.accepted
            and self.controls == CONTROLS
            and (self.crawled, self.crawl_code) == (self.expected, 0)
        )

    def __str__(self) -> str:
        tried = ", ".join(f"{name} {count:,}" for name, count in self.tried.items())
        return "\n".join(
            (
                f"{self.armed} forbidden addresses listen; tried: {tried}",
                f"{len(self.accepted)} connections to them {list(self.accepted[:5])}",
                f"{len(self.not_refused)} attempts that were not refused {list(self.not_refused[:5])}",
                f"{self.controls} of {CONTROLS} public addresses reached;"
                f" {self.crawled} of {self.expected} pages crawled, exit code {self.crawl_code}",
            )
        )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab guard", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--domains", type=int, help="domains to crawl; default: one for each form")
    args = parser.parse_args(argv)
    print(f"guard: every form by every way, nothing left to chance, {commit()}")
    with tempfile.TemporaryDirectory(prefix="surveyor-lab-") as folder:
        try:
            report = run_guard(Plan(domains=args.domains), Path(folder))
        except NoNamespace as why:
            print(f"not run: {why}", file=sys.stderr)
            return 1
    print(report)
    return 0 if report.is_sound else 1


def run_guard(plan: Plan, folder: Path) -> Report:
    """In a process of its own, in a network of its own; `folder` is empty."""
    orders = json.dumps({"plan": asdict(plan), "folder": str(folder), "outside": network()})
    command = [*alone(), sys.executable, "-m", "lab.guard_inside", orders]
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"it ended with {done.returncode}: {done.stderr[-2000:]}")
    return Report(**json.loads(done.stdout))


def network() -> str:
    """The name of the network this process lives in."""
    return str(Path("/proc/self/ns/net").readlink())


def alone() -> list[str]:
    """The words before a command that give it a network of its own."""
    for tool in ("unshare", "ip"):
        if shutil.which(tool) is None:
            raise NoNamespace(f"there is no {tool} here")
    words = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-Urn"]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise NoNamespace(tried.stderr.strip() or "unshare failed")
    return words
