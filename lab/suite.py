"""Tests of the suite that come in two sizes, in the large one: kills, claims, webhooks, random sequences."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.size import VARIABLE

_ROOT = Path(__file__).parent.parent
_USES = "from tests.support.size import size"


def main(argv: list[str]) -> int:
    tests = (_ROOT / "tests").rglob("test_*.py")
    files = sorted(str(file) for file in tests if _USES in file.read_text(encoding="utf-8"))
    line = [sys.executable, "-m", "pytest", "-n", "0", "--timeout", "1200", *files, *argv]
    return subprocess.run(line, cwd=_ROOT, env={**os.environ, VARIABLE: "1"}).returncode
