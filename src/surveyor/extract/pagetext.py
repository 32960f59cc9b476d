"""The text of a page that a reader came for, as plain lines and as Markdown, with its fingerprints.

Markdown holds headings, lists, links, tables and code and nothing else: what would turn into markup is
escaped, no HTML passes, pictures are what they say they show, and links lead to http and https only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from surveyor.extract.document import Block, BlockKind, Document, Region
from surveyor.extract.fingerprint import simhash, text_hash
from surveyor.extract.values import PageText

# Characters kept of a title and a description.
_TITLE, _DESCRIPTION = 500, 1_000
# Characters of all the Markdown of one page; what is longer is a list that nobody reads.
_LONGEST = 1_000_000
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~]|&(?=#?\w{1,32};)|!(?=\[)")
# At the beginning of a line these would make a heading, a list, a quotation or a rule.
_OPENING = re.compile(r"^(?:[#+=-]|\d{1,9}[.)](?=\s|$))")
_TICKS = re.compile("`+")
_IN_URL = str.maketrans({"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E", "\\": "%5C", "|": "%7C"})
_INDENT = "    "
# What stands without a blank line between.
_JOINED = {BlockKind.ROW: "table", BlockKind.ITEM: "list"}
# Levels of nesting that are shown; deeper ones look like code.
_DEEPEST = 6


def text_of(document: Document) -> PageText:
    """The main content of a document."""
    lines = (
        "\t".join(block.cells) if block.kind is BlockKind.ROW else "\n".join(block.lines) or block.text
        for block in document.main
    )
    plain = "\n".join(lines)[:_LONGEST]
    return PageText(
        title=document.title[:_TITLE],
        description=document.description[:_DESCRIPTION],
        language=document.language,
        markdown=markdown_of(document)[:_LONGEST],
        text=plain,
        text_hash=text_hash(plain),
        simhash=simhash(plain),
        links=sum(len(block.links) for block in document.blocks),
        images=document.image_count,
    )


def markdown_of(document: Document) -> str:
    """The main content as Markdown."""
    parts: list[str] = []
    for is_part_of_list, group in groupby(
        _with_pictures(document), key=lambda block: _JOINED.get(block.kind)
    ):
        lines = list(group)
        if is_part_of_list == "table":
            parts.append("\n".join(_table([block for block in lines if block.cells])))
        elif is_part_of_list == "list":
            parts.append("\n".join(_item(block) for block in lines))
        else:
            parts += (_paragraph(block) for block in lines)
    return "\n\n".join(filter(None, parts))


def _with_pictures(document: Document) -> Iterator[Block]:
    """The blocks of the content, and what pictures among them show."""
    shown = iter(document.images)
    picture = next(shown, None)
    for number, block in enumerate(document.blocks):
        while picture is not None and picture[0] <= number:
            if block.region is Region.MAIN and picture[1] not in block.text:
                yield Block(BlockKind.CAPTION, Region.MAIN, picture[1])
            picture = next(shown, None)
        if block.region is Region.MAIN:
            yield block


def _paragraph(block: Block) -> str:
    if block.kind is BlockKind.HEADING:
        return f"{'#' * block.level} {_inline(block)}"
    if block.kind is BlockKind.CAPTION:
        return f"*{_inline(block)}*"
    if block.kind is BlockKind.TERM:
        return f"**{_inline(block)}**"
    if block.code and not block.runs:
        return _fenced(block.code)
    if block.lines and not block.runs:
        return "  \n".join(_line(line) for line in block.lines)
    return _opened(_inline(block))


def _fenced(code: str) -> str:
    """A block of code; its fence is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(code)), default=0))
    return f"{fence}\n{code}\n{fence}"


def _item(block: Block) -> str:
    mark = "1." if block.is_ordered else "-"
    return f"{_INDENT * (min(max(block.level, 1), _DEEPEST) - 1)}{mark} {_opened(_inline(block))}"


def _table(rows: Sequence[Block]) -> Iterator[str]:
    """A table as GitHub writes it; without a head of its own it gets an empty one."""
    if not rows:
        return
    width = max(len(row.cells) for row in rows)
    head, body = (rows[0].cells, rows[1:]) if rows[0].is_head_row else ((), rows)
    yield _row(head, width)
    yield f"|{' --- |' * width}"
    for row in body:
        yield _row(row.cells, width)


def _row(cells: Sequence[str], width: int) -> str:
    filled = [*map(escaped, cells), *[""] * (width - len(cells))]
    return f"| {' | '.join(filled)} |"


def _inline(block: Block) -> str:
    if not block.runs:
        return escaped(block.text)
    return "".join(_linked(text, url) for text, url in block.runs)


def _linked(text: str, url: str | None) -> str:
    """A link around its words; the spaces at its ends stay outside."""
    words = text.strip()
    if url is None or not words or not url.startswith(("http://", "https://")):
        return escaped(text)
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}[{escaped(words)}]({url.translate(_IN_URL)}){after}"


def _line(text: str) -> str:
    return _opened(escaped(text))


def _opened(text: str) -> str:
    """A line that does not begin like something else."""
    found = _OPENING.match(text)
    if found is None:
        return text
    mark = found[0]
    return f"{mark[:-1]}\\{mark[-1]}{text[len(mark) :]}"


def escaped(text: str) -> str:
    """The text, with a backslash before each sign that would turn into markup."""
    return _SPECIAL.sub(r"\\\g<0>", text)
