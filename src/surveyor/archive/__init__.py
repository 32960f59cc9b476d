"""Content on disk: raw responses in WARC files, images by their hash, each verified when read.

Files only. Whoever keeps rows writes content first, calls `sync`, and commits the rows
that name it after that; so a row never names what is not there.

- `WarcWriter`: the files of one worker. `append` a `Capture`, get a `Location`, `sync` once per group.
- `WarcReader`: one capture by its location, or every whole record of a file, torn or not.
- `BlobStore`: files by content, stored once.
- `fsck`, `check`: every byte read and verified.

`surveyor.archive.images` tells what an image is. It loads Pillow, so it is imported
where images are looked at and not here.
"""

from surveyor.archive.blobs import BlobStore
from surveyor.archive.errors import ArchiveError, ContentDamaged, NotAnImage
from surveyor.archive.fsck import FileReport, Report, check, fsck
from surveyor.archive.reader import ArchivedRecord, Gap, WarcReader
from surveyor.archive.record import Capture, Location
from surveyor.archive.writer import WarcWriter

__all__ = [
    "ArchiveError",
    "ArchivedRecord",
    "BlobStore",
    "Capture",
    "ContentDamaged",
    "FileReport",
    "Gap",
    "Location",
    "NotAnImage",
    "Report",
    "WarcReader",
    "WarcWriter",
    "check",
    "fsck",
]
