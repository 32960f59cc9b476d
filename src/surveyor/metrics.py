"""Counters and gauges of this process, in one registry that `/metrics` can print."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

REGISTRY = CollectorRegistry()

DOMAINS_CLAIMED = Counter("surveyor_domains_claimed", "Leases taken by this process", registry=REGISTRY)
LEASES_LOST = Counter(
    "surveyor_leases_lost", "Leases that ended before they were released", registry=REGISTRY
)
LEASES_HELD = Gauge("surveyor_leases_held", "Leases held by this process now", registry=REGISTRY)
PAGES_FETCHED = Counter("surveyor_pages_fetched", "Pages fetched by this process", registry=REGISTRY)
