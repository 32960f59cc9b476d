"""What a profile says besides its words: enough for a crawl, a decision or a list of domains.

Reading all its words takes a tenth of a second. So the register keeps a head, with a mark of the file it
was read from and of the code that read it; while both are the same, nothing is read and checked again.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from surveyor.profiles import files

if TYPE_CHECKING:
    from surveyor.profiles.model import Profile

FACT = "profile_head"  # its name in the register

_YIELDS = ("records", "images")
_CODE = [Path(__file__).with_name(name) for name in ("model.py", "values.py", "head.py")]


class Limits(NamedTuple):
    """As `model.Limits`."""

    max_crawl_depth: int | None
    crawl_delay_seconds: float
    max_pages_per_run: int
    scrape_frequency_hours: int
    render: Literal["auto", "always", "never"]


class Policies(NamedTuple):
    """Of `model.Policies`, what needs no judging."""

    approve_assets: bool


class Head(NamedTuple):
    """As the `Profile` of which it is a part."""

    name: str
    hash: str
    yields: str
    images: bool
    limits: Limits
    policies: Policies

    @classmethod
    def of(cls, profile: Profile) -> Head:
        limits = Limits(**profile.limits.model_dump())
        policies = Policies(profile.policies.approve_assets)
        return cls(profile.name, profile.hash, profile.yields, profile.images, limits, policies)

    def kept(self, mark: str) -> str:
        """As the register keeps it."""
        return json.dumps([mark, self])

    @classmethod
    def known(cls, kept: str | None, mark: str) -> Head | None:
        """What was kept; None if it is of another file or of other code."""
        found, values = json.loads(kept or '["", []]')
        if found != mark:
            return None
        name, meaning, yields, images, limits, policies = values
        return cls(name, meaning, yields, images, Limits(*limits), Policies(*policies))


def mark(name_or_path: str, base: Path | None = None) -> str:
    """Of a profile's file, and of the code that makes a head of it."""
    digest = hashlib.sha256(files.read(name_or_path, base))
    for file in _CODE:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def yields(name_or_path: str, base: Path | None = None) -> str:
    """As `Profile.yields`, from the first lines. A mistake there is reported as for the whole profile."""
    head = files.read(name_or_path, base).partition(b"\n[")[0]
    try:
        found = tomllib.loads(head.decode("utf-8-sig")).get("yield", _YIELDS[0])
    except (ValueError, RecursionError):
        found = None
    if found in _YIELDS:
        return str(found)
    from surveyor.profiles import loader

    return loader.load(name_or_path, base).yields
