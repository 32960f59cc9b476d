"""Hosts that never end: two hundred real pages each, and one family of endless ones among them.

Each family is one `_answer` for its own addresses and one link, on every tenth real page, that leads
in. The real pages are those of an ordinary host, so what must be stored is known.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import count
from typing import Final

from tests.support.site.graph import one_host
from tests.support.site.hosts import GraphHost, body_parts
from tests.support.site.wire import Answer, Request, answer, links, text_page

_BODY_BYTES = 2_000
_ENTRANCE = 10  # one real page in so many leads into the trap
_SESSION = "s="
_FACETS = ("colour=red", "colour=blue", "size=small", "size=large", "brand=north", "brand=south", "sale=yes")


class Trap:
    def __init__(self, name: str, family: str, pages: int = 200, seed: int = 0) -> None:
        if family not in FAMILIES:
            raise ValueError(f"there is no trap {family!r}; there are: {', '.join(FAMILIES)}")
        self.name, self._family, self._lead_in = name, *FAMILIES[family]
        self.graph = one_host(name, seed, pages)
        self._real = GraphHost(self.graph, _BODY_BYTES, 0.0, False)
        self._numbers = count(1)

    def answer(self, request: Request) -> Answer:
        # A host whose sessions stand in every address takes them off before it looks.
        target = request.target.partition(f"?{_SESSION}")[0]
        page = self.graph.pages.get(target)
        if request.name == self.name and page is not None:
            if page.number % _ENTRANCE:
                return self._real.answer(request._replace(target=target))
            lead_in = self._lead_in.format(name=self.name, session=self.session())
            return answer(200, b"".join(body_parts(self.graph, page, _BODY_BYTES, tuple(lead_in.split()))))
        found = self._family(self, request)
        return self._real.answer(request) if found is None else found

    def session(self) -> str:
        """A new one for every visitor who asks."""
        return sha256(f"{self.name} {next(self._numbers)}".encode()).hexdigest()[:20]


def _calendar(_: Trap, request: Request) -> Answer | None:
    """Every month has a next one."""
    path = request.target.strip("/").split("/")
    if path[0] != "events" or len(path) != 3 or not all(part.isdigit() for part in path[1:]):
        return None
    month = int(path[1]) * 12 + int(path[2]) - 1
    around = [f"/events/{at // 12}/{at % 12 + 1:02}/" for at in (month - 1, month + 1)]
    return text_page(f"Events in {path[1]}-{path[2]}", "Nothing is planned for this month.", links(*around))


def _session(trap: Trap, request: Request) -> Answer | None:
    """Every answer names other pages under a session of its own."""
    if not request.target.startswith("/cart"):
        return None
    session = trap.session()
    known = [f"{target}?{_SESSION}{session}" for target in list(trap.graph.pages)[:5] if "?" not in target]
    return text_page("Your basket", "Your basket is empty.", links(f"/cart?{_SESSION}{session}", *known))


def _repeat(_: Trap, request: Request) -> Answer | None:
    """`/a/a/a`: a relative link to a folder that always exists."""
    if not request.target.startswith("/a/"):
        return None
    return text_page("A folder", f"This is {request.target}.", links("a/"))


def _concat(_: Trap, request: Request) -> Answer | None:
    """Relative links where absolute ones were meant, on a server that looks at the end of a path only."""
    if not request.target.endswith(("about/team.html", "about/office.html")):
        return None
    return text_page("About us", "Who we are.", links("about/team.html", "about/office.html"))


def _facets(_: Trap, request: Request) -> Answer | None:
    """Filters in any order and any number."""
    path, _mark, query = request.target.partition("?")
    if path != "/shop":
        return None
    chosen = query.split("&") if query else []
    more = [f"/shop?{'&amp;'.join([*chosen, facet])}" for facet in _FACETS if facet not in chosen]
    return text_page("The shop", f"Things that are {' and '.join(chosen) or 'new'}.", links(*more))


def _entities(_: Trap, request: Request) -> Answer | None:
    """What was escaped is escaped again."""
    path, _mark, query = request.target.partition("?")
    if path != "/search":
        return None
    return text_page("Results", f"Nothing for {len(query)} letters.", links(f"/search?{query}%25amp"))


def _soft_404(_: Trap, request: Request) -> Answer | None:
    """Whatever is asked for, the answer is 200 and leads on."""
    if request.target == "/robots.txt":
        return None
    further = sha256(request.target.encode()).hexdigest()[:8]
    told = "Sorry, we could not find the page you were looking for."
    return text_page("Page not found", told, links(f"/offer-{further}", f"/offer-{further[::-1]}"))


def _subdomains(trap: Trap, request: Request) -> Answer | None:
    """Every name under the host answers, and knows another one."""
    if request.name == trap.name:
        return None
    further = sha256(request.name.encode()).hexdigest()[:6]
    return text_page(f"Welcome to {request.name}", links(f"http://{further}.{trap.name}/"))


FAMILIES: Final[dict[str, tuple[Callable[[Trap, Request], Answer | None], str]]] = {
    "calendar": (_calendar, "/events/2026/03/"),
    "session": (_session, "/cart?s={session}"),
    "repeat": (_repeat, "/a/"),
    "concat": (_concat, "/about/team.html"),
    "facets": (_facets, "/shop"),
    "entities": (_entities, "/search?q=a%25"),
    "soft-404": (_soft_404, "/offer-1"),
    "subdomains": (_subdomains, "http://start.{name}/"),
}
