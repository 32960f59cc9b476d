"""What a site of the small web is: its pages, pictures, manners, and what a curator would find there.

Values only. `reading` makes them out of the folders below `sites/`, `answers` answers with them, and
a change (`changed`) makes a new value, so that a running server swaps a whole site at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

LANGUAGES = ("en", "bg", "de", "fr", "ro", "el", "es", "it")
PROFILES = ("funding", "community", "images")


@dataclass(frozen=True, slots=True)
class Page:
    """One file of a site's folder."""

    path: str
    kind: str
    """What the file is: `md`, `html` (the inside of a page), `raw` (a whole page) or `pdf` (its text)."""
    source: str
    title: str = ""
    description: str = ""
    language: str = ""
    """Empty: the site's."""
    layout: str = ""
    """Empty: the site's."""
    charset: str = "utf-8"
    robots: str = ""
    """Of its meta element."""
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    redirect: str = ""
    """Where it sends people; with a status of 200 it is sent as 302."""
    hidden: bool = False
    """Not served until a change shows it, or a manner needs it."""
    listed: bool = True
    """In the sitemap and in the feed."""
    searchable: bool = True
    """In the search engine's index."""
    changed_days: int = 30
    """Days ago that it was last edited; what Last-Modified and the sitemap say."""
    edited: int = 0
    """How often it was changed since the server started."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is drawn when it is first asked for; the same description is always the same bytes."""

    path: str
    scene: str
    seed: int
    width: int = 640
    height: int = 480
    title: str = ""
    author: str = ""
    copyright: str = ""
    licence: str = ""
    """The address of a licence, for XMP."""
    data_mining: str = ""
    """A term of the PLUS vocabulary, for XMP."""
    robots: str = ""
    """Of its X-Robots-Tag."""


@dataclass(frozen=True, slots=True)
class Robots:
    """How robots.txt is answered; without a word about it, with 404."""

    status: int = 404
    text: str = ""
    bom: bool = False
    pad_bytes: int = 0
    """So many bytes of comments after the rules: larger than anybody reads."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a site behaves; the defaults are those of a friendly one."""

    status: int = 200
    """What every page answers with, except robots.txt."""
    shows: str = ""
    """The page that every address shows: a challenge, a parking page."""
    retry_after: str = ""
    seconds: float = 0.0
    """How long every answer takes."""
    validators: str = "both"
    """`both`, `etag`, `modified` or `none`."""
    www: str = "here"
    """`here`: www redirects to the bare name; `home`: the other way round; `same`: both answer;
    `none`: there is no www."""
    soft404: bool = False
    """What does not exist is answered with 200 and an excuse."""
    sitemap: str = ""
    """`plain`, or `index` for an index over packed ones."""
    feed: str = ""
    """The path of an RSS feed."""
    login: tuple[str, ...] = ()
    """Paths that begin like this lead to /login."""
    trap: str = ""
    """`calendar` or `sessions`."""
    away: str = ""
    """`refused`: nobody listens; `unknown`: the name has no address."""
    redirect: str = ""
    """Every page leads to this foreign address."""
    assets: str = ""
    """The host that keeps the pictures, if it is another one."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happens to a site while it is watched."""

    name: str
    host: str
    page: str
    """The page that is changed, shown or removed."""
    act: str
    """`write`, `show`, `remove` or `take over`: every address shows the page from then on."""
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    host: str
    title: str
    language: str
    profile: str
    about: str
    layout: str
    menu: Mapping[str, str]
    footer: str
    manner: Manner
    robots: Robots
    pages: Mapping[str, Page]
    pictures: Mapping[str, Picture]
    changes: tuple[Change, ...]
    truth: Mapping[str, Any]

    @property
    def origin(self) -> str:
        """Where a search engine would say that it lives."""
        return f"http://www.{self.host}" if self.manner.www == "home" else f"http://{self.host}"

    @property
    def origins(self) -> tuple[str, ...]:
        """Every address under which a search engine may know it, in which only people see one site."""
        return (self.origin, f"https://www.{self.host}") if self.manner.www == "same" else (self.origin,)

    @property
    def names(self) -> tuple[str, ...]:
        """Every host name that leads here."""
        own = (self.host,) if self.manner.www == "none" else (self.host, f"www.{self.host}")
        return (*own, self.manner.assets) if self.manner.assets else own

    def open_pages(self) -> list[Page]:
        return [page for page in self.pages.values() if not page.hidden]


def changed(site: Site, change: Change) -> Site:
    """The site after the change."""
    page = site.pages[change.page]
    if change.act == "take over":
        return replace(site, manner=replace(site.manner, shows=page.path, validators="none"))
    if change.act == "remove":
        page = replace(page, hidden=True)
    elif change.act == "show":
        page = replace(page, hidden=False, changed_days=0, edited=page.edited + 1)
    else:
        written = page.source.replace(change.old, change.new)
        page = replace(page, source=written, changed_days=0, edited=page.edited + 1)
    return replace(site, pages=MappingProxyType({**site.pages, page.path: page}))
