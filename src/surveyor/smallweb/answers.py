"""What a site answers to a request: its manner first, then its lists, pictures and pages.

Pure but for the caches of what was rendered: a site, a request and the time in, an answer out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from hashlib import blake2s
from typing import NamedTuple
from urllib.parse import unquote

from surveyor.smallweb import lists
from surveyor.smallweb.marks import dated, enlivened, is_lively
from surveyor.smallweb.pages import render, tongue
from surveyor.smallweb.pdf import to_pdf
from surveyor.smallweb.pictures import content_type, to_bytes
from surveyor.smallweb.sites import Page, Picture, Site
from surveyor.smallweb.traps import trap_page

_XML = "application/xml; charset=utf-8"
_LOGIN_FORM = (
    '<h1>Log in</h1><form method="post"><label>Name <input name="user"></label> '
    '<label>Password <input type="password" name="password"></label><button>Log in</button></form>'
)


class Request(NamedTuple):
    method: str
    host: str
    """Without a port, in lower case."""
    target: str
    headers: Mapping[str, str]
    """Names in lower case."""

    @property
    def path(self) -> str:
        return unquote(self.target.partition("?")[0])


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = {}


class Answers:
    """Answers for every site; knows when it was started and how often each page was seen."""

    def __init__(self, started: datetime) -> None:
        self._started = started
        self._visits: Counter[tuple[str, str]] = Counter()

    def answer(self, site: Site, request: Request, now: datetime) -> Answer:
        if request.host == site.manner.assets:
            return self._picture(site, request.path) or Answer(404)
        if (elsewhere := _other_door(site, request)) is not None:
            return elsewhere
        if request.target == "/robots.txt":
            robots = site.robots
            return Answer(robots.status, lists.robots_txt(robots), "text/plain; charset=utf-8")
        return self._mannered(site, request, now) or self._open(site, request, now)

    def _mannered(self, site: Site, request: Request, now: datetime) -> Answer | None:
        """What every address of the site says, whatever was asked for."""
        manner = site.manner
        if manner.redirect:
            return Answer(301, headers={"Location": manner.redirect})
        if manner.shows:
            # Whatever a visitor remembers is of other pages that stood here.
            shown = self._page(site, site.pages[manner.shows], request._replace(headers={}), now)
            return shown._replace(status=manner.status)
        if manner.status != 200:
            asked = {"Retry-After": manner.retry_after} if manner.retry_after else {}
            return Answer(manner.status, b"<title>No</title><p>Not now, and not to you.</p>", headers=asked)
        return None

    def _open(self, site: Site, request: Request, now: datetime) -> Answer:
        path = request.path
        if any(path.startswith(prefix) for prefix in site.manner.login):
            wanted = request.target.partition("?")[0]
            return Answer(302, headers={"Location": f"/login?next={wanted}"})
        if path == "/login" and site.manner.login:
            return self._made(site, "Log in", _LOGIN_FORM)
        if (listed := self._list(site, path)) is not None:
            return listed
        if (inner := trap_page(site.manner.trap, request.target)) is not None:
            return self._made(site, "", inner)
        if not site.manner.assets and (drawn := self._picture(site, path)) is not None:
            return drawn
        page = site.pages.get(path)
        if page is None or page.hidden:
            return self._missing(site, path)
        return self._page(site, page, request, now)

    def _list(self, site: Site, path: str) -> Answer | None:
        manner = site.manner
        if path == "/sitemap.xml" and manner.sitemap == "plain":
            return Answer(200, lists.sitemap(site, self._started).encode(), _XML)
        if path == "/sitemap.xml" and manner.sitemap == "index":
            return Answer(200, lists.sitemap_index(site).encode(), _XML)
        packed = [f"/sitemap-{part + 1}.xml.gz" for part in range(lists.PARTS)]
        if manner.sitemap == "index" and path in packed:
            body = lists.packed_sitemap(site, self._started, packed.index(path))
            return Answer(200, body, "application/gzip")
        if manner.feed and path == manner.feed:
            feed = lists.feed(site, self._started, self._started.date())
            return Answer(200, feed.encode(), "application/rss+xml; charset=utf-8")
        return None

    def _picture(self, site: Site, path: str) -> Answer | None:
        picture = site.pictures.get(path)
        if picture is None:
            return None
        asked = {"X-Robots-Tag": picture.robots} if picture.robots else {}
        return Answer(200, _picture_bytes(picture), content_type(picture), asked)

    def _page(self, site: Site, page: Page, request: Request, now: datetime) -> Answer:
        headers = dict(page.headers)
        if page.redirect:
            status = 302 if page.status == 200 else page.status
            return Answer(status, headers=headers | {"Location": page.redirect})
        if page.kind == "pdf":
            text = dated(page.source, self._started.date(), tongue(site, page))
            return Answer(200, _pdf_bytes(text), "application/pdf", headers)
        text = render(site, page, self._started.date())
        if is_lively(text):
            self._visits[site.host, page.path] += 1
            text = enlivened(text, self._visits[site.host, page.path], now)
        else:
            headers |= self._validators(site, page, text)
        kind = f"text/html; charset={page.charset}"
        if page.status == 200 and _unchanged(headers, request.headers):
            return Answer(304, b"", kind, headers)
        return Answer(page.status, text.encode(page.charset, "xmlcharrefreplace"), kind, headers)

    def _validators(self, site: Site, page: Page, text: str) -> dict[str, str]:
        wanted = site.manner.validators
        found = {}
        if wanted in ("both", "etag"):
            found["ETag"] = f'"{blake2s(text.encode(), digest_size=8).hexdigest()}"'
        if wanted in ("both", "modified"):
            found["Last-Modified"] = format_datetime(lists.changed_at(page, self._started), usegmt=True)
        return found

    def _missing(self, site: Site, path: str) -> Answer:
        if site.manner.soft404:
            return self._made(site, "Oops", "<h1>Oops</h1><p>We looked everywhere. Try our home page.</p>")
        return self._made(
            site, "Not found", f"<h1>Not found</h1><p>{len(path)} letters, and no page.</p>", 404
        )

    def _made(self, site: Site, title: str, inner: str, status: int = 200) -> Answer:
        page = Page("", "html", inner, title=title, language="en")
        return Answer(status, render(site, page, self._started.date()).encode())


def _other_door(site: Site, request: Request) -> Answer | None:
    """The way from www to the bare name, or back, where a site has only one of the two."""
    on_www = request.host == f"www.{site.host}"
    home = site.manner.www == "home"
    if site.manner.www == "same" or on_www == home:
        return None
    return Answer(301, headers={"Location": f"{site.origin}{request.target}"})


def _unchanged(have: Mapping[str, str], asked: Mapping[str, str]) -> bool:
    """As HTTP has it: an ETag decides alone where one was sent, else the date."""
    if wanted := asked.get("if-none-match"):
        return have.get("ETag") in [tag.strip().removeprefix("W/") for tag in wanted.split(",")]
    since, changed = asked.get("if-modified-since"), have.get("Last-Modified")
    if not since or not changed:
        return False
    try:
        return parsedate_to_datetime(changed) <= parsedate_to_datetime(since)
    except (ValueError, TypeError):
        return False


@lru_cache(maxsize=200)
def _picture_bytes(picture: Picture) -> bytes:
    return to_bytes(picture)


@lru_cache(maxsize=20)
def _pdf_bytes(source: str) -> bytes:
    return to_pdf(source)
