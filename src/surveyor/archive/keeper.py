"""Keeps images: looked at in a process of their own, then stored once by their content.

Loads Pillow, so it is imported only where images are wanted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from surveyor.archive.blobs import BlobStore
from surveyor.archive.images import ImageFacts
from surveyor.archive.inspector import Inspectors

# Within the archive's folder; the names in rows are relative to this one.
FOLDER = "images"


class ImageKeeper:
    def __init__(self, archive: Path) -> None:
        self._inspectors = Inspectors()
        self._blobs = BlobStore(archive / FOLDER)
        self._blobs.sweep()

    async def inspect(self, data: bytes) -> ImageFacts:
        """What the image is, or `NotAnImage`."""
        return await self._inspectors.inspect(data)

    async def keep_all(self, images: Sequence[tuple[bytes, ImageFacts]]) -> list[str]:
        """Store images; returns their names once they are safe on disk. Raises `ArchiveError`."""
        return await asyncio.to_thread(self._blobs.put_all, [(data, facts.format) for data, facts in images])

    async def close(self) -> None:
        await self._inspectors.close()
