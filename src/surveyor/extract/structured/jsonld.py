"""JSON-LD as items: scripts, graphs, references and nesting; what is slightly broken is mended first."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.structured.values import DEEPEST, LONGEST_TEXT, MOST_ITEMS, Item, short_type
from surveyor.extract.values import Source
from surveyor.words import well_formed

# Characters of one script that are read; what is longer is a catalogue.
_LONGEST_SCRIPT = 400_000
# Systems with a block for every product or event of a page write hundreds; all of them together are bounded.
_MOST_SCRIPTS = 400
_LONGEST_TOGETHER = 2_000_000
_DECODER = json.JSONDecoder(strict=False)
# A text as it was meant: a quote ends it only where something may follow a text. Then comments, which may
# stand anywhere, and the signs and words of JSON.
_TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\]++|\\.|"(?!\s{0,50}(?:[,:}\]]|$|//|/\*|\n\s{0,50}")))*+)"'
    r"|(?P<comment>/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+|<!--|-->|<!\[CDATA\[|\]\]>)"
    r"|(?P<sign>[{}\[\],:])"
    r"|(?P<word>[^\s{}\[\],:\"/]{1,100})"
    r"|(?P<space>\s+)|(?P<other>.)",
    re.DOTALL,
)
_INNER_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_LITERAL = re.compile(r"true|false|null|-?[0-9.]{1,30}(?:[eE][+-]?[0-9]{1,3})?")
_CLOSES = {"{": "}", "[": "]"}


def read(tree: LexborHTMLParser) -> list[Item]:
    """Every item of every script, in order, references put in place."""
    builder = _Builder()
    left = _LONGEST_TOGETHER
    for node in tree.css('script[type*="ld+json" i]')[:_MOST_SCRIPTS]:
        script = node.text()[: min(_LONGEST_SCRIPT, left)]
        left -= len(script)
        for value in _values(script):
            builder.top(value)
    return builder.finished()


def _values(script: str) -> Iterator[Any]:
    """The values of a script; mended where a plain reading fails, none where that fails too."""
    for text in (script, script if "&" not in script else html.unescape(script)):
        try:
            yield _DECODER.decode(text.strip().rstrip(";"))
            return
        except (ValueError, RecursionError):
            continue
    mended = _mended(html.unescape(script) if "&quot;" in script else script)
    position = 0
    while position < len(mended):
        try:
            value, position = _DECODER.raw_decode(mended, position)
        except (ValueError, RecursionError):
            return
        yield value
        while position < len(mended) and mended[position] in ", \n":
            position += 1


def _mended(script: str) -> str:
    """The script without comments and stray commas, with the commas and closing signs that were forgotten."""
    out: list[str] = []
    open_signs: list[str] = []
    for match in _TOKEN.finditer(script):
        kind = match.lastgroup
        if kind in ("comment", "space", "other"):
            continue
        token = match[0]
        if kind == "text":
            token = (
                '"' + _INNER_QUOTE.sub(lambda one: one[0] if len(one[0]) > 1 else '\\"', match["text"]) + '"'
            )
        elif kind == "word" and not _LITERAL.fullmatch(token):
            token = json.dumps(token)
        _append(out, open_signs, token)
    while open_signs:
        if out[-1] == ",":
            out.pop()
        out.append(_CLOSES[open_signs.pop()])
    return "".join(out)


def _append(out: list[str], open_signs: list[str], token: str) -> None:
    last = out[-1] if out else ""
    if token in ("}", "]"):
        if last in (",", ":"):
            out.pop()
        if not open_signs or _CLOSES[open_signs[-1]] != token:
            return
        open_signs.pop()
    elif token in (",", ":"):
        if not last or last in ("{", "[", ",", ":"):
            return
    else:
        if last and open_signs and last not in ("{", "[", ",", ":"):
            out.append(",")
        if token in _CLOSES:
            open_signs.append(token)
    out.append(token)


def _text(written: str) -> str:
    """A value as it was meant; an escape such as `\\ud83d` without its other half is no character."""
    cut = well_formed(written[:LONGEST_TEXT])
    return html.unescape(cut) if "&" in cut else cut


class _Builder:
    """Makes items of JSON values. Nesting is bounded, so a walk may call itself."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._by_id: dict[str, Item] = {}
        self._references: list[tuple[list[str | Item], int, str]] = []

    def top(self, value: Any, depth: int = 0) -> None:
        if depth > DEEPEST:
            return
        if isinstance(value, list):
            for one in value[:MOST_ITEMS]:
                self.top(one, depth + 1)
        elif isinstance(value, dict):
            self._item(value, depth, top=True)

    def finished(self) -> list[Item]:
        """The items, with each reference replaced by what it refers to."""
        for values, place, identifier in self._references:
            target = self._by_id.get(identifier)
            if target is not None:
                values[place] = target
        return self._items

    def _item(self, value: dict[str, Any], depth: int, *, top: bool) -> Item | None:
        if depth > DEEPEST or len(self._items) >= MOST_ITEMS:
            return None
        types = value.get("@type", value.get("type"))
        names = [types] if isinstance(types, str) else types if isinstance(types, list) else []
        item = Item(
            Source.JSON_LD,
            tuple(well_formed(short_type(one)) for one in names if isinstance(one, str)),
            top=top,
        )
        if set(value) - {"@context", "@graph", "@id"}:
            self._items.append(item)
            identifier = value.get("@id")
            if isinstance(identifier, str):
                self._by_id.setdefault(identifier, item)
        for name, inner in value.items():
            if name == "@graph":
                self.top(inner, depth + 1)
            elif name not in ("@context", "@type", "@id"):
                self._property(item, well_formed(short_type(name)), inner, depth + 1)
        return item

    def _property(self, item: Item, name: str, value: Any, depth: int) -> None:
        values = value[:MOST_ITEMS] if isinstance(value, list) else [value]
        for one in values:
            if isinstance(one, str):
                item.add(name, _text(one))
            elif isinstance(one, bool):
                item.add(name, "true" if one else "false")
            elif isinstance(one, int | float):
                item.add(name, str(one))
            elif isinstance(one, dict):
                self._inner(item, name, one, depth)

    def _inner(self, item: Item, name: str, value: dict[str, Any], depth: int) -> None:
        identifier = value.get("@id")
        if isinstance(identifier, str) and len(value) <= 2 and not set(value) - {"@id", "@type"}:
            item.add(name, _text(identifier))
            self._references.append((item.values[name], len(item.values[name]) - 1, identifier))
            return
        if "@value" in value:
            self._property(item, name, value["@value"], depth)
            return
        inner = self._item(value, depth, top=False)
        if inner is not None:
            item.add(name, inner)
