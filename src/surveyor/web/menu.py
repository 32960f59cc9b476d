"""The menu: the pages that a visitor may open, in the order of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from surveyor.people import Scope

if TYPE_CHECKING:
    from surveyor.web.access import Who


class Item(NamedTuple):
    path: str
    name: str
    needs: Scope
    key: str  # after g, on a keyboard


class Shown(NamedTuple):
    path: str
    name: str
    is_here: bool
    key: str


MENU = (
    Item("/", "Overview", Scope.READ, "h"),
    Item("/review", "Review", Scope.READ, "r"),
    Item("/candidates", "Candidates", Scope.READ, "c"),
    Item("/domains", "Domains", Scope.READ, "d"),
    Item("/records", "Records", Scope.READ, "o"),
    Item("/sessions", "Sessions", Scope.READ, "s"),
    Item("/jobs", "Jobs", Scope.READ, "j"),
    Item("/runs", "Runs", Scope.READ, "u"),
    Item("/quality", "Quality", Scope.READ, "q"),
    Item("/blacklist", "Blacklist", Scope.READ, "b"),
    Item("/events", "Events", Scope.READ, "e"),
    Item("/submissions", "My submissions", Scope.SUBMIT, "m"),
    Item("/users", "Users", Scope.ADMIN, "p"),
    Item("/settings", "Settings", Scope.ADMIN, "t"),
)


def menu_of(visitor: Who, path: str) -> list[Shown]:
    """What the visitor may open; submissions only for those who see nothing else."""
    return [
        Shown(item.path, item.name, _is_here(item.path, path), item.key)
        for item in MENU
        if visitor.may(item.needs) and not (item.needs is Scope.SUBMIT and visitor.may(Scope.READ))
    ]


def _is_here(item: str, path: str) -> bool:
    return path == item or (item != "/" and path.startswith(f"{item}/"))
