"""The system's Chromium, driven by Playwright; where there is none, tests that need it say so.

`SURVEYOR_TEST_BROWSER` names one of several that are installed, by name or by path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

VARIABLE = "SURVEYOR_TEST_BROWSER"
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
    wanted = os.environ.get(VARIABLE)
    found = next(filter(None, map(shutil.which, [wanted] if wanted else _NAMES)), None)
    if wanted and not found:  # whoever names one wants no other, and no test left out
        raise RuntimeError(f"{VARIABLE} names {wanted}, which is not installed")
    return found


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
