"""What an extension can be: small protocols, each with one promise per member. The names here stay.

An extension is an object that a package names under an entry point, see `docs/plugins.md`:

    [project.entry-points."surveyor.judges"]
    charity_name = "my_package.judge:charity_name"

It runs in our processes with all their rights. When it raises, it is named and what it was asked for goes on
without it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from surveyor.discover.adapters.base import (
        Adapter,
        Answer,
        Ask,
        Diagnosis,
        Hit,
        Malformed,
        SearchQuery,
        bearer,
        by_status,
    )
    from surveyor.discover.errors import Trouble

__all__ = [
    "Adapter",
    "Answer",
    "Ask",
    "Diagnosis",
    "Event",
    "Found",
    "Hit",
    "Judge",
    "Listener",
    "Malformed",
    "Message",
    "Notifier",
    "PageContent",
    "RecordKind",
    "SearchQuery",
    "SearchResult",
    "Trouble",
    "Writer",
    "WriterFormat",
    "bearer",
    "by_status",
]


def __getattr__(name: str) -> Any:
    """What a provider is made of; it stands on the client, which a judge or a finder does not need."""
    if name not in __all__:
        raise AttributeError(f"module 'surveyor.plugins' has no attribute {name!r}")
    from importlib import import_module

    module = "errors" if name == "Trouble" else "adapters.base"
    return getattr(import_module(f"surveyor.discover.{module}"), name)


class SearchResult(NamedTuple):
    """A search result as a plugged judge sees it."""

    url: str
    domain: str
    title: str
    description: str
    position: int
    language: str | None


class PageContent(NamedTuple):
    """A page as a plugged finder sees it."""

    url: str
    title: str
    language: str | None
    text: str
    """Plain lines of the main content."""
    body: bytes
    """As it was fetched."""
    seen_on: date


class Found(NamedTuple):
    """A value with the words of the page that say so."""

    value: Any
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, in the order of the feed."""

    id: int
    kind: str
    domain: str | None
    at: datetime
    row: Mapping[str, Any] = field(repr=False, compare=False)


@runtime_checkable
class Judge(Protocol):
    """`surveyor.judges`: how much a search result is worth. Profiles name it with its weight."""

    def __call__(self, result: SearchResult, /) -> tuple[float, str] | None:
        """0 to 1 and a sentence that says why; None where it has nothing to say. Pure, and quick."""
        ...


@runtime_checkable
class RecordKind(Protocol):
    """`surveyor.records`: a kind of records. Profiles name it under `records`."""

    @property
    def fields(self) -> Sequence[str]:
        """The names of its fields in the order in which people read them; `name` is one of them."""
        ...

    def find(self, page: PageContent, /) -> Iterable[Mapping[str, Any]]:
        """Records of a page: values by field, or `Found` with the words they were read from. Pure."""
        ...


class Writer(Protocol):
    """Writes the rows of one export."""

    def write(self, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Write some rows; called again and again, in order."""
        ...

    def close(self) -> None:
        """Write what is left. The stream stays open."""
        ...


@runtime_checkable
class WriterFormat(Protocol):
    """`surveyor.writers`: a format of `surveyor export`, named as the entry point is."""

    @property
    def endings(self) -> Sequence[str]:
        """Endings of files that mean this format, such as `.md`."""
        ...

    def open(self, stream: Any, columns: Sequence[Any], /) -> Writer:
        """Begin to write bytes to the stream; a column has a `name` and a `kind`."""
        ...


class Message(NamedTuple):
    """Something whoever runs this should know."""

    subject: str
    text: str


@runtime_checkable
class Notifier(Protocol):
    """`surveyor.notifiers`: a way to reach whoever runs this, such as a chat or a pager."""

    def __call__(self, message: Message, /) -> Awaitable[None]:
        """Deliver it, or raise: messages to staff are tried again later."""
        ...


@runtime_checkable
class Listener(Protocol):
    """`surveyor.listeners`: hears every event at least once, in order, from `webhooks --send`."""

    def __call__(self, events: Sequence[Event], /) -> Awaitable[None]:
        """Return when they are dealt with; whatever it raises, the same ones come again later."""
        ...
