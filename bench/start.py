"""What a start costs: CPU of listings and of a crawl with nothing to do; memory and CPU of an idle `up`.

The machine may be busy with other things, which makes CPU dearer: of several runs the cheapest counts. Memory
is the sum of the proportional set sizes of all processes, so that what they share counts once.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from bench.crawlers import spent_by
from bench.target import Target

_LISTINGS = (
    "domain-status",
    "top-domains",
    "queue-status",
    "list-runs",
    "review",
    "candidates",
    "records",
    "events",
    "workers",
    "jobs",
    "sessions",
)
_CRAWL = "crawl"
# Seconds after which `up` has started all parts and those with nothing to do have ended.
_SETTLED_SECONDS = 60.0


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench start", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle-seconds", type=float, default=30.0, help="how long `up` is watched; 0: not")
    args = parser.parse_args(argv)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")}
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
        workspace = Path(folder) / "workspace"
        _spent(workspace, environment, "init", "--profile", "funding")
        cost = {
            command: min(_spent(workspace, environment, command) for _ in range(args.rounds))
            for command in (*_LISTINGS, _CRAWL)
        }
        for command, cpu in cost.items():
            print(f"{command:<16} {cpu:6.3f} s CPU, cheapest of {args.rounds}")
        targets = [
            Target("dearest listing, s of CPU", max(cost[name] for name in _LISTINGS), 0.4),
            Target("crawl of an empty register, s of CPU", cost[_CRAWL], 0.8),
        ]
        if args.idle_seconds:
            targets += _idle(workspace, environment, args.idle_seconds)
    print("", *targets, sep="\n")
    return 0 if all(target.is_met for target in targets) else 1


def _line(workspace: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "surveyor", "--workspace", str(workspace), *arguments]


def _spent(workspace: Path, environment: dict[str, str], *arguments: str) -> float:
    return spent_by(_line(workspace, *arguments), environment, is_quiet=True)[1]


def _idle(workspace: Path, environment: dict[str, str], seconds: float) -> list[Target]:
    silent = subprocess.DEVNULL
    line = _line(workspace, "up", "--port", "0")
    process = subprocess.Popen(line, env=environment, stdout=silent, stderr=silent)
    try:
        time.sleep(_SETTLED_SECONDS)
        before, began = _cpu(process.pid), time.monotonic()
        time.sleep(seconds)
        share = 100 * (_cpu(process.pid) - before) / (time.monotonic() - began)
        memory = 0.0
        for each in _tree(process.pid):
            size = each.memory_full_info().pss / 1e6
            memory += size
            print(f"up: {size:6.1f} MB  {' '.join(each.cmdline()[5:])}")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
    return [Target("idle `up`, MB", memory, 300), Target("idle `up`, % of a core", share, 1.0)]


def _tree(pid: int) -> list[psutil.Process]:
    root = psutil.Process(pid)
    found = [root, *root.children(recursive=True)]
    return [each for each in found if each.status() != psutil.STATUS_ZOMBIE]


def _cpu(pid: int) -> float:
    return sum(sum(each.cpu_times()[:2]) for each in _tree(pid))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
