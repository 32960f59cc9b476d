"""Pickled and marshalled data of others as plain values: texts, numbers, lists, dictionaries. Nothing is run.

Reading a pickle calls whatever it names, and `marshal` trusts its input. So a pickle is looked through first,
and loaded only if each of its steps makes a plain value; marshalled data is read here, type by type.
"""

from __future__ import annotations

import io
import mmap
import pickle
import pickletools
import struct
from collections.abc import Callable
from typing import IO, Any, cast

_MOST = 64_000_000  # bytes of one value
_DEEPEST = 100  # lists in lists

# Steps of a pickle that make a value of its own bytes, put values together, or remember one.
_HARMLESS = {
    *("PROTO", "FRAME", "STOP", "MARK", "MEMOIZE", "BINGET", "LONG_BINGET", "BINPUT", "LONG_BINPUT"),
    *("NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
    *("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
    *("EMPTY_LIST", "APPEND", "APPENDS", "EMPTY_DICT", "SETITEM", "SETITEMS", "EMPTY_SET", "ADDITEMS"),
    *("FROZENSET", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
}


class NotPlain(ValueError):
    """It is, or holds, something else than plain values."""


def read_plain(data: bytes) -> Any:
    if len(data) > _MOST:
        raise NotPlain("it is larger than 64 MB")
    try:
        return _unpickled(data) if data[:1] == b"\x80" else _Marshalled(data).read()
    except NotPlain:
        raise
    except Exception as error:  # whatever a broken pickle makes of the reader
        raise NotPlain(f"it cannot be read ({type(error).__name__})") from None


def length_of(data: mmap.mmap, at: int) -> int | None:
    """How many bytes the value that begins there takes; none where it is cut off."""
    try:
        if data[at : at + 1] == b"\x80":
            data.seek(at)
            *_, (_, _, last) = pickletools.genops(cast(IO[bytes], data))
            return cast(int, last) + 1 - at
        reader = _Marshalled(data, at)
        reader.read()
        return reader.at - at
    except Exception:  # the same reader falls over in as many ways as there are cuts
        return None


class _Restricted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise NotPlain(f"it holds an object ({module}.{name}), and only plain values are read")


def _unpickled(data: bytes) -> Any:
    texts: list[str] = []  # the last ones name an object's class
    for step, argument, _ in pickletools.genops(data):
        if isinstance(argument, str):
            texts = [*texts[-1:], argument]
        if step.name not in _HARMLESS:
            name = f" ({'.'.join(texts)})" if step.name == "STACK_GLOBAL" else ""
            raise NotPlain(f"it holds an object{name}, and only plain values are read")
        if step.name == "LONG_BINPUT" and cast(int, argument) > len(data):
            raise NotPlain("it would need more memory than it has bytes")
    return _Restricted(io.BytesIO(data)).load()


class _Marshalled:
    """A reader of the format that `marshal` writes (versions 0 to 4), for plain types."""

    def __init__(self, data: bytes | mmap.mmap, at: int = 0) -> None:
        self._data, self.at, self._known = data, at, list[Any]()

    def read(self, depth: int = 0) -> Any:
        code = self._take(1)[0]
        kind, is_remembered = chr(code & 0x7F), bool(code & 0x80)
        if depth > _DEEPEST or kind not in _READERS:
            raise NotPlain("it holds an object, and only plain values are read")
        place = len(self._known)
        if is_remembered:
            self._known.append(None)  # so that what is inside counts on
        value = _READERS[kind](self, depth)
        if is_remembered:
            self._known[place] = value
        return value

    def _take(self, size: int) -> bytes:
        found = self._data[self.at : self.at + size]
        if len(found) < size:
            raise NotPlain("it is cut off")
        self.at += size
        return found

    def number(self) -> int:
        return int(struct.unpack("<i", self._take(4))[0])

    def size(self) -> int:
        return int(struct.unpack("<I", self._take(4))[0])

    def double(self) -> float:
        return float(struct.unpack("<d", self._take(8))[0])

    def long(self) -> int:
        """Fifteen bits at a time; the sign is that of the count."""
        count = self.number()
        parts: tuple[int, ...] = struct.unpack(f"<{abs(count)}H", self._take(2 * abs(count)))
        value = sum(part << (15 * place) for place, part in enumerate(parts))
        return value if count >= 0 else -value

    def text(self, size: int, encoding: str) -> str:
        return self._take(size).decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict")

    def bytes_(self) -> bytes:
        return self._take(self.size())

    def items(self, count: int, depth: int) -> list[Any]:
        return [self.read(depth + 1) for _ in range(count)]

    def mapping(self, depth: int) -> dict[Any, Any]:
        found = {}
        while self._data[self.at : self.at + 1] != b"0":
            name = self.read(depth + 1)
            found[name] = self.read(depth + 1)
        self.at += 1
        return found

    def known(self) -> Any:
        return self._known[self.size()]


_READERS: dict[str, Callable[[_Marshalled, int], Any]] = {
    "N": lambda source, depth: None,
    "T": lambda source, depth: True,
    "F": lambda source, depth: False,
    "i": lambda source, depth: source.number(),
    "l": lambda source, depth: source.long(),
    "g": lambda source, depth: source.double(),
    "s": lambda source, depth: source.bytes_(),
    "u": lambda source, depth: source.text(source.size(), "utf-8"),
    "t": lambda source, depth: source.text(source.size(), "utf-8"),
    "a": lambda source, depth: source.text(source.size(), "latin-1"),
    "A": lambda source, depth: source.text(source.size(), "latin-1"),
    "z": lambda source, depth: source.text(source._take(1)[0], "latin-1"),
    "Z": lambda source, depth: source.text(source._take(1)[0], "latin-1"),
    ")": lambda source, depth: tuple(source.items(source._take(1)[0], depth)),
    "(": lambda source, depth: tuple(source.items(source.size(), depth)),
    "[": lambda source, depth: source.items(source.size(), depth),
    "{": lambda source, depth: source.mapping(depth),
    "r": lambda source, depth: source.known(),
}
