"""Pages made from rows, as sites have them that show a database: one page per row, and lists that lead there.

`NAME.series.toml` in a site's folder says how:

    path = "/projects/{slug}"       of a row's page; any column may stand in braces
    title = "{name}"
    text = '''...'''                its Markdown
    list = "/projects/"             where the list is; further ones follow at /projects/page/2 and so on
    list_title, list_text           what stands above the list
    per_page = 10
    columns = ["slug", "name"]
    rows = [["bells", "The bells of Lom"]]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surveyor.smallweb.sites import Page

ENDING = ".series.toml"
_PER_PAGE = 10  # rows of a list, unless the file says otherwise


def pages_of(series: Mapping[str, Any]) -> Iterator[Page]:
    """Every page of the series; KeyError names what the file lacks."""
    rows = [dict(zip(series["columns"], row, strict=True)) for row in series["rows"]]
    fields = {name: series[name] for name in ("changed_days", "language") if name in series}
    for row in rows:
        path, title = _filled(series["path"], row), _filled(series["title"], row)
        yield Page(path, "md", _filled(series["text"], row), title=title, **fields)
    size = int(series.get("per_page", _PER_PAGE))
    lists = [rows[start : start + size] for start in range(0, len(rows), size)]
    for number, shown in enumerate(lists, 1):
        text = _list(series, shown, number, len(lists))
        yield Page(_list_path(series, number), "md", text, title=series["list_title"], **fields)


def _list(fields: Mapping[str, Any], rows: Sequence[Mapping[str, str]], number: int, of: int) -> str:
    lines = "\n".join(f"- [{_filled(fields['title'], row)}]({_filled(fields['path'], row)})" for row in rows)
    more = f"\n\n[{number + 1} / {of}]({_list_path(fields, number + 1)})" if number < of else ""
    return f"# {fields['list_title']}\n\n{fields['list_text'].strip()}\n\n{lines}{more}\n"


def _list_path(fields: Mapping[str, Any], number: int) -> str:
    return str(fields["list"]) if number == 1 else f"{fields['list']}page/{number}"


def _filled(text: str, row: Mapping[str, str]) -> str:
    """Only columns are filled in: marks for dates look alike and stay."""
    for name, value in row.items():
        text = text.replace(f"{{{name}}}", value)
    return text
