"""A small Markdown for the texts of sites: what their pages need, and markup where they need more.

Headings, paragraphs, lists, tables, definition lists (`Term` and below it `: what it is`), links,
pictures, strong text. A block that begins with `<` is passed on as it stands.
"""

from __future__ import annotations

import html
import re

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_STRAY_AND = re.compile(r"&(?!#?\w+;)")
_NUMBERED = re.compile(r"\d+\. ")
_RULE = re.compile(r"\|(?:-+\|)+")
_HEADING = re.compile(r"(#{1,4}) (.+)")


def to_html(text: str) -> str:
    return "\n".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block.strip())


def _block(block: str) -> str:
    lines = block.strip("\n").split("\n")
    first = lines[0]
    if first.startswith("<"):
        return block
    if heading := _HEADING.fullmatch(first):
        level = len(heading[1])
        rest = f"\n{_block(chr(10).join(lines[1:]))}" if len(lines) > 1 else ""
        return f"<h{level}>{_inline(heading[2])}</h{level}>{rest}"
    if len(lines) > 1 and _RULE.fullmatch(lines[1]):
        return _table(lines[0], lines[2:])
    if all(line.startswith(("- ", "  ")) for line in lines):
        return _list("ul", [line[2:] for line in lines])
    if all(_NUMBERED.match(line) for line in lines):
        return _list("ol", [line.partition(" ")[2] for line in lines])
    if len(lines) > 1 and lines[1].startswith(": "):
        return _definitions(lines)
    return f"<p>{_inline(' '.join(lines))}</p>"


def _inline(text: str) -> str:
    text = _STRAY_AND.sub("&amp;", text)
    text = _PICTURE.sub(lambda m: f'<img src="{m[2]}" alt="{html.escape(m[1])}">', text)
    text = _LINK.sub(r'<a href="\2">\1</a>', text)
    return _STRONG.sub(r"<strong>\1</strong>", text)


def _list(kind: str, items: list[str]) -> str:
    return f"<{kind}>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + f"</{kind}>"


def _table(head: str, rows: list[str]) -> str:
    body = "".join(f"<tr>{_cells('td', row)}</tr>\n" for row in rows)
    return f"<table><thead><tr>{_cells('th', head)}</tr></thead>\n<tbody>\n{body}</tbody></table>"


def _cells(kind: str, row: str) -> str:
    return "".join(f"<{kind}>{_inline(cell.strip())}</{kind}>" for cell in row.strip().strip("|").split("|"))


def _definitions(lines: list[str]) -> str:
    items = (
        f"<dd>{_inline(line[2:])}</dd>" if line.startswith(": ") else f"<dt>{_inline(line)}</dt>"
        for line in lines
    )
    return "<dl>" + "\n".join(items) + "</dl>"
