"""The door to labs and benches: lists the modules of a package that can be run, and runs them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType


def run(package: ModuleType, argv: list[str]) -> int:
    """Run what the first argument names; returns the exit code, the worst one for `all`."""
    found = runnable(package)
    if not argv or argv[0] in ("-h", "--help"):
        _list(package, found)
        return 0
    name, rest = argv[0], argv[1:]
    if name == "all":
        return max((_main(package, each)(rest) for each in found), default=0)
    if name not in found:
        print(f"there is no {package.__name__} named {name}; there are: {', '.join(found)}", file=sys.stderr)
        return 2
    return _main(package, name)(rest)


def runnable(package: ModuleType) -> dict[str, str]:
    """Name -> first line of the docstring, read without importing: a bench may need extra packages."""
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules(package.__path__):
        tree = ast.parse((Path(package.__path__[0]) / f"{module.name}.py").read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            found[module.name] = (ast.get_docstring(tree) or "").split("\n", 1)[0]
    return found


def _main(package: ModuleType, name: str) -> Callable[[list[str]], int]:
    main: Callable[[list[str]], int] = importlib.import_module(f"{package.__name__}.{name}").main
    return main


def _list(package: ModuleType, found: dict[str, str]) -> None:
    for name, help_line in found.items():
        print(f"  {name:<12} {help_line}")
    print(f"\nrun one with: ./dev {package.__name__} NAME [ARGS]; `all` runs each")
