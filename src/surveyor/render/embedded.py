"""Data that a page carries for its scripts, read without running any.

Many front ends ship the page's content as JSON beside an empty body: in a script element of that type, or
given to a variable of the window. It is laid out as a plain document in the order of the data, so that all
that comes after (links, text, records) reads it like any page.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

# Characters of readable text below which the data is settings, not content.
_ENOUGH = 200
# Bounds on what untrusted JSON may cost: bytes, values looked at, levels, pieces kept.
_MOST_BYTES, _MOST_VALUES, _DEEPEST, _MOST_PIECES = 4_000_000, 100_000, 60, 5_000
_ASSIGNED: Final = re.compile(
    r"(?:window\.|self\.|globalThis\.)?(?:__[A-Z][A-Z_]{2,40}__|__[A-Za-z]{3,40}(?:State|Data|Props)(?:__)?)\s*=\s*(?=[\[{])"
)
_JSON: Final = json.JSONDecoder()
_HEADINGS: Final = frozenset({"title", "heading", "headline", "name", "label", "question"})
_ADDRESSES: Final = frozenset({"href", "url", "path", "link", "permalink", "slug", "canonical", "uri"})
# Names of what nobody reads: builds, styles, ids, translations of the program's own words.
_MACHINERY: Final = frozenset(
    {
        "buildid",
        "classname",
        "style",
        "styles",
        "css",
        "query",
        "runtimeconfig",
        "locales",
        "i18n",
        "messages",
        "env",
        "id",
        "key",
        "type",
        "__typename",
        "src",
        "image",
        "images",
        "icon",
        "token",
        "assetprefix",
        "scriptloader",
        "theme",
    }
)
_MARKUP: Final = re.compile(r"<(?:p|br|h[1-6]|ul|ol|li|div|strong|em|a|table)\b", re.IGNORECASE)
_PATH: Final = re.compile(r"(?:https?:/)?/[^\s<>\"'\\]{1,2000}")
_A_FILE: Final = re.compile(
    r"\.(?:js|css|png|jpe?g|gif|svg|webp|woff2?|ico|json|map)(?:[?#]|$)", re.IGNORECASE
)


class EmbeddedItem(NamedTuple):
    kind: str  # heading, text, markup, link
    text: str


def document(page: bytes) -> bytes | None:
    """The page's own data as a document; None if it has none, or none worth reading."""
    tree = LexborHTMLParser(page)
    pieces: list[EmbeddedItem] = []
    seen: set[str] = set()
    for data in _data(tree):
        _collect(data, pieces, seen)
    if sum(len(piece.text) for piece in pieces if piece.kind != "link") < _ENOUGH:
        return None
    title = tree.css_first("title")
    language = tree.root.attributes.get("lang") if tree.root is not None else None
    return _laid_out(pieces, title.text() if title is not None else "", language or "")


def _data(tree: LexborHTMLParser) -> Iterator[Any]:
    """Every value of JSON that its scripts hold."""
    left = _MOST_BYTES
    for script in tree.css("script"):
        kind = (script.attributes.get("type") or "").strip().lower()
        if kind == "application/ld+json" or left <= 0:
            continue
        text = script.text()[:left]
        left -= len(text)
        if kind in ("application/json", "text/json"):
            yield from _parsed(text, 0)
        elif kind in ("", "module", "text/javascript", "application/javascript"):
            for found in _ASSIGNED.finditer(text):
                yield from _parsed(text, found.end())


def _parsed(text: str, start: int) -> Iterator[Any]:
    try:
        yield _JSON.raw_decode(text.lstrip() if start == 0 else text, start)[0]
    except (ValueError, RecursionError):
        return  # JavaScript that is no JSON is not read


def _collect(data: Any, pieces: list[EmbeddedItem], seen: set[str]) -> None:
    """Depth first, in the order of the data; without recursion, since the depth is untrusted."""
    waiting: list[tuple[str, Any, int]] = [("", data, 0)]
    looked = 0
    while waiting and looked < _MOST_VALUES and len(pieces) < _MOST_PIECES:
        name, value, depth = waiting.pop()
        looked += 1
        if isinstance(value, str):
            piece = _piece(name, value.strip())
            if piece is not None and piece.text not in seen:
                seen.add(piece.text)
                pieces.append(piece)
        elif depth < _DEEPEST and isinstance(value, dict):
            inner = [(key.lower(), each, depth + 1) for key, each in value.items()]
            waiting += [each for each in reversed(inner) if each[0] not in _MACHINERY]
        elif depth < _DEEPEST and isinstance(value, list):
            waiting += [(name, each, depth + 1) for each in reversed(value)]


def _piece(name: str, text: str) -> EmbeddedItem | None:
    if not text:
        return None
    if name in _ADDRESSES or _PATH.fullmatch(text):
        is_page = _PATH.fullmatch(text) is not None and _A_FILE.search(text) is None
        return EmbeddedItem("link", text) if is_page else None
    if _MARKUP.search(text):
        return EmbeddedItem("markup", text)
    if name in _HEADINGS:
        return EmbeddedItem("heading", text)
    return EmbeddedItem("text", text) if " " in text else None


def _laid_out(pieces: list[EmbeddedItem], title: str, language: str) -> bytes:
    parts = [f'<!DOCTYPE html><html lang="{html.escape(language)}"><head><meta charset="utf-8">']
    parts.append(f"<title>{html.escape(title.strip())}</title></head><body><main>")
    for kind, text in pieces:
        if kind == "markup":
            parts.append(f"<div>{text}</div>")
        elif kind == "link":
            parts.append(f'<a href="{html.escape(text)}">{html.escape(text)}</a>')
        else:
            tag = "h2" if kind == "heading" else "p"
            parts.append(f"<{tag}>{html.escape(text)}</{tag}>")
    parts.append("</main></body></html>")
    return "\n".join(parts).encode("utf-8", "replace")
