"""Domains named to a command: as arguments, in a file, or on standard input, one per line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime
from surveyor.errors import BadInput, NotADomain, UsageError
from surveyor.review.decisions import Refusal, Target

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

Domains = Annotated[
    str,
    Parameter(
        name="DOMAIN", allow_leading_hyphen=True, help="Domains, or any URLs of them; - is standard input."
    ),
]
FileOption = Annotated[
    str | None,
    Parameter(
        name="--file", allow_leading_hyphen=True, help="A file with a domain per line; - is standard input."
    ),
]
Version = Annotated[
    int | None, Parameter(help="The version you saw: refused, with what changed, if it is another by now.")
]
# Of the commands that take domains.
_OPTIONS = (
    *("--reason", "--version", "--file", "--json", "--year", "--depth", "--delay", "--max-pages"),
    *("--every-hours", "--render", "--notes", "--workspace"),
)
# More in one command is a mistake, or wants `ingest-seeds`.
MOST = 100_000


def read(domains: Sequence[str], file: str | None) -> list[str]:
    """All names that were given, in their order."""
    # A lone hyphen is standard input, so hyphens get through to here; a name never begins with one.
    if unknown := next((name for name in domains if name.startswith("-") and name != "-"), None):
        near = get_close_matches(unknown, _OPTIONS, 1)
        hint = f"perhaps {near[0]}" if near else "--help lists them"
        raise UsageError(f"unknown option {unknown[:60]}; {hint}")
    names = [name for given in domains for name in (_lines("-") if given == "-" else [given])]
    names += _lines(file) if file is not None else []
    if not names:
        raise UsageError("name at least one domain, or --file FILE with one per line")
    if len(names) > MOST:
        raise UsageError(f"{len(names):,} domains are too many at once; the most is {MOST:,}")
    return names


def _lines(file: str) -> Iterator[str]:
    if file == "-":
        runtime.say_if_typed()
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read: {error}") from None
    for line in text.splitlines():
        name = line.partition("#")[0].strip()
        if name:
            yield name


def targets(
    workspace: Workspace, names: Sequence[str], version: int | None
) -> tuple[list[Target], list[Refusal]]:
    """What is to be decided on, and names that are no domains."""
    if version is not None and len(names) > 1:
        raise UsageError("--version is for one domain; decide on the others without it")
    wanted: list[Target] = []
    bad: list[Refusal] = []
    for name in names:
        try:
            wanted.append(Target(workspace.domain_name(name), version))
        except NotADomain as error:
            bad.append(Refusal(name, str(error)))
    return wanted, bad
