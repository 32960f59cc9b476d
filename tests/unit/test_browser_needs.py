"""Where the browser tests cannot run they say why, instead of failing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web import chromium

_ROOT = Path(__file__).parents[2]
_NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig/>'


@pytest.mark.skipif(chromium.executable() is None, reason="no Chromium is installed")
def test_without_a_font_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "fonts.conf").write_text(_NO_FONTS)
    asked = subprocess.run(
        [sys.executable, "-c", "from tests.web import chromium; print(chromium.why_not())"],
        cwd=_ROOT,
        env={**os.environ, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "no font is installed" in asked.stdout
