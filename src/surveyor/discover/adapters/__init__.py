"""Search providers, one module each and all of the same shape.

A module says how a query becomes a request (`ask`), how the provider's JSON becomes hits
(`read`), and what its errors mean (`trouble_of`). None of it does I/O; `provider` sends.
"""

from importlib import import_module

from surveyor import entry_points
from surveyor.discover.adapters.base import Adapter, Answer, Ask, Hit, SearchQuery
from surveyor.entry_points import Group

ADAPTERS: dict[str, Adapter] = {
    name: import_module(target.partition(":")[0]).ADAPTER
    for name, target in entry_points.BUILT_IN[Group.PROVIDERS].items()
}
"""Those that are built in."""


def all_adapters() -> dict[str, Adapter]:
    """Built-in ones, then those that other packages bring."""
    return ADAPTERS | dict(entry_points.load(Group.PROVIDERS).objects)


__all__ = ["ADAPTERS", "Adapter", "Answer", "Ask", "Hit", "SearchQuery", "all_adapters"]
