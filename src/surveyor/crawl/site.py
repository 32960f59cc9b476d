"""How a domain is reached: scheme and host as the site answered, and what its robots.txt asks for.

https comes first; http only where nothing speaks TLS. A certificate that does not hold
is no reason to go without one: there is no silent downgrade.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from surveyor.errors import NetError
from surveyor.names import DEFAULT_RULES, NameRules, PageUrl, parse_url
from surveyor.net.reasons import Reason
from surveyor.net.robots import Getter, Robots, fetch_robots

# Failures after which another origin may be tried.
_NO_TLS = frozenset({Reason.CONNECTION_REFUSED, Reason.CONNECTION_RESET, Reason.TIMEOUT, Reason.BAD_RESPONSE})
_OTHER_SERVER = frozenset(
    {Reason.DNS_FAILURE, Reason.CONNECTION_REFUSED, Reason.CONNECTION_RESET, Reason.TIMEOUT}
)


class Site:
    """One domain's origins. `origin` is where pages are asked for, such as https://www.example.org."""

    def __init__(self, domain: str, start_url: str | None) -> None:
        self.domain = domain
        self.origin: str | None = start_url.rstrip("/") if start_url else None
        self.robots: Robots | None = None
        self._home: PageUrl | None = None

    def page(self, target: str, rules: NameRules = DEFAULT_RULES) -> PageUrl:
        """The URL of a canonical target, without parsing it again."""
        home = self._home
        if home is None or f"{home.scheme}://{home.host}" != self.origin:
            home = self._home = parse_url(self.url("/"), rules=rules)
        return PageUrl(home.scheme, home.host, home.domain, target)

    def url(self, target: str) -> str:
        assert self.origin is not None
        return self.origin + target

    def moved(self, to: PageUrl) -> bool:
        """Follow the site to its other scheme or to www; says whether anything changed."""
        origin = f"{to.scheme}://{to.host}"
        changed = origin != self.origin
        self.origin = origin
        return changed

    def origins(self) -> list[str]:
        """Origins to try, in order."""
        if self.origin is not None:
            return [self.origin]
        plain = [f"https://{self.domain}", f"http://{self.domain}"]
        return [*plain, f"https://www.{self.domain}", f"http://www.{self.domain}"]


async def probe_origin(
    site: Site, getter: Getter, agent: str, now: datetime, before: Callable[[], Awaitable[None]]
) -> NetError | None:
    """Find the origin that answers and read its robots.txt; the error if none does.

    `before` is awaited before every request: politeness holds for origins too.
    """
    first: NetError | None = None
    previous: NetError | None = None
    for origin in site.origins():
        if not _worth_trying(origin, site, previous):
            continue
        await before()
        robots = await fetch_robots(getter, origin, agent, now, site.robots, domain=site.domain)
        if robots.error is None:
            site.origin, site.robots = origin, robots
            return None
        previous = robots.error
        first = first or previous
        if site.robots is not None and robots.rules is site.robots.rules:
            return None  # a young copy serves
    return first


def _worth_trying(origin: str, site: Site, previous: NetError | None) -> bool:
    if previous is None:
        return True
    if origin == f"https://www.{site.domain}":
        # The bare name often leads to another server, or to none, or the certificate is for www alone.
        return previous.code in _OTHER_SERVER or is_bad_certificate(previous)
    if previous.code == Reason.TLS_ERROR:
        return not is_bad_certificate(previous)
    if previous.code == Reason.DNS_FAILURE:
        return origin.startswith("http://www.")
    return previous.code in _NO_TLS


def is_bad_certificate(error: NetError) -> bool:
    return error.code == Reason.TLS_ERROR and "certificate" in error.detail
