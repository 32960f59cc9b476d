"""What people without an account read, in their language: the public form, its answers, and mails."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

# In the order in which they are offered.
LANGUAGES: Final[Mapping[str, str]] = {
    "en": "English",
    "bg": "Български",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
}
DEFAULT: Final = "en"


@cache
def _all() -> dict[str, dict[str, str]]:
    text = resources.files("surveyor.notify").joinpath("texts.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = tomllib.loads(text)
    return found


def texts(language: str) -> Mapping[str, str]:
    """Every text by its name; English for a language that there is not."""
    return _all()[language if language in LANGUAGES else DEFAULT]


def chosen(asked: str, accepted: str) -> str:
    """The language that was asked for, else the first of the browser's that there is."""
    if asked in LANGUAGES:
        return asked
    wanted = [part.partition(";")[0].strip().lower()[:2] for part in accepted[:500].split(",")]
    return next((one for one in wanted if one in LANGUAGES), DEFAULT)
