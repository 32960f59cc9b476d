"""Pages in the product's browser try every way out, in a network where every address leads to one listener.

Forbidden addresses must not be reached by any way, whether the browser asks for itself or through the
crawler's fetcher and its guard. What may be reached is: scripts and data from a public address.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.guard import NoNamespace, alone, network

_ROOT = Path(__file__).parent.parent
_SECONDS = 900.0
# Forbidden addresses that each get a page with all ways, and each way as a name (`net.hosts`) as well.
ADDRESSES = ("127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "100.64.0.1", "[::1]", "[fd00::1]")


@dataclass(frozen=True, slots=True)
class Report:
    ways: int
    """That a page tries."""
    pages: int
    armed: int
    """Forbidden addresses that answer whoever has no guard."""
    by_browser: int
    """Of the same ways, those that reach a listener from a browser without our switches and our proxy."""
    refused: Mapping[str, int]
    """Who stopped them: the guard of the fetcher, the proxy that refuses all."""
    accepted: Sequence[str]
    """Connections and packets that arrived where nobody may go."""
    controls: int
    """Scripts and data from public addresses that a page got."""
    expected: int

    @property
    def is_sound(self) -> bool:
        return (
            self.armed == len(ADDRESSES)
            and self.ways >= 60
            and self.by_browser >= 10
            and not self.accepted
            and self.controls == self.expected > 0
        )

    def __str__(self) -> str:
        refused = ", ".join(f"{name} {count}" for name, count in self.refused.items())
        return "\n".join(
            (
                f"{self.pages} pages with {self.ways} ways out each; {self.armed} forbidden addresses listen",
                f"a browser without our switches reached them {self.by_browser} times from one such page",
                f"{len(self.accepted)} arrivals {list(self.accepted[:5])}; stopped by {refused}",
                f"{self.controls} of {self.expected} public scripts and data reached",
            )
        )


def run_network(addresses: Sequence[str] = ADDRESSES) -> int:
    try:
        report = tried(addresses)
    except NoNamespace as why:
        print(f"not run: {why}", file=sys.stderr)
        return 1
    print(report)
    print("sound" if report.is_sound else "FAILED")
    return 0 if report.is_sound else 1


def tried(addresses: Sequence[str]) -> Report:
    """In a process of its own, in a network of its own."""
    orders = json.dumps({"addresses": list(addresses), "outside": network()})
    command = [*alone(), sys.executable, "-m", "lab.render_network_inside", orders]
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"it ended with {done.returncode}: {done.stderr[-2000:]}")
    return Report(**json.loads(done.stdout.splitlines()[-1]))


def as_json(report: Report) -> str:
    return json.dumps(asdict(report))
