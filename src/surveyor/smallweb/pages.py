"""Pages as they are sent: a text in its layout, with its dates written out and its addresses in place.

There are several layouts, because real pages have all sorts of things around what they say: menus,
notices about cookies, sidebars, tables for layout. `layouts/words.toml` has their words.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from string import Template

from surveyor.errors import BadInput
from surveyor.smallweb.markdown import to_html
from surveyor.smallweb.marks import dated
from surveyor.smallweb.sites import Page, Site

LAYOUTS = Path(__file__).parent / "layouts"
_FIRST_HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")
_MOST_RELATED = 4


def render(site: Site, page: Page, today: date) -> str:
    """The whole page; what is another text at every request still stands there as a mark."""
    if page.kind == "raw":
        return dated(page.source, today, tongue(site, page))
    content = inside(site, page, today)
    return _layout(page.layout or site.layout).substitute(_surroundings(site, page, content, today))


def inside(site: Site, page: Page, today: date) -> str:
    """What the page itself says, as HTML."""
    text = dated(page.source, today, tongue(site, page))
    return to_html(text) if page.kind == "md" else text


def plain_text(markup: str) -> str:
    """What a person reads, on one line."""
    return " ".join(html.unescape(_TAG.sub(" ", _HIDDEN.sub(" ", markup))).split())


def tongue(site: Site, page: Page) -> str:
    """The language a page's dates are written in: the community sites stand in America."""
    language = page.language or site.language
    return "en-us" if language == "en" and site.profile == "community" else language


def title_of(site: Site, page: Page) -> str:
    """The title a search engine shows: the page's own, else its first heading; with the site's name."""
    own = page.title or _heading(page)
    return f"{own} | {site.title}" if own and own != site.title else site.title


def description_of(site: Site, page: Page, today: date) -> str:
    return dated(page.description, today, tongue(site, page))


def _heading(page: Page) -> str:
    if page.kind == "md":
        return next((line[2:] for line in page.source.splitlines() if line.startswith("# ")), "")
    found = _FIRST_HEADING.search(page.source)
    return plain_text(found[1]) if found else ""


@cache
def _layout(name: str) -> Template:
    file = LAYOUTS / f"{name}.html"
    if not file.exists():
        known = ", ".join(sorted(path.stem for path in LAYOUTS.glob("*.html")))
        raise BadInput(f"there is no layout {name}; there are {known}")
    return Template(file.read_text(encoding="utf-8"))


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((LAYOUTS / "words.toml").read_text(encoding="utf-8"))


def _surroundings(site: Site, page: Page, content: str, today: date) -> dict[str, str]:
    language = page.language or site.language
    links = [f'<a href="{path}">{html.escape(label)}</a>' for path, label in site.menu.items()]
    return {
        **_words()[language],
        "lang": "en-US" if tongue(site, page) == "en-us" else language,
        "title": html.escape(page.title or _heading(page) or site.title),
        "site": html.escape(site.title),
        "head": _head(site, page, today),
        "content": content,
        "menu_line": " | ".join(links),
        "menu_lines": "<br>\n".join(links),
        "menu_list": _listed(links),
        "related_list": _listed(_related(site, page)),
        "footer": dated(site.footer, today, tongue(site, page)),
        "year": str(today.year),
    }


def _head(site: Site, page: Page, today: date) -> str:
    lines = [
        f'<meta charset="{page.charset}">',
        f"<title>{html.escape(title_of(site, page))}</title>",
    ]
    if page.description:
        lines.append(f'<meta name="description" content="{html.escape(description_of(site, page, today))}">')
    if page.robots:
        lines.append(f'<meta name="robots" content="{page.robots}">')
    if site.manner.feed:
        lines.append(f'<link rel="alternate" type="application/rss+xml" href="{site.manner.feed}">')
    return "\n".join(lines)


def _related(site: Site, page: Page) -> list[str]:
    others = [one for one in site.open_pages() if one.path != page.path and one.listed and one.kind == "md"]
    chosen = others[:_MOST_RELATED]
    return [f'<a href="{one.path}">{html.escape(one.title or _heading(one))}</a>' for one in chosen]


def _listed(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
