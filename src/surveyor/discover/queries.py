"""Queries of a session: given on the command line, in a file, or made from the profile's templates."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from surveyor.discover.adapters import SearchQuery
from surveyor.discover.session import SessionType
from surveyor.errors import BadInput, UsageError
from surveyor.profiles.model import Profile
from surveyor.profiles.templates import queries as from_templates

MAX_CHARS = 500  # of one query; providers take less, and are then spared it
MAX_QUERIES = 10_000  # of one session: each costs a call at every provider
_FILE_BYTES = 5_000_000  # ten thousand queries of the longest kind


def given(texts: Iterable[str]) -> tuple[SearchQuery, ...]:
    """Queries as a person wrote them, each once and in their order."""
    found: dict[str, SearchQuery] = {}
    for text in texts:
        line = " ".join(text.split())
        if not line:
            continue
        if len(line) > MAX_CHARS or not line.isprintable():
            raise BadInput(f"a query has {MAX_CHARS} printable characters at most; “{line[:40]}…” is not one")
        found.setdefault(line, SearchQuery(line))
    if len(found) > MAX_QUERIES:
        raise BadInput(f"{len(found):,} queries are too many for one session; give {MAX_QUERIES:,} at most")
    return tuple(found.values())


def from_file(path: Path) -> tuple[SearchQuery, ...]:
    """One query per line; `#` begins a comment line."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _FILE_BYTES:
        raise BadInput(f"{path} is too large for a list of queries; one query per line is expected")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8; save it as UTF-8") from None
    found = given(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    if not found:
        raise BadInput(f"{path} holds no query; write one per line")
    return found


def from_profile(profile: Profile, kind: SessionType) -> tuple[SearchQuery, ...]:
    """The profile's plan for this kind of session."""
    made = from_templates(profile, kind.value, datetime.now(UTC).year)
    if not made:
        raise UsageError(
            f"the profile {profile.name} has no queries for {kind}; give some, or --queries FILE"
        )
    return tuple(SearchQuery(query.text, query.language, query.country) for query in made)
