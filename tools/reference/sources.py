"""Reads the code: every module of the package, every enum in it, and what is written beside a member."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import surveyor
from tools.reference.markdown import sentence

ROOT = Path(__file__).parents[2]
# These do something when they are imported, and define nothing.
_NOT_IMPORTED = ("surveyor.__main__", "surveyor.db.migrations")


class Undescribed(Exception):
    """Something that is part of the product has no description."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} has no description; write one sentence {where}")


@cache
def modules() -> tuple[ModuleType, ...]:
    found = pkgutil.walk_packages(surveyor.__path__, "surveyor.")
    names = [module.name for module in found if not module.name.startswith(_NOT_IMPORTED)]
    return tuple(importlib.import_module(name) for name in sorted(names))


def defined(kind: type) -> Iterator[type]:
    """Classes of that kind that the package itself defines, private ones left out."""
    for module in modules():
        for name, value in vars(module).items():
            here = isinstance(value, type) and value.__module__ == module.__name__
            if here and issubclass(value, kind) and not name.startswith("_"):
                yield value


def described(kind: type[Enum], fallback: Mapping[str, str] | None = None) -> dict[Enum, str]:
    """Member -> the sentence beside it in the code, else the one given here."""
    written = {**(fallback or {}), **_written(kind)}
    for member in kind:
        if member.name not in written:
            where = f"beside it in {kind.__module__.replace('.', '/')}.py"
            raise Undescribed(f"{kind.__name__}.{member.name}", where)
    return {member: sentence(written[member.name]) for member in kind}


def _written(kind: type[Enum]) -> dict[str, str]:
    """A comment behind a member, or a text below it."""
    source = dedent(inspect.getsource(kind))
    lines = source.splitlines()
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for node, following in pairwise([*definition.body, ast.Pass()]):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            behind = lines[(node.end_lineno or 0) - 1].encode()[node.end_col_offset :].decode()
            comment = _text(following) or behind.strip().removeprefix("#").strip()
            if comment:
                found[node.targets[0].id] = comment
    return found


def _text(node: ast.stmt) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return str(node.value.value)
    return ""
