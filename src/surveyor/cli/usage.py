"""What a command line that cannot be understood is answered with."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from cyclopts import (
    Argument,
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from surveyor.cli.commands import COMMANDS

_OTHER_TOOLS_SAY: Final = {
    "add": "submit",
    "delete": "forget",
    "domain": "domain-info",
    "domains": "domain-status",
    "info": "domain-info",
    "list": "domain-status",
    "ls": "domain-status",
    "queue": "queue-status",
    "remove": "forget",
    "rm": "forget",
    "run": "up",
    "show": "domain-info",
    "start": "up",
    "stats": "doctor",
    "status": "domain-status",
    "version": "--version",
}

_KINDS: Final[dict[object, str]] = {int: "a whole number", float: "a number"}


# Whole numbers of a database end here.
_LARGEST: Final = 2**63 - 1


def storable(_: type, value: object) -> None:
    """Whether a number can be asked of a database; of every option."""
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError(f"It must be at most {_LARGEST:,}.")


def explained(error: CycloptsError) -> str:
    """One line that says what to type; the parser's own words where they do."""
    command = " ".join(error.command_chain or ())
    match error:
        case MissingArgumentError(argument=Argument() as argument) if not argument.tokens:
            return _missing(argument, command)
        case UnknownCommandError(unused_tokens=[word, *_]) if not command:
            return _unknown(word)
        case CoercionError(argument=Argument() as argument, target_type=kind) if (
            kind in _KINDS and error.token
        ):
            takes, given = _KINDS[kind], error.token.value
            return f"{_name(argument)} takes {takes}, not “{given}”; `surveyor {command} --help` tells more"
        case UnusedCliTokensError(unused_tokens=Sequence() as words):
            return f"unexpected: {' '.join(words)}; `surveyor {command} --help` says what it takes"
        case UnknownOptionError() if command and not str(error).endswith("?"):
            return f"{str(error).rstrip('.')}; `surveyor {command} --help` lists those it has"
    return str(error)


# What may stand before a command, and what stands alone.
_BEFORE: Final = ("--workspace", "--debug", "--columns")
_ALONE: Final = ("help", "--help", "-h", "--version", "-V")


def _unknown(word: str) -> str:
    if word in _ALONE:
        return f"nothing goes before {word}: type `surveyor {word}`"
    if word.startswith("-"):
        near = get_close_matches(word, (*_BEFORE, *_ALONE), 1)
        hint = f"perhaps {near[0]}" if near else "`surveyor --help` lists them"
        return f"there is no option {word}; {hint}"
    near = get_close_matches(word, [command.name for command in COMMANDS], 1)
    meant = _OTHER_TOOLS_SAY.get(word) or next(iter(near), None)
    hint = f"perhaps `surveyor {meant}`" if meant else "`surveyor help` says what each one does"
    return f"there is no command {word}; {hint}"


def _missing(argument: Argument, command: str) -> str:
    line = " ".join(filter(None, ("surveyor", command, _spelled(argument))))
    more = f"`{' '.join(filter(None, ('surveyor', command, '--help')))}` tells more"
    return f"{_name(argument)} is missing: `{line}`; {more}{_choices(argument)}"


def _spelled(argument: Argument) -> str:
    name = _name(argument)
    return name if _is_positional(argument) else f"… {name} {name.lstrip('-').upper()}"


def _name(argument: Argument) -> str:
    return argument.name.lstrip("-").upper() if _is_positional(argument) else argument.name


def _is_positional(argument: Argument) -> bool:
    return argument.index is not None


def _choices(argument: Argument) -> str:
    choices = argument.get_choices()
    return f" ({argument.name.lstrip('-').upper()} is one of {', '.join(choices)})" if choices else ""
