"""Records out of strangers' XML, one at a time: entities off, no network, no tree that grows with the file.

Namespaces are left aside, because half of the files have a wrong one. Small mistakes, such as a bare
`&`, are read over; what cannot be read any further raises `Broken`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from lxml import etree  # type: ignore[import-untyped]

_OPTIONS: Final = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,  # the library's own limits on depth and length stay
    "recover": True,
}


class Broken(ValueError):
    """The rest cannot be read."""


class Source(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class Field(NamedTuple):
    """A child of a record: its local name, text and attributes."""

    name: str
    text: str
    attributes: dict[str, str]


def records(source: Source, *names: str) -> Iterator[tuple[str, list[Field]]]:
    """The elements of these local names, each with its children."""
    try:
        for _, element in etree.iterparse(source, tag=[f"{{*}}{name}" for name in names], **_OPTIONS):
            yield _local(element.tag), [_field(child) for child in element.iterchildren("*")]
            _forget(element)
    except (etree.LxmlError, ValueError, LookupError, OSError) as error:
        raise Broken(str(error)) from None


def _field(element: etree._Element) -> Field:
    """Text that holds an entity or an element is none: half of it would be another text."""
    text = "" if len(element) else element.text
    return Field(_local(element.tag), text or "", dict(element.attrib))


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _forget(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
