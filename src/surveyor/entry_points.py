"""Extensions found through entry points, and what is built in, loaded in one and the same way.

A package that is installed beside this one names objects under the groups below; `surveyor.plugins` says what
each of them has to be. One that cannot be loaded, is not what it should be, or takes a name that is taken
is named with the reason and left out; the others do not notice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # both are loaded when they are needed: settings stand on this module
    from importlib import metadata

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HERE: Final = "surveyor"


class Group(StrEnum):
    """What can be added; the names of the groups of entry points."""

    PROVIDERS = "surveyor.providers"  # search providers
    JUDGES = "surveyor.judges"  # judges of search results
    RECORDS = "surveyor.records"  # kinds of records
    WRITERS = "surveyor.writers"  # formats of exports
    NOTIFIERS = "surveyor.notifiers"  # ways to reach whoever runs it
    LISTENERS = "surveyor.listeners"  # who receives events

    @property
    def short(self) -> str:
        return self.removeprefix("surveyor.")


def _of(module: str, member: str, *names: str) -> dict[str, str]:
    return {name: f"{module.format(name)}:{member}" for name in names}


# What comes with the package. In the code and not in its metadata, so that a checkout has it too.
BUILT_IN: Final[Mapping[Group, Mapping[str, str]]] = {
    Group.PROVIDERS: _of(
        "surveyor.discover.adapters.{}", "ADAPTER",
        "brave", "searxng", "serper", "tavily", "perplexity", "browserbase",
    ),
    Group.JUDGES: {
        "keywords": "surveyor.judge.judges.keywords:KeywordJudge",
        "credibility": "surveyor.judge.judges.credibility:CredibilityJudge",
        "geography": "surveyor.judge.judges.geography:GeographyJudge",
        "organisation": "surveyor.judge.judges.organisation:OrganisationJudge",
        "site_kind": "surveyor.judge.judges.site_kind:SiteKindJudge",
    },
    Group.RECORDS: {
        "funding_program": "surveyor.extract.records.funding:find",
        "service": "surveyor.extract.organisations:find",
        "opportunity": "surveyor.extract.records.opportunity:find",
        "business": "surveyor.extract.organisations:find",
        "organisation": "surveyor.extract.organisations:find",
    },
    Group.WRITERS: _of("surveyor.export.writers.{}", "FORMAT", "csv", "jsonl", "parquet"),
    Group.NOTIFIERS: {
        "mail": "surveyor.notify.channels:MailChannel",
        "webhook": "surveyor.notify.channels:WebhookChannel",
        "slack": "surveyor.notify.channels:SlackChannel",
    },
    Group.LISTENERS: {"webhooks": "surveyor.listeners.webhooks:Webhook"},
}  # fmt: skip

# What an extension's object must have. Built-in ones are held to their types instead.
_NEEDED: Final[Mapping[Group, tuple[str, ...]]] = {
    Group.PROVIDERS: ("name", "base_url", "needs_key", "headers", "ask", "read", "trouble_of"),
    Group.JUDGES: ("__call__",),
    Group.RECORDS: ("fields", "find"),
    Group.WRITERS: ("endings", "open"),
    Group.NOTIFIERS: ("__call__",),
    Group.LISTENERS: ("__call__",),
}


@dataclass(frozen=True, slots=True)
class Plugin:
    """One registered extension, and what became of it."""

    group: Group
    name: str
    target: str
    package: str
    version: str
    error: str | None = None

    @property
    def is_built_in(self) -> bool:
        return self.package == _HERE


@dataclass(frozen=True, slots=True)
class Loaded:
    plugins: tuple[Plugin, ...]
    objects: Mapping[str, Any]
    """Those that work, by name; built-in ones are not among them, for their stage knows them."""


@cache
def registered(group: Group) -> tuple[tuple[metadata.EntryPoint, Plugin], ...]:
    """What others registered, in the order of their packages; nothing is loaded."""
    from importlib import metadata

    found = []
    for point in metadata.entry_points(group=group):
        package, version = (point.dist.name, point.dist.version) if point.dist else ("?", "?")
        if package != _HERE:
            found.append((point, Plugin(group, point.name, point.value, package, version)))
    return tuple(sorted(found, key=lambda one: (one[1].package, one[1].name)))


def names(group: Group) -> tuple[str, ...]:
    """Every name that may be used: built-in ones, then others; nothing is loaded."""
    return tuple(dict.fromkeys([*BUILT_IN[group], *(plugin.name for _, plugin in registered(group))]))


@cache
def load(group: Group) -> Loaded:
    """What others registered, loaded once; what is broken is logged and left out."""
    from surveyor import logs

    log = logs.get("plugins")
    plugins, objects = [], dict[str, Any]()
    for point, plugin in registered(group):
        error, made = _load(point, group, {*BUILT_IN[group], *objects})
        if error is None:
            objects[plugin.name] = made
        else:
            log.warning("a plugin is left out", plugin=plugin.name, package=plugin.package, error=error)
        plugins.append(Plugin(group, plugin.name, plugin.target, plugin.package, plugin.version, error))
    return Loaded(tuple(plugins), objects)


def _load(point: metadata.EntryPoint, group: Group, taken: set[str]) -> tuple[str | None, Any]:
    if not _NAME.fullmatch(point.name):
        return "its name must be lower case letters, digits and underscores", None
    if point.name in taken:
        return f"the name {point.name} is taken", None
    try:
        made = point.load()
    except (Exception, SystemExit) as error:
        return f"it cannot be loaded: {described(error)}", None
    if missing := [name for name in _NEEDED[group] if not hasattr(made, name)]:
        return f"it has no {', '.join(missing)}; docs/plugins.md says what is needed", None
    return None, made


def every() -> list[Plugin]:
    """All extensions of all groups, loaded to see whether they work; built-in ones first."""
    from surveyor import __version__

    found = []
    for group in Group:
        found += [Plugin(group, name, at, _HERE, __version__) for name, at in BUILT_IN[group].items()]
        found += load(group).plugins
    return found


def mark(group: Group, wanted: tuple[str, ...]) -> str:
    """Changes when a package that brings one of these does."""
    used = [plugin for _, plugin in registered(group) if plugin.name in wanted]
    return " ".join(f"{one.package}-{one.version}:{one.name}" for one in used)


def described(error: BaseException) -> str:
    """An error of foreign code in one short line."""
    line = " ".join(f"{type(error).__name__}: {error}".split())
    return line[:300]
