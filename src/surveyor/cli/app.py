"""The parser: commands are named as text and imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter

from surveyor.cli import runtime
from surveyor.cli.commands import COMMANDS, PANELS

app = App(
    name="surveyor",
    help_format="plaintext",
    version_flags=[],
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
_groups = {panel: Group(panel, sort_key=place) for place, panel in enumerate(PANELS)}
for _command in COMMANDS:
    app.command(
        f"surveyor.cli.{_command.target}",
        name=_command.name,
        help=f"{_command.help[0].upper()}{_command.help[1:]}.",
        group=_groups[_command.panel],
    )

app.meta.print_error, app.meta.exit_on_error = False, False
app.meta.suppress_keyboard_interrupt = False


@app.meta.default
def launch(
    *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    workspace: Annotated[Path | None, Parameter(help="Folder to work in.")] = None,
    debug: Annotated[bool, Parameter(negative="", help="Show the traceback of an error.")] = False,
    columns: Annotated[str, Parameter(help="Of a list: only these columns or keys, with commas.")] = "",
) -> object:
    """Takes what may stand before or after any command, and passes the rest on."""
    runtime.options.workspace, runtime.options.debug = workspace, debug
    runtime.options.columns = tuple(filter(None, (name.strip() for name in columns.split(","))))
    return app(tokens)
