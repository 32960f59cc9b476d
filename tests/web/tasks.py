"""What a curator's tasks take, counted while the browser tests do them: the table in docs/admin.md.

A step is one act of a person: a page opened, a key, a click, a choice, something typed. The number of steps
is held to the table; seconds are of whoever wrote it. `TASK_TABLE=write ./dev test tests/web/test_work.py`
writes it anew, and the same with `test_workflows.py`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page

FILE = Path(__file__).parents[2] / "docs" / "admin.md"
_TABLE = re.compile(r"(?<=<!-- tasks -->\n)(.*?)(?=<!-- end of tasks -->)", re.DOTALL)
_HEAD = "| task | steps | seconds |\n| --- | --- | --- |\n"
_ROW = re.compile(r"^\| (?P<task>[^|]+) \| (?P<steps>\d+) \| (?P<seconds>[\d.]+) \|$", re.MULTILINE)


class Hands:
    """Does what a person does, and counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.steps = page, 0

    def _at(self, target: str | Locator) -> Locator:
        self.steps += 1
        return self.page.locator(target).first if isinstance(target, str) else target

    def open(self, path: str) -> None:
        self.steps += 1
        self.page.goto(path)

    def press(self, key: str) -> None:
        self.steps += 1
        self.page.wait_for_load_state("domcontentloaded")  # a person sees the page before that, and is slower
        self.page.keyboard.press(key)

    def click(self, target: str | Locator) -> None:
        self._at(target).click()

    def choose(self, target: str, value: str) -> None:
        self._at(target).select_option(value)

    def write(self, target: str | Locator, text: str, then: str = "") -> None:
        """Type it; `then` is the key that ends it, which is no step of its own."""
        field = self._at(target)
        field.fill(text)
        if then:
            field.press(then)


@contextmanager
def task(page: Page, name: str) -> Iterator[Hands]:
    hands, began = Hands(page), time.monotonic()
    yield hands
    _hold(name, hands.steps, time.monotonic() - began)


def _hold(name: str, steps: int, seconds: float) -> None:
    text = FILE.read_text(encoding="utf-8")
    found = _TABLE.search(text)
    assert found, "docs/admin.md has no table of tasks"
    rows = {row["task"]: (int(row["steps"]), row["seconds"]) for row in _ROW.finditer(found[0])}
    if os.environ.get("TASK_TABLE") == "write":
        rows[name] = (steps, f"{seconds:.1f}")
        lines = "".join(f"| {task} | {count} | {took} |\n" for task, (count, took) in rows.items())
        FILE.write_text(_TABLE.sub(lambda _: _HEAD + lines, text), encoding="utf-8")
        return
    assert rows.get(name, (None,))[0] == steps, (
        f"{name!r} takes {steps} steps; TASK_TABLE=write writes it down"
    )
