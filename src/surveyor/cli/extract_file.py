"""`extract --file`: one page in, what is read of it out, nothing stored."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.errors import BadInput
from surveyor.extract import messages
from surveyor.extract.values import Reading

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

# Bytes: as long as the longest page that is fetched, and more than a slip with a wrong file.
_MOST_BYTES = 50_000_000


async def read_file(workspace: Workspace, file: str, url: str, json: bool) -> int:
    """Read it in a process of its own, as extraction does."""
    from surveyor.public.reading import read_document

    reading = await read_document(workspace, _bytes(file), url)
    show.result(reading_json(reading), lambda: _print(reading), json=json)
    return 0


def _bytes(file: str) -> bytes:
    try:
        if file == "-":
            runtime.say_if_typed()
            body = sys.stdin.buffer.read(_MOST_BYTES + 1)
        else:
            with Path(file).open("rb") as source:
                body = source.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}; name a file with a page, or -") from None
    if len(body) > _MOST_BYTES:
        raise BadInput(f"{file} is longer than any page: more than {_MOST_BYTES:,} bytes")
    return body


def reading_json(reading: Reading) -> dict[str, Any]:
    """One object for programs."""
    text, relevance = reading.text, reading.relevance
    return {
        "markdown": text.markdown,
        "title": text.title,
        "language": text.language,
        "relevance": {
            "score": relevance.score,
            "is_relevant": relevance.is_relevant,
            "reasons": relevance.reasons,
        },
        "records": [
            {
                "kind": record.kind,
                "fields": {name: one.value for name, one in record.fields.items()},
                "sources": {
                    name: {"source": one.source, "quote": one.quote} for name, one in record.fields.items()
                },
            }
            for record in reading.records
        ],
        "contacts": [messages.contact_json(one) | {"confidence": one.confidence} for one in reading.contacts],
    }


def _print(reading: Reading) -> None:
    out = show.console()
    text, relevance = reading.text, reading.relevance
    verdict = "relevant" if relevance.is_relevant else "not relevant"
    out.print(Text(f"{show.safe(text.title)}  {text.language or '-'}  {verdict} {relevance.score}", "bold"))
    for reason in relevance.reasons:
        show.print_line(Text(f"  {show.safe(reason)}"), out)
    for record in reading.records:
        out.print(Text(f"\n{record.kind}", style="bold"))
        width = show.label_width(record.fields)
        for name, one in record.fields.items():
            value = f"{show.safe(str(one.value))}  ({one.source})"
            show.print_line(Text(f"  {name:<{width}}{value}"), out)
    if reading.contacts:
        out.print(Text("\ncontacts", style="bold"))
    for contact in reading.contacts:
        who = ", ".join(show.safe(part) for part in (contact.name, contact.role) if part)
        show.print_line(Text(f"  {contact.kind:<10}{show.safe(contact.value)}  {who}".rstrip()), out)
    out.print(Text("\ntext", style="bold"))
    for line in text.markdown.splitlines():
        show.print_line(Text(show.safe(line) if line else ""), out)
