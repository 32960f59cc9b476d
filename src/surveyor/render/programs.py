"""Which browser would be started here, and what to install where there is none. Loads nothing."""

from __future__ import annotations

import os
import shutil
from typing import Final

from surveyor.render.values import NoBrowser
from surveyor.settings import RenderSettings

_PROGRAMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def executable(settings: RenderSettings) -> str:
    """The program that would be started; `NoBrowser` says what to install."""
    if not hasattr(os, "posix_spawn"):
        raise NoBrowser("pages that need a browser stay unread: none can be started on this system")
    if settings.executable:
        if (program := shutil.which(settings.executable)) is not None:
            return program
        raise NoBrowser(f"render.executable: there is no program {settings.executable}")
    for name in _PROGRAMS:
        if (program := shutil.which(name)) is not None:
            return program
    raise NoBrowser(
        "pages that need a browser stay unread: install chromium-headless-shell or chromium, or set "
        "render.executable"
    )
