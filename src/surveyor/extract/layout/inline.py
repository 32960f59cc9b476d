"""Runs of text to one line, its visual lines and its links: spaces become normal, nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from surveyor.extract.layout.boxes import Run

# Stands for a line break inside a block. White space to `split`, so it never reaches a text.
BREAK: Final = "\v"
# Hyphenation hints, joiners and marks of direction stand inside words and are not part of them.
_INVISIBLE = dict.fromkeys(
    (0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, *range(0x202A, 0x202F), 0xFEFF, 0)
)


# Looking for one is cheaper than translating every letter, and most texts have none.
_ANY_INVISIBLE = re.compile(f"[{''.join(map(chr, _INVISIBLE))}]")


def one_line(text: str) -> str:
    if not text.isascii():
        if _ANY_INVISIBLE.search(text):
            text = text.translate(_INVISIBLE)
    elif "\0" in text:
        text = text.replace("\0", "")
    return " ".join(text.split())


def lines_of(text: str) -> tuple[str, ...]:
    """The visual lines of a text, when it has more than one."""
    if BREAK not in text:
        return ()
    lines = tuple(filter(None, map(one_line, text.split(BREAK))))
    return lines if len(lines) > 1 else ()


def normal_runs(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs of one line, joined they are it; none where no run leads anywhere."""
    if all(run.url is None for run in runs):
        return ()
    kept: list[Run] = []
    for text, url, _ in runs:
        line = one_line(text)
        if not line:
            if kept and text:
                _space(kept)
            continue
        if kept and text[:1].isspace():
            _space(kept)
        if kept and kept[-1].url == url:
            kept[-1] = Run(kept[-1].text + line, url)
        else:
            kept.append(Run(line, url))
        if text[-1:].isspace():
            _space(kept)
    if kept:
        kept[-1] = Run(kept[-1].text.rstrip(" "), kept[-1].url)
    return tuple(kept)


def _space(kept: list[Run]) -> None:
    if not kept[-1].text.endswith(" "):
        kept[-1] = Run(kept[-1].text + " ", kept[-1].url)
