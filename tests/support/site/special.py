"""Hosts with one peculiarity each; `SiteSpec.special` names them by kind, with their options.

plain     pages=20               a small host of the usual kind, for a manner to be set on
farm      links=100000           one page with that many links
gallery   pages=5, images=6      images in every way a page can name them, a fake one, a foreign one
pictures                         images that lie, move, repeat or ask to be left alone; see `Pictures`
login     how=redirect|401       all but the home page wants a password
partly    pages=10, bad=20, status=403   pages for everybody, and side by side some that fail (200: are empty)
same      html, status=200       the same answer to everything
script                           empty without scripts
pdf                              a document behind a link
sitemap   pages=20, by_page      pages that only a packed sitemap knows; robots.txt or the home page names it
feed      pages=5                pages that only a feed knows, which the home page names
twins     pages=4                every page under a second address, with the first as its canonical one
trap      family=..., pages=200  real pages among endless ones; see `traps`
living    pages=12               pages that change and go when they are told to; see `living`
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from io import BytesIO
from typing import Any

from tests.support.site.graph import one_host
from tests.support.site.hosts import GraphHost, Host, not_found, png
from tests.support.site.living import Living
from tests.support.site.traps import Trap
from tests.support.site.wire import Answer, Request, answer, links, text_page

_BODY_BYTES = 2_000
FAKE_IMAGE = "/img/fake.png"
ICON = "/img/icon.png"


def build(name: str, options: dict[str, Any]) -> Host:
    """The host that the options describe."""
    told = dict(options)
    kind = told.pop("kind")
    if kind not in _KINDS:
        raise ValueError(f"there is no special host of kind {kind!r}; there are: {', '.join(_KINDS)}")
    return _KINDS[kind](name, **told)


def _plain(name: str, pages: int = 20, seed: int = 0) -> Host:
    return GraphHost(one_host(name, seed, pages), _BODY_BYTES, 0.0, False)


class Farm:
    def __init__(self, name: str, links: int = 100_000) -> None:
        listed = "".join(f'<a href="/l/{number}">{number}</a>\n' for number in range(links))
        self._home = answer(200, f"<!doctype html><title>All of {name}</title>\n{listed}")
        self._links = links

    def answer(self, request: Request) -> Answer:
        if request.target == "/":
            return self._home
        number = request.target.removeprefix("/l/")
        if number.isdigit() and int(number) < self._links:
            return text_page(f"Leaf {number}", f"The leaf with the number {number} says little.")
        return not_found(request.target)


class Gallery:
    """Each image stands on several pages. `images` are the valid ones of this host, `asset` is elsewhere."""

    def __init__(self, name: str, pages: int = 5, images: int = 6) -> None:
        self.name = name
        self.pages = [f"/g/{number}" for number in range(pages)]
        self.images = [f"/img/{number}.png" for number in range(images)] + ["/img/photo.jpg"]
        self.asset = f"http://cdn.{name}/img/{images}.png"

    def seen_on(self, page: int) -> list[str]:
        """The images of this host that a page shows, each in the largest size it offers."""
        count = len(self.images)
        return sorted({self.images[(page + step) % count] for step in range(4)})

    def answer(self, request: Request) -> Answer:
        target = request.target
        if target == "/":
            return text_page(f"Pictures of {self.name}", links(*self.pages))
        if target in self.pages:
            return answer(200, self._page(self.pages.index(target)))
        if target == FAKE_IMAGE:
            return answer(200, "<html><p>This is no picture.</p></html>", "image/png")
        if target == "/img/photo.jpg":
            return answer(200, _jpeg(), "image/jpeg")
        number = target.removeprefix("/img/").removesuffix(".png")
        return answer(200, png(int(number)), "image/png") if number.isdigit() else not_found(target)

    def _page(self, number: int) -> str:
        shown, sized, framed, shared = ([*self.seen_on(number) * 2])[:4]
        return (
            f"<!doctype html><html><head><title>Picture page {number}</title>"
            f'<meta property="og:image" content="{shared}"></head><body><h1>Page {number} of {self.name}</h1>'
            f"<p>What the photographer saw on day {number}, in the order of the day.</p>"
            f'<img src="{shown}" width="640" height="480" alt="a view">'
            f'<img src="/img/small.png" srcset="/img/small.png 100w, {sized} 800w" alt="a street">'
            f'<picture><source srcset="{framed}"><img src="{framed}" alt="a door"></picture>'
            f'<img src="{FAKE_IMAGE}" alt="a fake"><img src="{ICON}" width="1" height="1" alt="">'
            f'<img src="{self.asset}" alt="from elsewhere">{links("/")}</body></html>'
        )


class Pictures:
    """One page that shows a picture for every case, and one that asks to leave its pictures alone."""

    def __init__(self, name: str) -> None:
        self.name = name

    def answer(self, request: Request) -> Answer:
        target = request.target
        if target == "/":
            shown = "".join(f'<img src="{path}" alt="{path}">' for path in self._answers())
            return text_page("Pictures", shown, links("/private", "/img/linked.png"))
        if target == "/private":
            robots = '<meta name="robots" content="noai">'
            return text_page("Private", robots, '<img src="/img/private.png" alt="mine">')
        if target in ("/img/linked.png", "/img/private.png"):
            return answer(200, png(3), "image/png")
        return self._answers().get(target) or not_found(target)

    def _answers(self) -> dict[str, Answer]:
        return {
            "/img/one.png": answer(200, png(1), "image/png"),
            "/img/same.jpg": answer(200, png(1), "image/jpeg"),  # the same bytes, and a lie about them
            "/img/moved": answer(302, location="/img/two.png"),
            "/img/two.png": answer(200, png(2), "image/png"),
            "/img/round": answer(302, location=f"http://www.{self.name}/img/round"),
            "/img/away": answer(301, location=f"http://cdn.{self.name}/img/4.png"),
            "/img/noai.png": answer(200, png(5), "image/png", x_robots_tag="noai"),
            "/img/other.png": answer(200, png(6), "image/png", x_robots_tag="otherbot: noai, noindex"),
            "/img/dot.png": answer(200, _dot(), "image/png"),
            "/img/forbidden.png": answer(403),
            "/img/script.png": answer(200, "<svg><script>alert(1)</script></svg>", "image/svg+xml"),
            "/img/gone.png": answer(410),
        }


def _dot() -> bytes:
    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (1, 1)).save(out, "PNG")
    return out.getvalue()


def _jpeg() -> bytes:
    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (320, 240), (90, 120, 60)).save(out, "JPEG")
    return out.getvalue()


class Login:
    def __init__(self, name: str, how: str = "redirect", pages: int = 10) -> None:
        self._name, self._how, self._pages = name, how, [f"/members/{number}" for number in range(pages)]

    def answer(self, request: Request) -> Answer:
        if request.target == "/":
            return text_page(f"The club {self._name}", "Members find more here.", links(*self._pages))
        if request.target.startswith("/login"):
            form = '<form method="post"><input name="user"><input type="password" name="password"></form>'
            return text_page("Log in", "Please log in to go on.", form)
        if request.target not in self._pages:
            return not_found(request.target)
        if self._how == "redirect":
            return answer(302, location=f"/login?next={request.target}")
        return answer(401, "<title>Members only</title>", www_authenticate='Basic realm="members"')


class Partly:
    """The front page leads to all of them, to those that fail after the first page that does not."""

    def __init__(self, name: str, pages: int = 10, bad: int = 20, status: int = 403) -> None:
        self._name, self._status = name, status
        good = [f"/open/{number}" for number in range(pages)]
        self._pages = [*good[:1], *(f"/members/{number}" for number in range(bad)), *good[1:]]

    def answer(self, request: Request) -> Answer:
        if request.target == "/":
            return text_page(f"The club {self._name}", "Members find more here.", links(*self._pages))
        if request.target not in self._pages:
            return not_found(request.target)
        if request.target.startswith("/members/"):
            return answer(self._status, "\n" if self._status == 200 else "<title>Not you</title>")
        return text_page(f"Open {request.target}", f"For everybody who reads {request.target}.")


class Same:
    def __init__(self, name: str, html: str, status: int = 200) -> None:
        self._answer = answer(status, html)

    def answer(self, request: Request) -> Answer:
        return self._answer


class CookieWall:
    """Every page sends whoever has no cookie to itself, with one; `changing` sets another one each time."""

    def __init__(self, name: str, changing: bool = False) -> None:
        self._name, self._changing, self._sent = name, changing, 0

    def answer(self, request: Request) -> Answer:
        if request.target == "/robots.txt":
            return answer(404)
        if self._changing or "seen=1" not in request.header("cookie"):
            self._sent += 1
            cookie = f"seen={self._sent if self._changing else 1}; Path=/; HttpOnly; SameSite=Lax"
            return answer(302, location=request.target, set_cookie=cookie)
        if request.target == "/":
            return text_page(f"Behind the wall of {self._name}", "Come in.", links("/one", "/two"))
        return text_page(f"Page {request.target}", f"What {self._name} says at {request.target}.")


class Script:
    def __init__(self, name: str) -> None:
        self._name = name

    def answer(self, request: Request) -> Answer:
        if request.target == "/app.js":
            return answer(200, "document.getElementById('root').textContent = 'hello'", "text/javascript")
        if request.target != "/":
            return not_found(request.target)
        html = (
            f'<!doctype html><title>{self._name}</title><div id="root"></div><script src="/app.js"></script>'
        )
        return answer(200, html + "<noscript>You need to enable JavaScript to run this app.</noscript>")


class Pdf:
    def __init__(self, name: str) -> None:
        self._name = name

    def answer(self, request: Request) -> Answer:
        if request.target == "/":
            return text_page("Reports", f"The yearly report of {self._name}.", links("/report.pdf"))
        if request.target == "/report.pdf":
            return answer(200, _pdf("A year in numbers"), "application/pdf")
        return not_found(request.target)


def _pdf(text: str) -> bytes:
    """One page with one line, and a table of contents that is right."""
    stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, len(out))
    )


class Sitemap:
    """robots.txt or the home page names an index, the index a packed sitemap, and only that one the pages."""

    def __init__(self, name: str, pages: int = 20, *, by_page: bool = False) -> None:
        self._name, self.pages = name, [f"/only/{number}" for number in range(pages)]
        self._by_page = by_page

    def answer(self, request: Request) -> Answer:
        target, site = request.target, f"http://{self._name}"
        if target == "/":
            named = '<link rel="sitemap" href="/index.xml">' if self._by_page else ""
            title = f"<!doctype html><title>Welcome to {self._name}</title>"
            return answer(200, f"{title}{named}<p>There is nothing to click on.</p>")
        if target == "/robots.txt" and not self._by_page:
            return answer(200, f"Sitemap: {site}/index.xml\n", "text/plain")
        if target == "/index.xml":
            return answer(200, _xml("sitemapindex", "sitemap", [f"{site}/map.xml.gz"]), "application/xml")
        if target == "/map.xml.gz":
            listed = _xml("urlset", "url", [f"{site}{page}" for page in self.pages])
            return answer(200, gzip.compress(listed.encode(), mtime=0), "application/gzip")
        if target in self.pages:
            return text_page(f"Hidden {target}", f"Only the map of {self._name} knows {target}.")
        return not_found(target)


class Feed:
    def __init__(self, name: str, pages: int = 5) -> None:
        self._name, self.pages = name, [f"/news/{number}" for number in range(pages)]

    def answer(self, request: Request) -> Answer:
        if request.target == "/":
            named = '<link rel="alternate" type="application/rss+xml" href="/news.rss">'
            return answer(200, f"<!doctype html><title>{self._name}</title>{named}<p>News comes by feed.</p>")
        if request.target == "/news.rss":
            items = "".join(f"<item><link>http://{self._name}{page}</link></item>" for page in self.pages)
            return answer(200, f"<rss><channel>{items}</channel></rss>", "application/rss+xml")
        if request.target in self.pages:
            return text_page(f"News {request.target}", f"What {self._name} says at {request.target}.")
        return not_found(request.target)


class Twins:
    """`/p/N` and `/p/N?from=home` say the same; both name the first. `/moved` sends people on by itself."""

    def __init__(self, name: str, pages: int = 4) -> None:
        self._name, self.pages = name, [f"/p/{number}" for number in range(pages)]

    def answer(self, request: Request) -> Answer:
        path, _, query = request.target.partition("?")
        if path == "/":
            return text_page(f"Twins of {self._name}", links(*self.pages, *self._seconds(), "/moved"))
        if path == "/moved":
            away = '<meta http-equiv="refresh" content="0; url=/arrived">'
            return answer(200, f"<!doctype html><title>Moved</title>{away}<p>We have moved.</p>")
        if path == "/arrived":
            return text_page("Arrived", "This is where we are now.")
        if path in self.pages and query in ("", "from=home"):
            canonical = f'<link rel="canonical" href="http://{self._name}{path}">'
            body = f"<p>The one text of the page {path}, told at some length so that it is a text.</p>"
            return answer(200, f"<!doctype html><title>Page {path}</title>{canonical}{body}")
        return not_found(request.target)

    def _seconds(self) -> list[str]:
        return [f"{page}?from=home" for page in self.pages]


def _xml(root: str, item: str, addresses: list[str]) -> str:
    listed = "".join(
        f"<{item}><loc>{address}</loc><lastmod>2026-03-04</lastmod></{item}>" for address in addresses
    )
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="{space}">{listed}</{root}>'


_KINDS: dict[str, Callable[..., Host]] = {
    "plain": _plain,
    "farm": Farm,
    "gallery": Gallery,
    "pictures": Pictures,
    "login": Login,
    "partly": Partly,
    "same": Same,
    "cookies": CookieWall,
    "script": Script,
    "pdf": Pdf,
    "sitemap": Sitemap,
    "feed": Feed,
    "twins": Twins,
    "trap": Trap,
    "living": Living,
}
