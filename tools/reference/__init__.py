"""The reference, made from the code: whatever the program knows has an entry, or nothing is written.

`pages` gives the text of every generated file; `python -m tools.reference` writes them and
the tests hold the files equal to it. Descriptions are taken from where a change is made (a
setting's `description`, the sentence beside an enum's member, the tree at the top of
`errors.py`), so there is one place to write them. One that is missing raises `Undescribed`.
"""

from __future__ import annotations

from collections.abc import Callable

from tools.reference import codes, commands, errors, events, lifecycle, metrics, settings, states
from tools.reference.markdown import page

_MADE: dict[str, tuple[Callable[[], str], str]] = {
    "commands": (commands.body, "every command with its arguments and options"),
    "settings": (settings.body, "every setting with its type, default and environment name"),
    "states": (states.body, "the states of the three lifecycles, and the stage"),
    "events": (events.body, "what is written to the events table"),
    "codes": (codes.body, "reason codes and the other words that are stored or shown"),
    "errors": (errors.body, "the errors raised on purpose, and their exit codes"),
    "metrics": (metrics.body, "counters and gauges"),
}
_INDEX = "docs/reference/README.md"

FILES = (*(f"docs/reference/{name}.md" for name in _MADE), _INDEX, lifecycle.FILE)


def pages() -> dict[str, str]:
    """Path from the root of the repository -> the whole text of that file."""
    texts = [body() for body, _ in _MADE.values()]
    return dict(zip(FILES, [*texts, _index(), lifecycle.text()], strict=True))


def _index() -> str:
    listed = "\n".join(f"- [{name}]({name}.md): {what}" for name, (_, what) in _MADE.items())
    return page("Reference", f"Made from the code.\n\n{listed}")
