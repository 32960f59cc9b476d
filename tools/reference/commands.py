"""Commands, from the table behind `--help` and the parser's own view of each function."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from cyclopts import App

from surveyor.cli.app import app_of
from surveyor.cli.commands import COMMANDS, PANELS
from tools.reference.markdown import code, page, sentence, table
from tools.reference.sources import Undescribed

_INTRODUCTION = """\
`surveyor [--workspace DIR] COMMAND [OPTIONS]`. The workspace is the one named, else `SURVEYOR_WORKSPACE`,
else the present folder. Standard output carries what was asked for; everything else goes to standard
error. With `--json` standard output is one JSON document and nothing else; a listing is an array. Where a
state is given, `_` may be written as `-`.

| exit code | meaning |
| --- | --- |
| 0 | done; also after a first interrupt of `crawl`, `refresh`, `extract`, `up` or the admin |
| 1 | what was asked for failed |
| 2 | wrong usage: arguments, settings, profile or input |
| 130 | interrupted |
"""


def body() -> str:
    app = app_of()
    parts = [_INTRODUCTION, "## With every command\n\n" + _options(app.meta)]
    for panel in PANELS:
        parts.append(f"## {panel}")
        for command in COMMANDS:
            if command.panel == panel:
                parts += _entries(command.name, app[command.name])
    return page("Commands", "\n\n".join(part.strip() for part in parts))


def _entries(name: str, command: App) -> Iterator[str]:
    """The command, or each command below it."""
    below = [word for word in command if not word.startswith("-")]
    if below:
        for word in below:
            yield from _entries(f"{name} {word}", command[word])
        return
    function = command.default_command
    doc = inspect.getdoc(function) if function else None
    if not doc:
        raise Undescribed(f"the command {name}", "as the docstring of its function")
    yield f"### `surveyor {name}`\n\n{doc}\n\n{_options(command)}"


def _options(command: App) -> str:
    shown = [
        argument
        for argument in command.assemble_argument_collection()
        if argument.parameter.show is not False
    ]
    return table(("name", "takes", "default", "meaning"), [_row(command, argument) for argument in shown])


def _row(command: App, argument: Any) -> Sequence[str]:
    name = argument.name
    if argument.index is not None:
        name = name.removeprefix("--").upper() + ("..." if argument.is_var_positional() else "")
    if not argument.parameter.help:
        raise Undescribed(f"{name} of {command.name[0]}", "as the help of its Parameter")
    return code(name), _takes(argument), _default(argument), sentence(argument.parameter.help)


def _takes(argument: Any) -> str:
    if argument.is_flag():
        return "nothing"
    hints = (*get_args(argument.hint), argument.hint)
    if listed := next((get_args(hint) for hint in hints if get_origin(hint) is Literal), ()):
        return ", ".join(map(code, listed))
    kinds = [kind for kind in hints if isinstance(kind, type)]
    kind = kinds[0]
    if issubclass(kind, Enum):
        return ", ".join(code(member.value) for member in kind)
    return {"Path": "a path", "str": "text", "int": "a number", "float": "a number"}[kind.__name__]


def _default(argument: Any) -> str:
    default = argument.field_info.default
    if argument.required:
        return "needed"
    return (
        "" if default in (None, False, inspect.Parameter.empty) else code(getattr(default, "value", default))
    )
