"""What the detector learns from: PageFacts has it all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class SeenImage(Protocol):
    @property
    def url(self) -> str: ...


class Seen(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str:
        """Only where the detector wants it."""

    @property
    def text_hash(self) -> int: ...
    @property
    def text_chars(self) -> int: ...
    @property
    def links(self) -> Sequence[tuple[str, int]]: ...
    @property
    def images(self) -> Sequence[SeenImage]:
        """New ones are news, where images are wanted."""

    @property
    def noindex(self) -> bool: ...
    @property
    def nofollow(self) -> bool: ...
