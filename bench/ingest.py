"""Seeds: time, rows per second and memory for a million-line list on SQLite."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SUFFIXES = ("com", "org", "net", "de", "bg", "co.uk", "io", "eu")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench ingest", description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    lines = parser.parse_args(argv).lines
    with tempfile.TemporaryDirectory() as folder:
        small = _ingest(Path(folder) / "small", lines // 10)
        large = _ingest(Path(folder) / "large", lines)
        again = _ingest(Path(folder) / "large", lines)
    for told in (small, large, again):
        speed = told["lines"] / told["seconds"]
        print(
            f"{told['lines']:>9,} lines: {told['seconds']:6.1f} s, {speed:>8,.0f} lines/s,"
            f" {told['cpu']:6.1f} s CPU, {told['mib']:5.0f} MiB, {told['new']:,} new"
        )
    print(f"memory for ten times the lines: {large['mib'] / small['mib']:.2f} x")
    print(f"the same list again: {again['new']} new")
    return 0


def _ingest(workspace: Path, lines: int) -> dict[str, float]:
    seeds = workspace.parent / f"tranco_{lines}.csv"
    if not seeds.exists():
        with seeds.open("w") as out:
            for rank in range(1, lines + 1):
                out.write(f"{rank},site-{rank * 7919 % 9_999_991}.{_SUFFIXES[rank % len(_SUFFIXES)]}\n")
    program = [sys.executable, "-m", "surveyor", "--workspace", str(workspace)]
    if not workspace.exists():
        subprocess.run(
            [sys.executable, "-m", "surveyor", "init", str(workspace)], check=True, capture_output=True
        )
    begun = time.monotonic()
    done = subprocess.Popen([*program, "ingest-seeds", str(seeds), "--json"], stdout=subprocess.PIPE)
    assert done.stdout is not None
    report = json.loads(done.stdout.read())
    _, status, usage = os.wait4(done.pid, 0)
    assert status == 0
    return {
        "lines": lines,
        "seconds": time.monotonic() - begun,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mib": usage.ru_maxrss / 1024,
        "new": report["new"],
    }
