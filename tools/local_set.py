"""Labelled search results kept on one machine: how they are read, and which of them are never looked at.

A set is a folder of JSON Lines files, one object a line: profile, query, lang, position, url, title,
description, label (true or false), kind. Texts of real results belong to others and are not part of the
project; what is learned from them is. A third of the queries, chosen by hash, is held out: no rule and no
weight is made with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from surveyor.errors import NotADomain
from surveyor.judge.values import SearchHit
from surveyor.names import canonical_domain

_HELD_OUT_OF = 3


class Line(NamedTuple):
    profile: str
    query: str
    lang: str
    kind: str
    wanted: bool
    hit: SearchHit
    domain: str


def is_held_out(query: str) -> bool:
    return int(sha256(query.encode()).hexdigest(), 16) % _HELD_OUT_OF == 0


def read(folder: Path) -> list[Line]:
    """All lines with an address that can be judged, in the order of file names."""
    return [line for file in sorted(folder.rglob("*.jsonl")) for line in read_file(file)]


def read_file(file: Path) -> list[Line]:
    lines = []
    for text in file.read_text("utf-8").splitlines():
        row = json.loads(text)
        hit = SearchHit(row["url"], row["title"], row["description"], row.get("position", 1))
        try:
            domain = canonical_domain(hit.url)
        except NotADomain:
            continue
        known = {key: row.get(key, "") for key in ("profile", "lang", "kind")}
        wanted = row["label"] in (True, "yes")  # the second in the sets of the tests
        lines.append(Line(**known, query=row.get("query", ""), wanted=wanted, hit=hit, domain=domain))
    return lines


def parted(lines: Iterable[Line]) -> tuple[list[Line], list[Line]]:
    """Lines to learn from, and lines that are held out."""
    kept: tuple[list[Line], list[Line]] = ([], [])
    for line in lines:
        kept[is_held_out(line.query)].append(line)
    return kept


def digest(lines: Sequence[Line]) -> str:
    """Names a set without showing it."""
    joined = "\n".join(f"{line.profile} {line.wanted} {line.hit.url} {line.hit.title}" for line in lines)
    return sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]
