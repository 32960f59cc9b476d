"""A question to a model: orders, and untrusted text as data between marks that cannot be guessed. Pure."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import orjson

# Tokens that a service adds around messages, and for the schema's frame: more than any is known to add.
_FRAME_TOKENS: Final = 200
# Bytes of a mark: a page that guesses one would have to be made after the question was.
_MARK_BYTES: Final = 16
# Characters of a whole answer: thousands of long words.
_MOST_CHARS: Final = 100_000
# The opening mark of the reasoning may be missing: some servers leave it out.
_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCED = re.compile(r"\s*```[\w-]*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)


class Nonsense(ValueError):
    """The model said something, but not what was asked for."""


class Question(NamedTuple):
    """What is sent, and what it may cost at most."""

    messages: list[dict[str, str]]
    tokens: int


def new_mark() -> str:
    return secrets.token_hex(_MARK_BYTES)


def marked(
    orders: Callable[[str], str], text: str, schema: dict[str, Any], answer_tokens: int, mark: str
) -> Question:
    """`orders` name the line between which the text stands."""
    line = f"==== {mark} ===="
    messages = [
        {"role": "system", "content": orders(line)},
        {"role": "user", "content": f"{line}\n{text}\n{line}"},
    ]
    # No tokenizer makes more tokens than there are bytes.
    size = sum(len(message["content"].encode()) for message in messages)
    return Question(messages, size + len(orjson.dumps(schema)) + _FRAME_TOKENS + answer_tokens)


def content_hash(sent: str) -> bytes:
    return hashlib.blake2b(sent.encode(), digest_size=32).digest()


def version(number: str, *identity: Any) -> str:
    """Names a wording: another one is another question."""
    digest = hashlib.blake2b(orjson.dumps([number, *identity]), digest_size=6).hexdigest()
    return f"{number}-{digest}"


def response_format(kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "records", "strict": True, "schema": schema}}


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with these keys, all of them, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def parsed(content: str) -> Any:
    """The JSON of an answer, or `Nonsense`."""
    if len(content) > _MOST_CHARS:
        raise Nonsense("it is longer than any answer")
    for text in (content, bare(content)):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
    raise Nonsense("it is no JSON")


def bare(content: str) -> str:
    """An answer without what models put around it: the reasoning before it, and the fence of a code block."""
    said = _END_OF_THOUGHT.split(content)[-1]
    fenced = _FENCED.fullmatch(said)
    return (fenced[1] if fenced else said).strip()


def one_line(text: str) -> str:
    """The text without breaks, signs that are not seen, and commands to a terminal."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def stands_in(quote: str, sent: str) -> bool:
    """Whether the words are in what was sent: case and spaces aside, letter for letter."""
    wanted = " ".join(quote.casefold().split())
    return len(wanted) > 2 and wanted in " ".join(sent.casefold().split())
