"""Memory between pages."""

from __future__ import annotations

import platform

from surveyor.process.memory import keep_heap


def test_the_c_library_is_asked_where_it_understands() -> None:
    assert keep_heap() is (platform.libc_ver()[0] == "glibc")
