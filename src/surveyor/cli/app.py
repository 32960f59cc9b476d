"""The parser: commands are named as text and imported when they run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Group, Parameter

from surveyor.cli import runtime, usage
from surveyor.cli.commands import COMMANDS, PANELS, Command

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

# Options that every command takes.
_EVERYWHERE = frozenset({"--workspace", "--debug", "--columns"})
_OFF = ("False", '""', "()")  # defaults that say nothing


class _Help:
    """Help as the parser prints it, with a command's own options first. No switch is said to be off, an
    argument is named once, by its place, and `--columns` only where there is a list to take them from.
    """

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        from attrs import evolve
        from cyclopts.help import DefaultFormatter

        entries: list[HelpEntry] = []
        has_list = any("--json" in entry.names for entry in panel.entries)
        for entry in sorted(panel.entries, key=lambda one: not _EVERYWHERE.isdisjoint(one.names)):
            if not has_list and "--columns" in entry.names:
                continue
            default = None if entry.default in _OFF else entry.default
            names = () if entry.positional_label else entry.positive_names
            entries.append(evolve(entry, default=default, positive_names=names))
        DefaultFormatter()(console, options, panel.copy(entries=entries))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: object) -> None:
        from cyclopts.help import DefaultFormatter

        if os.environ.get("NO_COLOR"):  # which means no bold letters either
            console.print(f"Usage: {usage}" if usage else "", markup=False, highlight=False)
        else:
            DefaultFormatter().render_usage(console, options, usage)


def app_of(commands: Iterable[Command] = COMMANDS) -> App:
    """The parser of these commands: each that it knows is looked at several times in every start."""
    app = App(
        name="surveyor",
        help_format="plaintext",
        version_flags=[],
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
        help_formatter=_Help(),
        # An option that may be repeated has no `--empty-...` beside it: leaving it out says the same.
        default_parameter=Parameter(negative_iterable=(), validator=usage.storable),
    )
    groups = {panel: Group(panel, sort_key=place) for place, panel in enumerate(PANELS)}
    for command in commands:
        app.command(
            f"surveyor.cli.{command.target}",
            name=command.name,
            help=f"{command.help[0].upper()}{command.help[1:]}.",
            group=groups[command.panel],
        )
    app.meta.print_error, app.meta.exit_on_error = False, False
    app.meta.suppress_keyboard_interrupt = False

    @app.meta.default
    def launch(
        *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        workspace: Annotated[Path | None, Parameter(help="Folder to work in.")] = None,
        debug: Annotated[bool, Parameter(negative="", help="Show the traceback of an error.")] = False,
        columns: Annotated[
            str, Parameter(help="Of a list: only these columns or keys, separated by commas.")
        ] = "",
    ) -> object:
        """Takes what may stand before or after any command, and passes the rest on."""
        runtime.options.workspace, runtime.options.debug = workspace, debug
        runtime.options.columns = tuple(filter(None, (name.strip() for name in columns.split(","))))
        return app(tokens)

    return app
