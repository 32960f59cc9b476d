"""The exception tree, from the classes; what each means, from the drawings at the top of its file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from surveyor.errors import SurveyorError
from tools.reference.markdown import code, page, sentence, table
from tools.reference.sources import Undescribed, defined, modules

_INTRODUCTION = """\
What Surveyor raises on purpose. A message is one line and says what to do; evidence is in attributes. The
command line prints the message and ends with the exit code; `--debug` shows the traceback.
"""

# A branch, a name, two blanks or more, a meaning.
DRAWN = re.compile(r"^(?P<branch>[ │├└─]*)(?P<name>[A-Z]\w+) {2,}(?P<meaning>\S.*)$", re.MULTILINE)


def body() -> str:
    found = list(_tree(SurveyorError, 0))
    drawing = "\n".join(f"{'    ' * depth}{kind.__name__}" for kind, depth in found)
    rows = [
        (code(kind.__name__), code(kind.__module__), str(kind.exit_code), _meaning(kind)) for kind, _ in found
    ]
    listed = table(("error", "in", "exit code", "what happened"), rows)
    return page("Errors", f"{_INTRODUCTION}\n```text\n{drawing}\n```\n\n{listed}")


def _tree(kind: type[SurveyorError], depth: int) -> Iterator[tuple[type[SurveyorError], int]]:
    yield kind, depth
    ours = set(defined(SurveyorError))
    for child in sorted(kind.__subclasses__(), key=_place):
        if child in ours:
            yield from _tree(child, depth + 1)


def _place(kind: type) -> tuple[bool, str, int]:
    """In the order in which they are written, those of a single part last."""
    return kind.__module__ != SurveyorError.__module__, kind.__module__, inspect.getsourcelines(kind)[1]


def _meaning(kind: type[SurveyorError]) -> str:
    meaning = _drawn().get(kind.__name__) or (kind.__doc__ if "__doc__" in vars(kind) else None)
    if not meaning:
        raise Undescribed(
            f"the error {kind.__name__}", "in the tree at the top of its file, or as its docstring"
        )
    return sentence(meaning)


def _drawn() -> dict[str, str]:
    """Name -> meaning, out of the drawings of all modules."""
    return {
        line["name"]: line["meaning"] for module in modules() for line in DRAWN.finditer(module.__doc__ or "")
    }
