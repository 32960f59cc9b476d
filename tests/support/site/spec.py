"""What a site server is told: plain values that can be handed to another process."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.support.site.graph import SiteGraph


@dataclass(frozen=True)
class Manner:
    """How a host behaves, whatever it has; a host without one is well-mannered."""

    wait: float = 0.0
    """Seconds before every answer."""
    status: int | None = None
    """What every page is answered with; robots.txt is not a page."""
    after: int = 0
    """So many pages are answered well before."""
    retry_after: str | None = None
    """Sent with that status: seconds or a date."""
    robots: str | int | None = None
    """Body or status of robots.txt instead of the host's own."""


DENY_ALL = "User-agent: *\nDisallow: /\n"


@dataclass(frozen=True)
class SiteSpec:
    graph: SiteGraph
    latency: float = 0.0
    """Seconds before the answer to a page: half to one and a half of it, by the page's number."""
    validators: bool = False
    """Send ETag and Last-Modified, and answer conditional requests with 304."""
    special: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Host name -> `kind` of special host and its options."""
    manners: dict[str, Manner] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        """Every host name that is answered for."""
        return (*self.graph.names, *self.graph.stranger_names, *self.special)

    def net_hosts(self, port: int) -> dict[str, str]:
        """The setting `net.hosts` that leads a crawler here, whatever the spelling of a name."""
        address = f"127.0.0.1:{port}"
        return {f"{prefix}{name}": address for name in self.names() for prefix in ("", "www.")}

    def environment(self, port: int) -> dict[str, str]:
        """What a crawler process must find in its environment to come here and be let in."""
        return {
            "SURVEYOR_NET__HOSTS": json.dumps(self.net_hosts(port), separators=(",", ":")),
            "SURVEYOR_NET__ALLOW": '["127.0.0.0/8"]',
        }

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SiteSpec:
        told = json.loads(text)
        told["graph"] = SiteGraph(**told["graph"])
        told["manners"] = {host: Manner(**manner) for host, manner in told["manners"].items()}
        return cls(**told)
