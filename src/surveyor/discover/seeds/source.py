"""Opens a seed list: a file (plain, gz, zip of one, or a workbook) or standard input.

Lines come as bytes, one by one, with what was read of the whole so far, so that a
million lines need no memory and a progress bar has something to show. UTF-16, which
spreadsheets call “Unicode text”, is turned into UTF-8 on the way; every kind of line end is one.
"""

from __future__ import annotations

import gzip
import io
import re
import shlex
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, cast

from surveyor.discover.seeds import workbook
from surveyor.discover.seeds.addresses import addresses_in
from surveyor.errors import BadInput
from surveyor.names import DEFAULT_RULES, NameRules

# A longer line is no domain; reading no further keeps a file without line ends from filling memory.
LINE_LIMIT = 10_000
# Names that end so are meant as files.
_OF_FILES = {
    ".csv", ".tsv", ".txt", ".json", ".jsonl", ".xls", ".xlsx", ".ods", ".gz", ".zip", ".xml", ".opml",
}  # fmt: skip
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass
class SeedSource:
    """An open list. `name` is what the domains' source says unless another is given."""

    name: str
    stream: IO[bytes]
    total_bytes: int | None
    _raw: IO[bytes]

    def read_bytes(self) -> int:
        """How far we are in the file, as stored (compressed bytes for a compressed one)."""
        return self._raw.tell() if self.total_bytes is not None else 0

    def lines(self, limit: int = LINE_LIMIT, *, whole: bool = False) -> Iterator[bytes]:
        """Lines of at most so many bytes (characters in UTF-16); what is longer is cut, or goes on next."""
        try:
            first = True
            stream = _in_utf8(self.stream)
            while line := stream.readline(limit):
                if first:
                    line, first = line.removeprefix(b"\xef\xbb\xbf"), False
                yield line
                if not whole and len(line) >= limit and not line.endswith(b"\n"):
                    _skip_rest_of_line(stream)
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            raise BadInput(f"{self.name} cannot be read to its end: {error}") from None

    def pieces(self) -> Iterator[bytes]:
        """Lines, and those that are too long in parts: nothing is left out."""
        return self.lines(whole=True)

    def close(self) -> None:
        self.stream.close()


def open_list(where: str, rules: NameRules, sheet: str | None = None, *, is_text: bool = False) -> SeedSource:
    """A list of seeds; what is plainly something else is refused, of a text only what is none."""
    opened = open_source(where, rules, sheet)
    try:
        _refuse_what_is_no_list(where, opened.stream, _BEGINNINGS[:1] if is_text else _BEGINNINGS)
    except BadInput:
        opened.close()
        raise
    return opened


def open_source(where: str, rules: NameRules = DEFAULT_RULES, sheet: str | None = None) -> SeedSource:
    """`-` is standard input; anything else is a file. Its kind is known by its bytes, not its name."""
    if where == "-":
        return SeedSource("stdin", sys.stdin.buffer, None, sys.stdin.buffer)
    path = Path(where)
    try:
        raw = path.open("rb")
    except IsADirectoryError:
        raise BadInput(f"{where} is a folder; name a file") from None
    except FileNotFoundError:
        hint = "name a file, `-` for standard input, or redis://host:port/db"
        if path.suffix.lower() not in _OF_FILES and addresses_in(where, rules):
            hint += f"; one domain alone: `surveyor submit {shlex.quote(where)}`"
        raise BadInput(f"{where} does not exist; {hint}") from None
    except OSError as error:
        raise BadInput(f"{where} cannot be read: {error.strerror}") from None
    if not raw.seekable():  # a pipe of the shell, which is read once from its beginning, as standard input is
        return SeedSource("pipe", raw, None, raw)
    head = raw.read(8)
    raw.seek(0)
    size = path.stat().st_size
    name = path.name.split(".")[0].encode("utf-8", "replace").decode()  # it may be no text
    if head.startswith(workbook.XLS) and path.suffix.lower() in (".doc", ".dot", ".ppt"):
        raise BadInput(f"{where} is {_DOCUMENT}")
    if workbook.is_workbook(head, raw):
        lines = workbook.as_csv(where, raw, rules, sheet)
        raw.close()
        return SeedSource(name, lines, None, lines)
    if sheet is not None:
        raise BadInput(f"{where} is no workbook; --sheet is for those")
    if head.startswith(b"\x1f\x8b"):
        return SeedSource(name, cast(IO[bytes], gzip.GzipFile(fileobj=raw)), size, raw)
    if head.startswith(b"PK\x03\x04"):
        return SeedSource(name, _only_member(where, raw), size, raw)
    return SeedSource(name, raw, size, raw)


# Files inside that every document of an office program has.
_OF_OFFICE = ("[Content_Types].xml", "mimetype")
_DOCUMENT = (
    "a document of an office program; save it as text (.txt), and --format links queues the addresses in it"
)


def _only_member(where: str, raw: IO[bytes]) -> IO[bytes]:
    try:
        archive = zipfile.ZipFile(raw)
    except zipfile.BadZipFile as error:
        raise BadInput(f"{where} is not a sound zip file: {error}") from None
    # What macOS adds of its own is no list.
    members = [
        one for one in archive.infolist() if not (one.is_dir() or one.filename.startswith("__MACOSX/"))
    ]
    if any(one.filename in _OF_OFFICE for one in members):
        raise BadInput(f"{where} is {_DOCUMENT}")
    if len(members) != 1:
        raise BadInput(f"{where} holds {len(members)} files; unpack it and name the one with the list")
    try:
        return archive.open(members[0])
    except RuntimeError:
        what = "has a password or is packed in an unusual way"
        raise BadInput(f"{where} {what}; unpack it and name the file with the list") from None


class _Text(io.TextIOWrapper):
    def close(self) -> None:
        """Left to whoever opened the stream, who asks how far it is after its last line too."""


class _FromUtf16:
    """Lines of a UTF-16 stream as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._text = _Text(stream, encoding, "replace", newline="")

    def readline(self, limit: int) -> bytes:
        return self._text.readline(limit).encode("utf-8", "replace")


class _FromMac:
    """Lines that end with a carriage return alone, as old spreadsheets of Macintosh write them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._text = _Text(stream, "latin-1", newline=None)  # every byte as it is

    def readline(self, limit: int) -> bytes:
        return self._text.readline(limit).encode("latin-1")


class _Lines(Protocol):
    def readline(self, limit: int, /) -> bytes: ...


# Bytes by which it is known what a file is.
_SAMPLE = 1_024
_BEGINNINGS = (
    (rb"%PDF-", "a PDF; copy its addresses into a text file, one per line"),
    (
        rb"(?i)\s*<(?:!doctype\b|html[\s>]|\?xml\b)",
        "a web page or XML; --format links queues the addresses in it for review",
    ),
    (rb"\{\\rtf", _DOCUMENT),
    (
        rb"\s*(?:\{|\[\s*[\"{\]])",
        "JSON; save it as CSV, or let --format links queue the addresses in it for review",
    ),
)


def _refuse_what_is_no_list(where: str, stream: IO[bytes], refused: Iterable[tuple[bytes, str]]) -> None:
    where = "standard input" if where == "-" else where
    try:
        sample = _sample(stream).removeprefix(b"\xef\xbb\xbf")
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise BadInput(f"{where} cannot be read: {error}") from None
    for beginning, what in refused:
        if re.match(beginning, sample):
            raise BadInput(f"{where} is {what}")
    if b"\0" in sample and not _utf16_of(sample[:4]):
        raise BadInput(f"{where} is no text; a list is a text file, CSV or a workbook")


def _sample(stream: IO[bytes]) -> bytes:
    return cast(io.BufferedReader, stream).peek(_SAMPLE)[:_SAMPLE] if hasattr(stream, "peek") else b""


def _in_utf8(stream: IO[bytes]) -> _Lines:
    sample = _sample(stream)
    if encoding := _utf16_of(sample[:4]):
        return _FromUtf16(stream, encoding)
    return _FromMac(stream) if b"\r" in sample[:-1] and b"\n" not in sample else stream


def _utf16_of(head: bytes) -> str | None:
    if head.startswith(_UTF16):
        return "utf-16"
    # Written without a mark, letters of the Latin alphabet have a zero byte beside them.
    if len(head) == 4 and head[1::2] == b"\0\0" and b"\0" not in head[::2]:
        return "utf-16-le"
    if len(head) == 4 and head[::2] == b"\0\0" and b"\0" not in head[1::2]:
        return "utf-16-be"
    return None


def _skip_rest_of_line(stream: _Lines) -> None:
    while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
        pass
