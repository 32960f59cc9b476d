"""Marks for programs as items: JSON-LD, mended where broken; microdata and RDFa Lite; meta elements."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.extract.document import Document
from surveyor.extract.structured.values import DEEPEST, LONGEST_TEXT, MOST_ITEMS, Item, Structured, short_type
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


def linked_data(tree: LexborHTMLParser) -> list[Item]:
    """Every item of every script, in order, references put in place."""
    scripts = tree.css('script[type*="ld+json" i]')[:_MOST_SCRIPTS]
    if not scripts:
        return []
    builder = _Builder()
    left = _LONGEST_TOGETHER
    for node in scripts:
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


# Ancestors that are searched for the item a property belongs to.
_FARTHEST = 60
# Properties whose value is where a link leads; of others it is what the link says.
_LINKS: Final = frozenset(
    {
        "url",
        "sameas",
        "email",
        "telephone",
        "image",
        "logo",
        "mainentityofpage",
        "hasmap",
        "item",
        "faxnumber",
    }
)
_VALUE_ATTRIBUTES: Final = {
    "time": "datetime", "data": "value", "meter": "value", "img": "src", "object": "data", "embed": "src",
    "iframe": "src", "audio": "src", "video": "src", "source": "src",
}  # fmt: skip
# Items that may share one element; more is an attack.
_MOST_OWNERS: Final = 20
_BREAKS: Final = frozenset({"br", "p", "div", "li", "tr", "dd", "dt"})
_UNREAD: Final = frozenset({"script", "style", "template"})


class Marks(NamedTuple):
    selector: str
    scope: str
    types: str
    property: str


MICRODATA = Marks("[itemscope],[itemprop]", "itemscope", "itemtype", "itemprop")
RDFA = Marks("[typeof],[typeof] [property]", "typeof", "typeof", "property")


def visible_lines(node: LexborNode) -> str:
    """The text of a node with a line break where a reader sees one."""
    parts: list[str] = []
    length = 0
    skip: set[int] = set()
    for one in node.traverse(include_text=True):
        parent = one.parent
        if one.tag in _UNREAD or (parent is not None and parent.mem_id in skip):
            skip.add(one.mem_id)
        elif one.is_text_node:
            words = " ".join((one.text_content or "").split())
            edges = one.text_content or " "
            parts.append((" " if edges[:1].isspace() else "") + words + (" " if edges[-1:].isspace() else ""))
            length += len(words)
        elif one.tag in _BREAKS and one.mem_id != node.mem_id:
            parts.append("\n")
        if length > LONGEST_TEXT:
            break
    return "\n".join(filter(None, (" ".join(line.split()) for line in "".join(parts).split("\n"))))


def marked_items(tree: LexborHTMLParser, marks: Marks) -> list[Item]:
    """Every item of the page, in order."""
    nodes = tree.css(marks.selector)[: MOST_ITEMS * 2]
    items: dict[int, Item] = {}
    for node in nodes:
        if marks.scope in node.attributes:
            types = (node.attributes.get(marks.types) or "").split()
            named = marks.property in node.attributes
            items[node.mem_id] = Item(Source.MICRODATA, tuple(map(short_type, types[:10])), top=not named)
    if items:
        referred = _referred(tree, nodes, items)
        for node in nodes:
            _add(node, marks, items, referred)
    return list(items.values())


def _referred(
    tree: LexborHTMLParser, nodes: list[LexborNode], items: dict[int, Item]
) -> dict[int, list[Item]]:
    """Which items take in what stands elsewhere: elements named by an itemref, which several may share."""
    found: dict[int, list[Item]] = {}
    for node in nodes:
        for name in (node.attributes.get("itemref") or "").split()[:20]:
            target = (
                tree.css_first(f'[id="{name}"]') if name.replace("-", "").replace("_", "").isalnum() else None
            )
            if target is not None and node.mem_id in items:
                found.setdefault(target.mem_id, []).append(items[node.mem_id])
    return found


def _add(node: LexborNode, marks: Marks, items: dict[int, Item], referred: dict[int, list[Item]]) -> None:
    names = (node.attributes.get(marks.property) or "").split()
    if not names:
        return
    owners = referred.get(node.mem_id) or _owners(node.parent, items, referred)
    for name in map(short_type, names[:10]):
        for owner in owners[:_MOST_OWNERS]:
            owner.add(name, items.get(node.mem_id) or _value(node, name))


def _owners(node: LexborNode | None, items: dict[int, Item], referred: dict[int, list[Item]]) -> list[Item]:
    for _ in range(_FARTHEST):
        if node is None:
            return []
        if node.mem_id in items:
            return [items[node.mem_id]]
        if node.mem_id in referred:
            return referred[node.mem_id]
        node = node.parent
    return []


def _value(node: LexborNode, name: str) -> str:
    attributes, tag = node.attributes, node.tag or ""
    value = attributes.get("content") or attributes.get(_VALUE_ATTRIBUTES.get(tag, ""))
    if value is None and (tag == "link" or (tag in ("a", "area") and name.lower() in _LINKS)):
        value = (attributes.get("href") or "").strip()
        scheme, colon, rest = value.partition(":")
        if colon and scheme.lower() in ("tel", "mailto"):
            value = rest.partition("?")[0]
    return (value if value is not None else visible_lines(node))[:LONGEST_TEXT]


# Meta elements of one page that are read.
_MOST_META = 300


def meta_elements(tree: LexborHTMLParser) -> dict[str, str]:
    """The first content of each, by its name in small letters."""
    found: dict[str, str] = {}
    for node in tree.css("meta[content]")[:_MOST_META]:
        values = node.attributes
        name = (values.get("property") or values.get("name") or "").strip().lower()
        content = " ".join((values.get("content") or "")[:LONGEST_TEXT].split())
        if name and content:
            found.setdefault(name, content)
    return found


def read(document: Document) -> Structured:
    """All marks of a page."""
    tree = document.tree
    items = [*linked_data(tree), *marked_items(tree, MICRODATA), *marked_items(tree, RDFA)]
    return Structured(items, meta_elements(tree))
