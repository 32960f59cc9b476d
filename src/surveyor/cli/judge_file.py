"""`judge --file`: search results as JSON lines in, one judgment per line out, nothing stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from surveyor.cli import runtime, show
from surveyor.errors import BadInput, NotADomain
from surveyor.judge.panel import Panel
from surveyor.judge.values import Judgment, SearchHit

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

_LONGEST_LINE = 100_000  # bytes: more than any title, description and address together
_TEXTS = ("url", "title", "description")
_EXAMPLE = '{"url": "https://a.example/", "title": "Grants", "description": "Apply by May"}'


async def judge_lines(workspace: Workspace, file: str) -> int:
    """One line out for each line in, in order; what cannot be judged says why. Exit code.

    A line that is no search result fails the command. An address that is none of a domain does not: search
    engines give such, and its row says so.
    """
    bad = 0
    out = sys.stdout.buffer
    panel = await workspace.panel()
    try:
        with _opened(file) as lines:
            for number, line in enumerate(_lines(lines), 1):
                answer = _answer(workspace, panel, line)
                if "error" in answer:
                    bad += 1
                    runtime.say(f"line {number}: {answer['error']}")
                out.write(show.json_line(answer))
        out.flush()
    except BrokenPipeError:
        return runtime.broken_pipe()
    return runtime.FAILED if bad else 0


def read_lines(file: str) -> Iterator[bytes]:
    """The lines of a file or, for -, of standard input."""
    with _opened(file) as lines:
        yield from _lines(lines)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        runtime.say_if_typed()
        yield sys.stdin.buffer
        return
    with _open(file) as opened:
        yield opened


def _open(file: str) -> BinaryIO:
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}; name a file of JSON lines, or -") from None


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines, empty ones left out; of one that is too long only its beginning, which is no JSON then."""
    while line := source.readline(_LONGEST_LINE):
        rest = line
        while not rest.endswith(b"\n") and (rest := source.readline(_LONGEST_LINE)):
            pass
        if line.strip():
            yield line


def _answer(workspace: Workspace, panel: Panel, line: bytes) -> dict[str, Any]:
    try:
        hit = hit_of(line)
    except ValueError as error:
        return {"error": str(error)}
    judgment = panel.judge(hit)
    if not judgment.domain:
        return {"url": hit.url, "domain": None, "confidence": None, "reason": _why_not(workspace, hit.url)}
    return _view(judgment, workspace.spam_reasons(hit))


def _why_not(workspace: Workspace, url: str) -> str:
    try:
        workspace.domain_name(url)
    except NotADomain as error:
        return str(error)
    return "it is no web address"


def hit_of(line: bytes) -> SearchHit:
    """The search result that a line holds; a ValueError says what is wrong with it."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise ValueError(f"not JSON; one line for each result, such as {_EXAMPLE}") from None
    if not isinstance(row, dict):
        raise ValueError(f"not an object; one line for each result, such as {_EXAMPLE}")
    for name in _TEXTS:
        if not isinstance(row.get(name) or "", str):
            raise ValueError(f"{name} is not a text")
    if not row.get("url"):
        raise ValueError("url is missing")
    position = 1 if row.get("position") is None else row["position"]
    if not isinstance(position, int) or position < 1:
        raise ValueError("position is no whole number from 1 on")
    language = row.get("language") if isinstance(row.get("language"), str) else None
    return SearchHit(row["url"], row.get("title") or "", row.get("description") or "", position, language)


def _view(judgment: Judgment, spam_reasons: list[str] | None) -> dict[str, Any]:
    spam, named = spam_reasons is not None, judgment.names()
    return {
        "domain": judgment.domain,
        "confidence": judgment.confidence,
        "should_crawl": judgment.should_crawl and not spam,
        "spam": spam,
        "spam_reasons": spam_reasons or [],
        "judges": [
            {
                "judge": score.judge,
                "score": score.score,
                "weight": score.weight,
                "explanation": score.explanation,
            }
            for score in judgment.scores
        ],
        "organisation_name": named.organisation,
        "program_name": named.program,
        "judge_version": judgment.judge_version,
    }
