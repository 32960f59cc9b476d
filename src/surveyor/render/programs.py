"""Which browser would be started here, and what to install where there is none. Loads nothing."""

from __future__ import annotations

import importlib.util
import shutil
from typing import Final

from surveyor.render.values import NoBrowser
from surveyor.settings import RenderSettings

MISSING: Final = "pages that need a browser stay unread: install it with `pip install 'surveyor[browser]'`"
_PROGRAMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def found(settings: RenderSettings) -> str:
    """The program that would be started; `NoBrowser` says what is missing."""
    if importlib.util.find_spec("playwright") is None:
        raise NoBrowser(MISSING)
    return executable(settings)


def executable(settings: RenderSettings) -> str:
    """The browser's program; `NoBrowser` says what to install."""
    if settings.executable:
        if (program := shutil.which(settings.executable)) is not None:
            return program
        raise NoBrowser(f"render.executable: there is no program {settings.executable}")
    for name in _PROGRAMS:
        if (program := shutil.which(name)) is not None:
            return program
    raise NoBrowser("no Chromium was found: install chromium, or set render.executable")
