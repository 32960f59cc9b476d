"""The process in which pages are read: one after the other, with little memory, and alone when it dies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from surveyor.extract import messages
from surveyor.extract.model import Model
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page, Reading
from surveyor.process.children import Answer, serve

MODULE: Final = "surveyor.extract.child"
# Bytes of address space: the largest page parsed several times over, and the interpreter.
_MEMORY = 1_500_000_000
# Characters of an error that a person is shown.
_ERROR_CHARS = 300


class PageReader(Protocol):
    def read(self, page: Page) -> Reading: ...


def main(make: Callable[[ProfileView, Model | None], PageReader], memory: int = _MEMORY) -> None:
    """Serve with the reader that `make` builds from the profile's view and the model trained here."""

    def prepare(greeting: bytes) -> Answer:
        reader = make(*messages.unpack_profile_view(greeting))
        return lambda question: answer(reader, question)

    serve(prepare, memory)


def answer(reader: PageReader, question: bytes) -> bytes:
    try:
        return messages.pack_reading(reader.read(messages.unpack_page(question)))
    except MemoryError:
        raise  # nothing that is left in this process can be relied on
    except Exception as error:
        message = f"{type(error).__name__}: {error}".replace("\n", " ")
        return messages.pack_failure(message[:_ERROR_CHARS])


if __name__ == "__main__":
    from surveyor.extract.reading import Reader

    main(Reader)
