"""Microdata and RDFa Lite as items: the same idea with other attributes (itemprop, property)."""

from __future__ import annotations

from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.extract.structured.values import LONGEST_TEXT, MOST_ITEMS, Item, short_type
from surveyor.extract.values import Source

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


class _Marks(NamedTuple):
    selector: str
    scope: str
    types: str
    property: str


_MICRODATA = _Marks("[itemscope],[itemprop]", "itemscope", "itemtype", "itemprop")
_RDFA = _Marks("[typeof],[typeof] [property]", "typeof", "typeof", "property")


def read(tree: LexborHTMLParser) -> list[Item]:
    """Every item of the page, in order."""
    return [*_read(tree, _MICRODATA), *_read(tree, _RDFA)]


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


def _read(tree: LexborHTMLParser, marks: _Marks) -> list[Item]:
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


def _add(node: LexborNode, marks: _Marks, items: dict[int, Item], referred: dict[int, list[Item]]) -> None:
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
