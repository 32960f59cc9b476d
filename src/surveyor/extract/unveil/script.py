"""What a small script would show: texts joined, turned and decoded as the usual ways of hiding an address do.

No script is run. Expressions made of texts, lists and a dozen functions are worked out; anything else is
unknown, and an unknown part makes the whole unknown.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from surveyor.words import well_formed

# Characters of a script that is worked out; those that write an address are short.
LONGEST_SCRIPT = 6_000
_MOST_TOKENS = 2_000
# Characters of one text on the way.
_LONGEST_TEXT = 4_000
_DEEPEST = 12

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+'|`(?:[^`\\]++|\\.)*+`)"""
    r"|(?P<space>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)"
    r"|(?P<pattern>/(?:[^/\\\n]|\\.){1,40}/[gim]{0,3}(?=\s?,))"
    r"|(?P<name>[A-Za-z_$][\w$]*+)|(?P<number>[0-9]++(?:\.[0-9]++)?)|(?P<sign>\+=|.)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r"}
# Where a page shows a text: document.write(...), .innerHTML = ..., .href = ..., .html(...).
_SHOWN_CALLS: Final = frozenset(
    {"write", "writeln", "append", "html", "text", "insertAdjacentHTML", "setAttribute"}
)
_SHOWN_FIELDS: Final = frozenset({"innerHTML", "outerHTML", "innerText", "textContent", "href", "location"})

Worth = str | int | list["Worth"] | None


def shown_texts(script: str, data: Mapping[str, str] | None = None) -> list[str]:
    """The texts that the script writes into the page or follows as a link; `data` is the dataset."""
    if len(script) > LONGEST_SCRIPT:
        return []
    reader = _Reader(script, data or {})
    reader.run()
    return [well_formed(html.unescape(text)) for text in reader.shown]


def _unescaped(literal: str) -> str:
    def one(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else _CONTROL.get(match[3], match[3])

    return _ESCAPE.sub(one, literal[1:-1])


class _Reader:
    def __init__(self, script: str, data: Mapping[str, str]) -> None:
        found = _TOKEN.finditer(script)
        self._tokens = [(one.lastgroup, one[0]) for one in found if one.lastgroup != "space"][:_MOST_TOKENS]
        self._at = 0
        self._known: dict[str, Worth] = {}
        self._data = data
        self.shown: list[str] = []

    def run(self) -> None:
        """Go through the script once, taking every assignment and every text that is shown."""
        while self._at < len(self._tokens):
            before = self._at
            self._step()
            self._at = max(self._at, before + 1)

    def _step(self) -> None:
        kind, name = self._tokens[self._at]
        following = self._peek(1)
        if kind != "name" or following not in ("=", "+=", "("):
            return
        if following == "(" and name in _SHOWN_CALLS:
            self._at += 2
            for worth in self._list(")", 0):
                self._show(worth)
        elif following in ("=", "+=") and self._peek(2) != "=":
            self._at += 2
            worth = self._sum(0)
            if following == "+=":
                worth = _joined(self._known.get(name, ""), worth)
            self._known[name] = worth
            if name in _SHOWN_FIELDS:
                self._show(worth)

    def _show(self, worth: Worth) -> None:
        if isinstance(worth, str) and worth:
            self.shown.append(worth)

    def _peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place][1] if place < len(self._tokens) else ""

    def _take(self, sign: str) -> bool:
        if self._peek() == sign:
            self._at += 1
            return True
        return False

    def _sum(self, depth: int) -> Worth:
        worth = self._term(depth)
        while self._take("+"):
            worth = _joined(worth, self._term(depth))
        return worth

    def _list(self, end: str, depth: int) -> list[Worth]:
        """What stands up to the closing sign, between commas."""
        values: list[Worth] = []
        while self._at < len(self._tokens) and not self._take(end):
            before = self._at
            values.append(self._sum(depth + 1))
            if not self._take(",") and self._peek() != end:
                self._at = max(self._at, before + 1)
                values[-1] = None
        return values

    def _term(self, depth: int) -> Worth:
        if self._at >= len(self._tokens) or depth > _DEEPEST:
            return None
        kind, sign = self._tokens[self._at]
        self._at += 1
        worth: Worth = None
        if kind == "text":
            worth = _unescaped(sign)
        elif kind == "pattern":
            worth = sign
        elif kind == "number":
            worth = int(sign) if sign.isdigit() and len(sign) < 9 else None
        elif sign == "[":
            worth = self._list("]", depth)
        elif sign == "(":
            worth = self._sum(depth + 1)
            self._take(")")
        elif kind == "name":
            worth = self._named(sign, depth)
        return self._then(worth, depth)

    def _named(self, name: str, depth: int) -> Worth:
        if name == "new" and self._peek() == "Array":
            self._at += 1
            return self._list(")", depth) if self._take("(") else None
        if self._peek() == "(":
            self._at += 1
            return _called(name, self._list(")", depth))
        if name == "String" and [self._peek(0), self._peek(1), self._peek(2)] == [".", "fromCharCode", "("]:
            self._at += 3
            codes = self._list(")", depth)
            whole = all(isinstance(one, int) and 0 <= one < 0x110000 for one in codes)
            return "".join(chr(one) for one in codes if isinstance(one, int)) if whole else None
        if self._peek() == "." and self._peek(1) == "dataset":
            self._at += 2
            if self._take("."):
                self._at += 1
                return (
                    self._data.get(self._tokens[self._at - 1][1].lower())
                    if self._at <= len(self._tokens)
                    else None
                )
            return None
        if name == "this" and [self._peek(0), self._peek(1), self._peek(2)] == [".", "getAttribute", "("]:
            self._at += 3
            asked = self._list(")", depth)
            attribute = asked[0] if asked and isinstance(asked[0], str) else ""
            return self._data.get(attribute.removeprefix("data-").replace("-", "").lower())
        return self._known.get(name)

    def _then(self, worth: Worth, depth: int) -> Worth:
        """What follows a value: an index, or functions of texts and lists, one after the other."""
        for _ in range(_DEEPEST):
            if self._peek() == "[" and isinstance(worth, list | str):
                self._at += 1
                index = self._list("]", depth)
                place = index[0] if len(index) == 1 else None
                worth = worth[place] if isinstance(place, int) and place < len(worth) else None
            elif self._peek() == "." and self._peek(2) == "(":
                name = self._peek(1)
                self._at += 3
                worth = _method(worth, name, self._list(")", depth))
            else:
                break
        return worth


def _joined(left: Worth, right: Worth) -> Worth:
    if not isinstance(left, str | int) or not isinstance(right, str | int):
        return None
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    return f"{left}{right}"[:_LONGEST_TEXT]


def _called(name: str, arguments: list[Worth]) -> Worth:
    first = arguments[0] if arguments else None
    if not isinstance(first, str):
        return None
    if name in ("unescape", "decodeURIComponent", "decodeURI"):
        return unquote(first)
    if name == "atob":
        try:
            return base64.b64decode(first + "=" * (-len(first) % 4)).decode("utf-8", "replace")
        except (ValueError, binascii.Error):
            return None
    return None


def _method(worth: Worth, name: str, arguments: list[Worth]) -> Worth:
    first = arguments[0] if arguments else None
    if name == "reverse" and isinstance(worth, list):
        return worth[::-1]
    if name == "join" and isinstance(worth, list):
        between = first if isinstance(first, str) else ","
        whole = all(isinstance(one, str | int) for one in worth)
        return between.join(str(one) for one in worth)[:_LONGEST_TEXT] if whole else None
    if not isinstance(worth, str):
        return None
    if name == "split" and isinstance(first, str):
        return list(worth) if not first else list(worth.split(first))
    if name == "replace" and len(arguments) == 2:
        return _replaced(worth, first, arguments[1])
    if name == "concat":
        whole = all(isinstance(one, str) for one in arguments)
        return (worth + "".join(str(one) for one in arguments))[:_LONGEST_TEXT] if whole else None
    return worth if name in ("toString", "trim", "toLowerCase") else None


def _replaced(text: str, old: Worth, new: Worth) -> Worth:
    """Plain texts and patterns without any magic; others are unknown."""
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    if old.startswith("/") and "/" in old[1:]:
        body = old[1 : old.rindex("/")]
        plain = re.sub(r"\\(\W)", r"\1", body)
        if re.search(r"[\\*+?^$|()\[\]{}.]", re.sub(r"\\\W", "", body)):
            return None
        return text.replace(plain, new)[:_LONGEST_TEXT]
    return text.replace(old, new, 1)[:_LONGEST_TEXT]
