"""Loads SQLAlchemy's asynchronous engine without its object-relational mapper, which is not used here.

`sqlalchemy.ext.asyncio` loads the mapper for its sessions: a seventh of the time of a listing, and some
megabytes in each process. Whoever asks for a session all the same, as a plugin may, gets the real one.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

_PACKAGE = "sqlalchemy.ext.asyncio"
_SESSIONS = {
    f"{_PACKAGE}.scoping": ("async_scoped_session",),
    f"{_PACKAGE}.session": (
        "async_object_session",
        "async_session",
        "async_sessionmaker",
        "AsyncAttrs",
        "AsyncSession",
        "AsyncSessionTransaction",
        "close_all_sessions",
    ),
}
_MODULE_OF = {name: module for module, names in _SESSIONS.items() for name in names}


def _load() -> None:
    if _PACKAGE in sys.modules:
        return
    for module, names in _SESSIONS.items():
        sys.modules[module] = stand_in = ModuleType(module)
        vars(stand_in).update(dict.fromkeys(names))
    try:
        package = importlib.import_module(_PACKAGE)
    finally:
        for module in _SESSIONS:
            del sys.modules[module]
    for name in (*_MODULE_OF, "scoping", "session"):
        vars(package).pop(name, None)
    package.__getattr__ = _asked_for  # type: ignore[method-assign]


def _asked_for(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(importlib.import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}")


_load()
