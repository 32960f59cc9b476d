"""The system's Chromium, driven by Playwright; where there is none, tests that need it say so.

`SURVEYOR_TEST_BROWSER` names one of several that are installed, by name or by path.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
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


def why_not() -> str | None:
    """Why tests that need a browser cannot run here."""
    if executable() is None:
        return "no Chromium is installed"
    if not _has_fonts():
        return "no font is installed, and Chromium ends itself without one: install fonts-dejavu-core"
    return None


class _FontSet(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int), ("room", ctypes.c_int), ("fonts", ctypes.c_void_p))


def _has_fonts() -> bool:
    """Whether Chromium would find a font, asked of the library that it asks."""
    try:
        library = ctypes.CDLL("libfontconfig.so.1")
    except OSError:  # its own Chromium then, which knows where to look
        return True
    library.FcInitLoadConfigAndFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.restype = ctypes.POINTER(_FontSet)
    library.FcConfigGetFonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
    found = library.FcConfigGetFonts(library.FcInitLoadConfigAndFonts(), 0)
    return bool(found) and found.contents.count > 0


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


needed = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
"""For tests that show a page."""
