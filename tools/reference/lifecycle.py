"""The generated parts of docs/lifecycle.md: a picture of each lifecycle, and when each stage holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy.dialects import postgresql

from surveyor.registry.domain import Stage
from surveyor.registry.lifecycle import LIFECYCLES, Lifecycle
from surveyor.registry.store.listing import STAGE
from tools.reference.markdown import code, table
from tools.reference.sources import ROOT, described
from tools.reference.states import arrows

FILE = "docs/lifecycle.md"
_MARKED = re.compile(r"(<!-- made: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def text() -> str:
    """The file with its marked parts written anew; all else is prose and stays."""
    made = {lifecycle.column: _drawn(lifecycle) for lifecycle in LIFECYCLES} | {"stage": _stages()}
    present = (ROOT / FILE).read_text(encoding="utf-8")
    named = [mark[2] for mark in _MARKED.finditer(present)]
    if sorted(named) != sorted(made):
        raise ValueError(f"{FILE} must mark each of {', '.join(made)} once, not {', '.join(named)}")
    return _MARKED.sub(lambda mark: f"{mark[1]}{made[mark[2]]}\n{mark[3]}", present)


def _drawn(lifecycle: Lifecycle[Any]) -> str:
    picture = "\n".join(["```mermaid", "stateDiagram-v2", *_lines(lifecycle), "```"])
    return f"{picture}\n\n{arrows(lifecycle)}"


def _lines(lifecycle: Lifecycle[Any]) -> Iterator[str]:
    for state in lifecycle.first:
        yield f"    [*] --> {state}"
    for source, targets in lifecycle.arrows.items():
        for target in targets:
            yield f"    {source} --> {target}"


def _stages() -> str:
    """In the order of the rules, as the listing asks the database."""
    meanings = described(Stage)
    rules = [(_condition(when), Stage(then.value)) for when, then in STAGE.whens]
    rules.append(("nothing above fits", Stage(STAGE.else_.value)))
    rows = [
        (str(place), condition, code(stage.value), meanings[stage])
        for place, (condition, stage) in enumerate(rules, 1)
    ]
    return table(("", "if", "the stage is", "meaning"), rows)


def _condition(when: Any) -> str:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    compiled = when.compile(dialect=dialect, compile_kwargs={"literal_binds": True})
    plain = str(compiled).replace("domains.", "").replace("domain_crawl.", "")
    plain = plain.replace("statement_timestamp()", "now").removeprefix("(").removesuffix(")")
    return code(plain)
