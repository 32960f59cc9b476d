"""Reads the folders below `sites/` into values, and refuses a mistake in one of them with its file's name.

    sites/HOST/site.toml      title, language, profile, layout, menu, manner, robots, changes
    sites/HOST/truth.toml     what a curator would find; see `truth`
    sites/HOST/pictures.toml  pictures to draw; only galleries have one
    sites/HOST/a/b.md         the page /a/b; `index.md` is the page of its folder
    sites/HOST/a/b.pdf.txt    the document /a/b.pdf
    sites/HOST/c.series.toml  many pages out of rows; see `series`

A page may begin with fields in TOML between two lines of `+++`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from surveyor.errors import BadInput
from surveyor.smallweb import series
from surveyor.smallweb.sites import LANGUAGES, PROFILES, Change, Manner, Page, Picture, Robots, Site

SITES = Path(__file__).parent / "sites"
_FENCE = "+++\n"
_ENDINGS = {".pdf.txt": "pdf", ".raw.html": "raw", ".html": "html", ".md": "md"}
_OWN_FILES = ("site.toml", "truth.toml", "pictures.toml")
_ACTS = ("write", "show", "remove", "take over")
_CHOICES = {
    "validators": ("both", "etag", "modified", "none"),
    "www": ("here", "home", "same", "none"),
    "sitemap": ("", "plain", "index"),
    "trap": ("", "calendar", "sessions"),
    "away": ("", "refused", "unknown"),
}

T = TypeVar("T")


def load_sites(folder: Path = SITES) -> dict[str, Site]:
    """Every site by its host, in the order of their names."""
    sites = {path.parent.name: load_site(path.parent) for path in sorted(folder.glob("*/site.toml"))}
    if not sites:
        raise BadInput(f"{folder} holds no site; each is a folder with a site.toml")
    _check_changes(sites)
    return sites


def load_site(folder: Path) -> Site:
    file = folder / "site.toml"
    given = {"layout": "plain", "menu": {}, "footer": "", "about": ""} | _toml(file)
    pages = {page.path: page for page in _pages(folder)}
    manner = _made(Manner, given.get("manner", {}), file)
    _check_manner(manner, pages, file)
    given |= {
        "host": folder.name,
        "manner": manner,
        "robots": _made(Robots, _robots(given.get("robots", {})), file),
        "pages": MappingProxyType(pages),
        "pictures": MappingProxyType(_pictures(folder / "pictures.toml")),
        "changes": tuple(_changes(folder.name, given.get("changes", {}), pages, file)),
        "truth": _toml(folder / "truth.toml"),
    }
    site = _made(Site, given, file)
    if site.language not in LANGUAGES or site.profile not in PROFILES:
        raise BadInput(f"{file}: language is one of {', '.join(LANGUAGES)}, profile of {', '.join(PROFILES)}")
    return site


def _pictures(file: Path) -> dict[str, Picture]:
    pictures = (_made(Picture, one, file) for one in _toml(file).get("picture", []))
    return {picture.path: picture for picture in pictures}


def _pages(folder: Path) -> Iterator[Page]:
    for file in sorted(folder.rglob("*")):
        if file.is_dir() or file.name in _OWN_FILES:
            continue
        ending = next((ending for ending in _ENDINGS if file.name.endswith(ending)), None)
        if file.name.endswith(series.ENDING):
            yield from _series(file)
        elif ending is None:
            raise BadInput(f"{file}: a page ends with one of {', '.join(_ENDINGS)}")
        else:
            yield _page(file, _path(folder, file, ending), _ENDINGS[ending])


def _series(file: Path) -> list[Page]:
    try:
        return list(series.pages_of(_toml(file)))
    except KeyError as missing:
        raise BadInput(f"{file}: it has no {missing.args[0]}") from None
    except ValueError:
        raise BadInput(f"{file}: a row has more or fewer values than there are columns") from None


def _path(folder: Path, file: Path, ending: str) -> str:
    below = file.relative_to(folder).as_posix().removesuffix(ending)
    if ending == ".pdf.txt":
        return f"/{below}.pdf"
    return "/" + (below.removesuffix("index") if below == "index" or below.endswith("/index") else below)


def _page(file: Path, path: str, kind: str) -> Page:
    text = file.read_text(encoding="utf-8")
    given: dict[str, Any] = {}
    if text.startswith(_FENCE):
        head, found, text = text[len(_FENCE) :].partition(f"\n{_FENCE}")
        if not found:
            raise BadInput(f"{file}: the fields at its beginning end with a line of +++")
        given = _parsed(head, file)
    return _made(Page, {"path": path, "kind": kind, "source": text} | given, file)


def _robots(given: Mapping[str, Any]) -> dict[str, Any]:
    return ({"status": 200} if "text" in given else {}) | dict(given)


def _changes(host: str, given: Mapping[str, Any], pages: Mapping[str, Page], file: Path) -> Iterator[Change]:
    for name, one in given.items():
        change = _made(Change, {"name": name, "host": host} | one, file)
        if change.act not in _ACTS or change.page not in pages:
            raise BadInput(f"{file}: the change “{name}” needs a page of the site and an act of {_ACTS}")
        if change.act == "write" and change.old not in pages[change.page].source:
            raise BadInput(f"{file}: the change “{name}” would find nothing to write over")
        yield change


def _check_manner(manner: Manner, pages: Mapping[str, Page], file: Path) -> None:
    for name, known in _CHOICES.items():
        if getattr(manner, name) not in known:
            raise BadInput(f"{file}: {name} is one of {', '.join(filter(None, known))}")
    if manner.shows and manner.shows not in pages:
        raise BadInput(f"{file}: shows names no page of the site")


def _check_changes(sites: Mapping[str, Site]) -> None:
    names = [change.name for site in sites.values() for change in site.changes]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"two sites have a change “{name}”; give one of them another name")


def _made(kind: type[T], content: Mapping[str, Any], file: Path) -> T:
    known = {one.name for one in fields(kind)}  # type: ignore[arg-type]
    for name in content:
        if name not in known:
            raise BadInput(f"{file}: {name} is no field of a {kind.__name__.lower()}; remove it")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
    try:
        return kind(**given)
    except TypeError as error:
        raise BadInput(f"{file}: {str(error).partition(') ')[2]}") from None


def _toml(file: Path) -> dict[str, Any]:
    return _parsed(file.read_text(encoding="utf-8"), file) if file.exists() else {}


def _parsed(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{file}: {error}") from None
