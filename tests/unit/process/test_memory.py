"""Memory between pages."""

from __future__ import annotations

import gc
import platform
from collections.abc import Iterator

import pytest

from surveyor.process.resources import keep_heap


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


def test_the_c_library_is_asked_where_it_understands() -> None:
    assert keep_heap() is (platform.libc_ver()[0] == "glibc")


def test_objects_that_the_work_holds_are_no_reason_to_look_for_cycles() -> None:
    keep_heap(1_000_000)
    assert gc.get_threshold()[0] == 1_000_000
    keep_heap()
    assert gc.get_threshold()[0] == 50_000
