"""Removes secrets from the answers of services, in whatever encoding they appear.

A key may come back as it is, in other case, percent-encoded, or with any of its characters escaped as JSON,
HTML or JavaScript do it. What is replaced is gone before anybody sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

REDACTED: Final = "***"


class Redactor:
    """For one set of secrets, made once."""

    def __init__(self, secrets: Sequence[str]) -> None:
        known = sorted(filter(None, secrets), key=len, reverse=True)
        self._folded = tuple(secret.lower() for secret in known)
        loose = "|".join("".join(map(_any_spelling, secret)) for secret in known)
        self._pattern = re.compile(loose, re.IGNORECASE) if known else None

    def may_be_in(self, text: str) -> bool:
        """Whether a closer look is worth its time; never False where a secret is."""
        if self._pattern is None:
            return False
        if "\\" in text or "%" in text or "&#" in text:
            return True
        folded = text.lower()
        return any(spelling in folded for spelling in self._folded)

    def clean(self, text: str) -> str:
        return self._pattern.sub(REDACTED, text) if self._pattern and self.may_be_in(text) else text

    def clean_json(self, data: Any) -> Any:
        """Every text in what was read from JSON, names too; changed in place, however deep it is."""
        if isinstance(data, str):
            return self.clean(data)
        waiting = [data]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                for name in [name for name in node if self.clean(name) != name]:
                    node[self.clean(name)] = node.pop(name)
            for place, value in _items(node):
                if isinstance(value, str):
                    node[place] = self.clean(value)
                elif isinstance(value, dict | list):
                    waiting.append(value)
        return data


def _items(node: Any) -> list[tuple[Any, Any]]:
    if isinstance(node, dict):
        return list(node.items())
    return list(enumerate(node)) if isinstance(node, list) else []


def _any_spelling(char: str) -> str:
    """One character of a secret as itself, and as each escape that is in use."""
    code = ord(char)
    plain = re.escape(char)
    return rf"(?:{plain}|\\{plain}|\\u{code:04x}|\\x{code:02x}|%{code:02x}|&\#0*{code};|&\#x0*{code:x};)"
