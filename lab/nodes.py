"""Kills nodes of a Valkey cluster one after the other, and starts them again, while a crawl goes on."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from itertools import cycle

from tests.support.crawl_check import Report, Violation
from tests.support.servers import ValkeyCluster

_EVERY_SECONDS = 30.0  # they live in between: what is in flight at a death counts as at a kill


@contextlib.contextmanager
def dying_nodes() -> Iterator[ValkeyCluster]:
    """Three nodes; says at the end how often one of them was killed and came back."""
    cluster, over, killed = ValkeyCluster.create(), threading.Event(), 0

    def kill() -> None:
        nonlocal killed
        for node in cycle(cluster.nodes):
            if over.wait(_EVERY_SECONDS):
                return
            node.stop(signal.SIGKILL)
            node.start()
            killed += 1

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield cluster
    finally:
        over.set()
        thread.join()
        cluster.remove()
        print(f"{killed} times a node of three was killed and came back")


def without_deaths(report: Report) -> Report:
    """What a node's death costs is counted apart: pages in flight then are asked for again, and whoever
    starts beside a dead node ends with one line. What is lost, or asked for too fast, stays a violation."""
    costs = [violation for violation in report.violations if _is_a_cost(violation)]
    figures = dict(report.figures) | {
        "asked again beside kills of workers": sum(cost.kind == "asked again" for cost in costs),
        "starts refused": sum(cost.kind != "asked again" for cost in costs),
    }
    return Report([violation for violation in report.violations if violation not in costs], figures)


def _is_a_cost(violation: Violation) -> bool:
    return violation.kind == "asked again" or "does not answer" in violation.what
