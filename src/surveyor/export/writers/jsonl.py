"""JSON Lines: one object per row, exact. What is read back is what was written, whatever the text is.

Signs that turn the direction of text, end lines or cannot be seen are written as escapes: the value is the
same, and a person who looks at the file is not deceived.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from surveyor.db.types import to_json
from surveyor.export.values import Row, Stream
from surveyor.export.writers.base import BuiltInFormat

# In UTF-8: U+007F to U+009F, U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF.
_UNSEEN: Final = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
)
_OPTIONS: Final = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE


class JsonlWriter:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def write(self, rows: Sequence[Row]) -> None:
        self._stream.write(_UNSEEN.sub(_escaped, b"".join(map(line, rows))))

    def close(self) -> None:
        """Every page was written whole."""


def line(row: Row) -> bytes:
    try:
        return orjson.dumps(row, default=_plain, option=_OPTIONS)
    except orjson.JSONEncodeError:  # half a character or an endless number, out of a page's JSON
        return json.dumps(row, default=_plain, separators=(",", ":")).encode() + b"\n"


def _escaped(found: re.Match[bytes]) -> bytes:
    return f"\\u{ord(found[0].decode()):04x}".encode()


def _plain(value: Any) -> Any:
    """As `--json` of the other commands writes it; times too, for the encoder of the standard library."""
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else to_json(value)


FORMAT = BuiltInFormat((".jsonl", ".ndjson"), lambda stream, columns: JsonlWriter(stream))
