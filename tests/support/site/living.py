"""A host that lives: pages change, go and come, and it may be redesigned, parked, sold or sent elsewhere.

`SiteProcess.tell(host, ...)` says what it does from now on; see `Living.tell`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from tests.support.site.wire import Answer, Request, answer, links, text_page

TOPICS = ("Grants", "Youth", "Rivers", "Schools", "Museums", "Seniors")
PARKED = {
    "en": ("{0} is for sale!", "Buy this domain today. Related searches: loans, insurance, flights."),
    "de": ("{0} steht zum Verkauf", "Diese Domain steht zum Verkauf. Jetzt ein Angebot machen."),
    "bg": ("{0}", "Домейнът се продава. Свържете се с нас за оферта."),
}


class Living:
    """`pages` besides the home page. `validators`: etag, date, or none. `sitemap`: with honest dates."""

    def __init__(self, name: str, pages: int = 12, validators: str = "etag", sitemap: bool = False) -> None:
        self.name, self._validators, self._sitemap = name, validators, sitemap
        self._targets = ["/", *(f"/{TOPICS[n % len(TOPICS)].lower()}/{n}" for n in range(pages))]
        self._versions: dict[str, int] = {}
        self._dates: dict[str, str] = {}
        self._gone: set[str] = set()
        self._look = "usual"

    def tell(
        self,
        *,
        changed: list[str] | None = None,
        dates: dict[str, str] | None = None,
        gone: list[str] | None = None,
        back: list[str] | None = None,
        new: list[str] | None = None,
        look: str | None = None,
    ) -> None:
        """`look`: usual, festive (another home page for a day), redesigned, moved (redesigned, with other
        addresses), sold, parked:LANGUAGE, or away:STATUS:URL."""
        for target in changed or ():
            self._versions[target] = self._versions.get(target, 0) + 1
        self._dates |= dates or {}
        self._gone |= set(gone or ())
        self._gone -= set(back or ())
        self._targets += new or []
        self._look = look or self._look

    def answer(self, request: Request) -> Answer:
        target = request.target
        if target == "/robots.txt":
            return answer(404)
        if target == "/sitemap.xml" and self._sitemap:
            return answer(200, self._map(), "application/xml")
        kind, _, more = self._look.partition(":")
        if kind == "parked":
            title, said = PARKED[more]
            return text_page(title.format(self.name), said)
        if kind == "away":
            status, _, url = more.partition(":")
            return answer(int(status), location=url)
        if kind in ("sold", "moved"):
            return self._of_others(target) if kind == "sold" else self._moved(target)
        if kind == "festive" and target == "/":
            return text_page("Merry days", "Closed until January.", links("/carols", "/candles", "/cards"))
        if target not in self._targets or target in self._gone:
            return text_page("Not found", f"Nothing at {target}.", status=404)
        return self._conditional(request, self._page(target))

    def _conditional(self, request: Request, html: str) -> Answer:
        if self._validators == "none":
            return answer(200, html)
        etag = f'"{sha256(html.encode()).hexdigest()[:16]}"'
        day = 1 + self._versions.get(request.target, 0)
        date = f"Wed, {day:02} Mar 2026 10:00:00 GMT"
        name, value = ("etag", etag) if self._validators == "etag" else ("last_modified", date)
        asked = request.header("if-none-match" if name == "etag" else "if-modified-since")
        return answer(304, **{name: value}) if asked == value else answer(200, html, **{name: value})

    def _page(self, target: str) -> str:
        version = self._versions.get(target, 0)
        topic = target.split("/")[1].title() or "Home"
        if self._look == "redesigned":
            title = f"{topic} at the Rila Youth Foundation"
            body = f"<main><h2>Our new look</h2>{self._text(target, version)}</main>"
        else:
            title, body = f"{topic} | Rila Youth Foundation", f"<p>{self._text(target, version)}</p>"
        head = f"<!doctype html><html><head><title>{title}</title></head>"
        return f"{head}<body>{body}<nav>{links(*self._targets)}</nav></body></html>"

    def _text(self, target: str, version: int) -> str:
        return f"What the foundation does at {target}, told in edition {version}. " * 20

    def _moved(self, target: str) -> Answer:
        """The same house in a new building: only the home page is where it was."""
        if target != "/" and not target.startswith("/en/"):
            return text_page("Not found", "We have moved this page.", status=404)
        said = "Welcome to the new pages of the Rila Youth Foundation. " * 10
        return text_page("Start", said, links(*(f"/en/{n}" for n in range(5))))

    def _of_others(self, target: str) -> Answer:
        """A new owner, with other things at all addresses."""
        said = "Spin the wheel and win with our slots, roulette and live dealers tonight. " * 20
        return text_page(f"Lucky Slots {len(target)}", said, links(*(f"/play/{n}" for n in range(6))))

    def _map(self) -> str:
        listed = "".join(
            f"<url><loc>http://{self.name}{target}</loc>"
            + (f"<lastmod>{self._dates[target]}</lastmod>" if target in self._dates else "")
            + "</url>"
            for target in self._targets
        )
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'


def told(host: Any, what: dict[str, Any]) -> None:
    """Pass on what a test says, if the host is one that listens."""
    if not isinstance(host, Living):
        raise TypeError("only a living host can be told something")
    host.tell(**what)
