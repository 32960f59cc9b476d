"""An object that holds too much hides what it does; it owns others instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import surveyor

_MOST = 15
# Known, and to be split: the worker of extraction.
_NOT_YET = {"ExtractWorker"}


def _attributes(found: ast.ClassDef) -> set[str]:
    """What its methods assign to `self`; fields of rows and settings are declared, not assigned."""
    return {
        node.attr
        for node in ast.walk(found)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def _classes() -> Iterator[ast.ClassDef]:
    for path in Path(surveyor.__path__[0]).rglob("*.py"):
        yield from (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))


def test_no_class_keeps_more_than_fifteen_attributes() -> None:
    large = {found.name: len(names) for found in _classes() if len(names := _attributes(found)) > _MOST}
    assert set(large) == _NOT_YET, large
