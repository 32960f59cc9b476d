"""Benches and labs run seldom: that each finds what it stands on is seen with every test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# They stand on other crawlers, which only the benches' own environment has.
_ELSEWHERE = {
    "bench.scrapy_spider",
    "bench.crawlee_crawl",
    "bench.profiled",
    "bench.render_crawl4ai",
    "bench.render_crawlee",
}
_MODULES = sorted(
    f"{folder}.{file.stem}"
    for folder in ("bench", "lab")
    for file in (ROOT / folder).glob("*.py")
    if not file.stem.startswith("__")
)


@pytest.mark.parametrize("folder", ["bench", "lab"])
def test_every_program_can_be_started(folder: str) -> None:
    wanted = [name for name in _MODULES if name.startswith(folder) and name not in _ELSEWHERE]
    code = f"import importlib; [importlib.import_module(name) for name in {wanted!r}]"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
