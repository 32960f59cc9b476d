"""The system's Chromium, driven by Playwright; where there is none, tests that need it say so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def browser() -> Iterator[Browser]:
    found = executable()
    assert found, f"none of {', '.join(_NAMES)} is installed"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=_OPTIONS)
        try:
            yield opened
        finally:
            opened.close()
