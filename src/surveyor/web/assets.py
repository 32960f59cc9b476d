"""Our scripts and styles: read once, named by their content, so that browsers may cache them for ever."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_KINDS = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}


class Asset(NamedTuple):
    content: bytes
    kind: str
    mark: str  # changes with the content


@cache
def everything() -> dict[str, Asset]:
    """By file name; only kinds that pages ask for, so neither licences nor anything else."""
    found: dict[str, Asset] = {}
    static = files("surveyor.web") / "static"
    for folder in (static, static / "vendor"):
        for file in folder.iterdir():
            kind = _KINDS.get(file.name.rpartition(".")[2])
            if kind and file.is_file():
                content = file.read_bytes()
                found[file.name] = Asset(content, kind, hashlib.sha256(content).hexdigest()[:12])
    return found


def url(name: str) -> str:
    """Its address, which is another one as soon as the content is."""
    return f"/static/{everything()[name].mark}/{name}"
