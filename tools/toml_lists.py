"""Writes a list of words as the files of `wordlists/` have it: one line, or several within the width."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

_WIDTH = 118


def written(key: str, words: Sequence[str]) -> str:
    quoted = [json.dumps(word, ensure_ascii=False) for word in words]
    line = f"{key} = [{', '.join(quoted)}]"
    if len(line) <= _WIDTH:
        return line
    # No line is broken within a word: its spaces are held together while the lines are filled.
    held = " ".join(f"{word},".replace(" ", "\0") for word in quoted)
    filled = textwrap.wrap(held, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"{key} = [", *("  " + part.replace("\0", " ") for part in filled), "]"])
