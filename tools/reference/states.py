"""The states of the three lifecycles and the stage, from their enums and tables of arrows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surveyor.registry.domain import Stage
from surveyor.registry.lifecycle import LIFECYCLES, Lifecycle
from tools.reference.markdown import code, page, table
from tools.reference.sources import described

_INTRODUCTION = """\
A domain has three states, each in a column of its own, and a stage that is derived from them.
[lifecycle.md](../lifecycle.md) has the pictures and says what moves a domain.
"""


def body() -> str:
    columns = [f"## {one.column}\n\n{one.states.__doc__}\n\n{arrows(one)}" for one in LIFECYCLES]
    rows = [(code(stage.value), meaning) for stage, meaning in described(Stage).items()]
    stages = "## stage\n\n" + table(("stage", "meaning"), rows)
    return page("States", "\n\n".join([_INTRODUCTION.strip(), *columns, stages]))


def arrows(lifecycle: Lifecycle[Any]) -> str:
    return table(("state", "meaning", "may go to"), _rows(lifecycle))


def _rows(lifecycle: Lifecycle[Any]) -> Iterator[tuple[str, str, str]]:
    for state, meaning in described(lifecycle.states).items():
        begins = " (a new domain may begin here)" if state in lifecycle.first else ""
        targets = ", ".join(code(target.value) for target in lifecycle.arrows[state])
        yield code(state.value), meaning + begins, targets
