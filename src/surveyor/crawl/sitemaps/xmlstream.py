"""Reads records from untrusted XML, one at a time: no entities, no network, no tree that grows with the file.

Made for lists of addresses, where a wrong one is worse than none. Mistakes that cannot change an address are
ignored: wrong namespaces, elements left open, a bare `&`. A record in which a tag is missing or broken is
given without its fields, as damaged, and so is a tag between records that is none, as in a title with a `<`
in it; where the rest may be a comment or is missing, reading ends with `Broken`.
A text that cannot be known for certain (an entity nobody defined, bytes that are no letters) is empty.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from typing import Final, NamedTuple, Protocol

from surveyor.net.charset import stream_decoder

# Characters of one piece of markup, such as a comment or a CDATA section with a whole page in it.
_MOST_MARKUP = 4_000_000
# Characters of one text that is kept; addresses and dates are short.
_MOST_TEXT = 65_536
# Elements within one another in a record, and fields of one.
_MOST_DEPTH, _MOST_FIELDS = 64, 1_000
_AT_ONCE = 65_536

_NAME = r"[^\W\d][\w.:-]{0,99}"
_TOKEN: Final = re.compile(
    rf"<(?:/({_NAME})\s*+>"
    rf"|({_NAME})((?:\s++{_NAME}\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))*+)\s*+(/?)>"
    r"|!--(?:[^-]++|-(?!->))*+-->"
    r"|!\[CDATA\[((?:[^\]]++|\](?!\]>))*+)\]\]>"
    r"|\?(?:[^?]++|\?(?!>))*+\?>"
    r"|!(?i:doctype)[^\[<>]*+(?:\[[^\]]*+\]\s*+)?+>)"
)
_ATTRIBUTE: Final = re.compile(rf"({_NAME})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ENDS: Final = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))
# Of a tag. One in which another begins is none, however far away the next ">" is.
_TAG_ENDS: Final = re.compile("[<>]")
_REFERENCE: Final = re.compile(r"&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([A-Za-z][A-Za-z0-9]{0,31}));")
# What is left of a reference that lost its end: no longer an `&` that was merely not written as one.
_HALF: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#)(?!;)")
# What may have been the beginning of a comment or the like, and so of a record that is none.
_HIDES: Final = re.compile(r"<(?:[!?\[]|[^<]{0,2}[\[-])")
_UNKNOWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffd]")


class Broken(ValueError):
    """The rest cannot be read."""


class Source(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class Field(NamedTuple):
    """A child of a record: its prefix and local name, text and attributes."""

    name: str
    text: str
    attributes: dict[str, str]
    prefix: str = ""
    known: bool = True
    """Whether the text is for certain what was meant; an empty one may be."""


class Record(NamedTuple):
    name: str
    fields: list[Field]
    prefix: str = ""
    damaged: bool = False


def records(source: Source, *names: str) -> Iterator[Record]:
    """The elements of these local names, each with its children."""
    reader = _Reader(frozenset(names))
    start = source.read(_AT_ONCE)
    decode = stream_decoder(start)
    data, more = decode(start), bool(start)
    while True:
        at = yield from reader.read(data)
        if not more:
            break
        read = source.read(_AT_ONCE)
        more = bool(read)
        data = data[at:] + decode(read, not more)
        if len(data) > _MOST_MARKUP:
            raise Broken("markup without an end")
    if (unfinished := reader.rest()) is not None:
        yield unfinished
    if unfinished is not None or "<" in data[at:] or not reader.has_ended:
        raise Broken("it breaks off")


def unescaped(text: str) -> str | None:
    """A text with its references replaced; None when it cannot be known what it was."""
    if _UNKNOWABLE.search(text):
        return None
    if "&" not in text:
        return text
    if _HALF.search(_REFERENCE.sub("", text)):
        return None
    try:
        found = _REFERENCE.sub(_meant, text)
    except (LookupError, ValueError, OverflowError):
        return None
    return None if _UNKNOWABLE.search(found) else found


def _meant(found: re.Match[str]) -> str:
    if found[3]:
        return html5[f"{found[3]};"]
    return chr(int(found[1], 16) if found[1] else int(found[2]))


@dataclass(eq=False)
class _Reader:
    """Where reading stands: in which record, how deep, and what it holds so far."""

    _names: frozenset[str]
    _record: str = ""  # its qualified name; empty outside
    _damaged: bool = False
    _open: list[str] = field(default_factory=list)
    _fields: list[Field] = field(default_factory=list)
    _attributes: dict[str, str] = field(default_factory=dict)
    _text: list[str] = field(default_factory=list)
    _kept: int = 0  # characters of it; -1: not a plain text
    has_ended: bool = True  # nothing was opened around the records, or it was closed again

    def rest(self) -> Record | None:
        """The record that has no end, with those of its fields that have one."""
        return self._end() if self._record else None

    def read(self, data: str) -> Generator[Record, None, int]:
        """Everything whole in `data`; returns from where it is to be read again, with more behind it."""
        at = 0
        while (mark := data.find("<", at)) >= 0:
            token = _TOKEN.match(data, mark)
            if token is None:
                if _may_go_on(data, mark):
                    return at
                if self._record:
                    self._damaged = True
                elif _HIDES.match(data, mark):
                    raise Broken("markup that is none")
                else:
                    yield Record("", [], damaged=True)  # perhaps it was the beginning of one
                at = mark + 1
                continue
            if mark > at:
                self._hear(data[at:mark])
            at = token.end()
            closed, name, attributes, empty, cdata = token.groups()
            if closed:
                if (record := self._closed(closed)) is not None:
                    yield record
            elif name:
                if (record := self._opened(name, attributes, bool(empty))) is not None:
                    yield record
            elif cdata and self._open:
                self._keep_text(cdata if not _UNKNOWABLE.search(cdata) else None)
        if self._open and len(data) - at < _MOST_TEXT:
            return at
        if self._open:
            self._kept = -1
        return len(data)

    def _hear(self, text: str) -> None:
        if self._open:
            if len(self._open) == 1 and self._kept >= 0:
                self._keep_text(unescaped(text))
        elif self._record:
            self._damaged = self._damaged or not text.isspace()  # here belong elements alone
        elif "!--" in text:
            raise Broken("a comment that lost its beginning")

    def _keep_text(self, meant: str | None) -> None:
        if meant is None or self._kept < 0 or self._kept + len(meant) > _MOST_TEXT:
            self._kept = -1
        else:
            self._text.append(meant)
            self._kept += len(meant)

    def _opened(self, name: str, attributes: str, empty: bool) -> Record | None:
        self.has_ended = self.has_ended and empty
        if name.rpartition(":")[2] in self._names:
            ended = self._end(damaged=True) if self._record else None
            self._record = "" if empty else name
            return ended
        if not self._record:
            return None
        if not self._open:
            self._attributes, self._text, self._kept = self._read_attributes(attributes), [], 0
        else:
            self._kept = -1  # half of a text with an element in it would be another text
        if empty:
            if not self._open:
                self._keep(name)
        elif len(self._open) < _MOST_DEPTH:
            self._open.append(name)
        else:
            self._damaged = True
        return None

    def _read_attributes(self, text: str) -> dict[str, str]:
        found: dict[str, str] = {}
        if not text:
            return found
        for name, double, single in _ATTRIBUTE.findall(text):
            meant = unescaped(double or single)
            self._damaged = self._damaged or meant is None
            found[name] = meant or ""
        return found

    def _closed(self, name: str) -> Record | None:
        if not self._record:
            self.has_ended = True
            return None
        if self._open and self._open[-1] == name:
            self._open.pop()
            if not self._open:
                self._keep(name)
        elif name in self._open:
            del self._open[self._open.index(name) :]
            if not self._open:
                self._kept = -1
                self._keep(name)
        elif name == self._record:
            return self._end()
        else:
            self._damaged = True  # what it closes was opened by a tag that we did not see
        return None

    def _keep(self, name: str) -> None:
        if len(self._fields) < _MOST_FIELDS:
            prefix, _, local = name.rpartition(":")
            known = self._kept >= 0
            text = "".join(self._text) if known else ""
            self._fields.append(Field(local, text, self._attributes, prefix, known))

    def _end(self, *, damaged: bool = False) -> Record:
        prefix, _, local = self._record.rpartition(":")
        damaged = damaged or self._damaged
        record = Record(local, [] if damaged else self._fields, prefix, damaged)
        self._record, self._damaged = "", False
        self._open, self._fields = [], []
        return record


def _may_go_on(data: str, mark: int) -> bool:
    """Whether what begins here could still become markup, if more came."""
    for begin, end in _ENDS:
        if data.startswith(begin, mark):
            return data.find(end, mark + len(begin)) < 0
    return _TAG_ENDS.search(data, mark + 1) is None
