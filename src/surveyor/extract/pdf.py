"""The text of PDF files, as far as it can be had: by pypdf where the extra `pdf` is installed, else none.

A file may be broken, locked, endless or made to hurt. Everything is bounded: bytes, pages, characters and
time. Whatever goes wrong means that there is no text; nothing is raised.
"""

from __future__ import annotations

import io
import logging
from importlib.util import find_spec
from time import monotonic
from typing import Final, NamedTuple

from surveyor.words import well_formed

# Bytes of a file that is opened: larger ones are books of pictures.
MAX_BYTES: Final = 20 * 1024 * 1024
# Pages and characters that are read; a call for proposals has thirty.
MAX_PAGES: Final = 100
MAX_CHARS: Final = 400_000
# Seconds after which the next page is not begun; a page of a usual file takes a hundredth of one.
MAX_SECONDS: Final = 10.0


class PdfText(NamedTuple):
    title: str
    """As the file's own description has it; often empty, or the name of the program that wrote it."""
    text: str


def is_readable() -> bool:
    """Whether the extra is installed."""
    return find_spec("pypdf") is not None


def read_pdf(body: bytes) -> PdfText | None:
    """Title and text of the file, pages parted by an empty line; None when there is no text to be had."""
    if not is_readable() or len(body) > MAX_BYTES or b"%PDF-" not in body[:1024]:
        return None
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it comments on every flaw of every file
    try:
        reader = pypdf.PdfReader(io.BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return None
        text = _text(reader)
        return PdfText(well_formed(_title(reader)), well_formed(text)) if text.strip() else None
    except Exception:  # of any kind: the file is a stranger's, and the library has many
        return None


def _text(reader: object) -> str:
    pages: list[str] = []
    chars = 0
    until = monotonic() + MAX_SECONDS
    for number, page in enumerate(reader.pages):  # type: ignore[attr-defined]
        if number >= MAX_PAGES or chars >= MAX_CHARS or monotonic() > until:
            break
        try:
            said = str(page.extract_text() or "")
        except Exception:  # one page of many
            said = ""
        pages.append(said[: MAX_CHARS - chars])
        chars += len(said)
    return "\n\n".join(pages)


def _title(reader: object) -> str:
    metadata = reader.metadata  # type: ignore[attr-defined]
    title = metadata.title if metadata is not None else None
    return " ".join(str(title).split())[:500] if title else ""
