"""What a page says in marks for programs, as plain items: types, properties, and which marks they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from surveyor.extract.values import Source

# Characters of one text that are kept; longer ones are articles, not facts.
LONGEST_TEXT = 5_000
# Items of one page that are looked at, and the depth to which they lie in each other.
MOST_ITEMS = 2_000
DEEPEST = 40


@dataclass(slots=True, eq=False)
class Item:
    """One thing. Properties have their names without vocabulary, and always lists."""

    source: Source
    types: tuple[str, ...] = ()
    """As schema.org writes them, without the vocabulary: LocalBusiness."""
    values: dict[str, list[str | Item]] = field(default_factory=dict)
    top: bool = True
    """Whether it stands by itself and is no property of another."""

    def texts(self, *names: str) -> list[str]:
        """What is written under these properties; for an item within, its name."""
        found: list[str] = []
        for name in names:
            for value in self.values.get(name, ()):
                if isinstance(value, Item):
                    inner = value.values.get("name") or value.values.get("@value") or ()
                    found.extend(one for one in inner if isinstance(one, str))
                else:
                    found.append(value)
        return [line for line in (" ".join(text.split()) for text in found) if line]

    def text(self, *names: str) -> str | None:
        """The first of `texts`."""
        return next(iter(self.texts(*names)), None)

    def items(self, *names: str) -> list[Item]:
        return [value for name in names for value in self.values.get(name, ()) if isinstance(value, Item)]

    def is_a(self, types: Iterable[str]) -> bool:
        return not set(types).isdisjoint(self.types)

    def add(self, name: str, value: str | Item) -> None:
        self.values.setdefault(name, []).append(value)


@dataclass(frozen=True, slots=True)
class Structured:
    """All marks of one page."""

    items: list[Item]
    """Every item, those within others too; JSON-LD first, then microdata, each in the order of the page."""
    meta: dict[str, str]
    """The first content of each meta element, by its property or name in small letters: og:title."""

    def of_types(self, types: Iterable[str]) -> Iterator[Item]:
        wanted = frozenset(types)
        return (item for item in self.items if not wanted.isdisjoint(item.types))


def short_type(written: str) -> str:
    """`LocalBusiness` of `https://schema.org/LocalBusiness`, `schema:LocalBusiness` or itself."""
    return written.strip().rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]
