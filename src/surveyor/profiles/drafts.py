"""Drafts of profiles: a short one about a few words, a copy of a built-in one, and one more language for any.

A draft is a plain TOML text that `load` takes. Words for a new language come from the built-in profiles,
where a group, an organisation or a place has the same name there; the rest is left empty for a person.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surveyor.errors import BadInput
from surveyor.profiles.files import BUILT_IN
from surveyor.profiles.loader import parse
from surveyor.profiles.values import LANGUAGES

# Tables that have one list per language, by the last part of their name.
_BY_LANGUAGE = (
    "words", "names", "adjectives", "cities", "regions", "elsewhere", "page", "path", "dull_path",
    "templates", "terms",
)  # fmt: skip
_WIDTH = 108  # characters of a line of words
Path_ = tuple[str, ...]


# A profile to begin with; what stands in it is what nearly everybody changes first.
_SHORT = """\
# {title}: a draft to be filled in. docs/profiles.md says what each field means and how words are matched.

name = {name}
title = {quoted}
description = {quoted}
languages = [{language}]
# What is read out of pages: organisation, service, opportunity, business, funding_program, or your own kind.
records = ["organisation"]

# Who judges search results, and the weight of each.
[judges]
keywords = 2.0
credibility = 1.0

# What you look for, as pages call it: the more of its names, the better.
[keywords.topic]
words.{key} = {words}

# What uses the same words and is not meant; these take away.
[keywords.news]
effect = "weakens"
strength = "medium"
words.{key} = {news}

[keywords.shop]
effect = "weakens"
strength = "medium"
words.{key} = {shop}

# Words of a page that is worth reading closely.
[relevance]
page.{key} = {words}

# What `surveyor search` asks for: each template with each term. Add places and cities to the terms.
[queries.nightly_discovery]
templates.{key} = ["{{term}}"]
terms.{key} = {words}
"""
# Where the words against a page come from.
_AGAINST = "community"


def short(name: str, title: str, words: Sequence[str], language: str) -> str:
    """A profile of a few lines that looks for these words, to be filled in by a person."""
    _check_language(language)
    known = _built_in(_AGAINST)
    against = {group: _at(known, ("keywords", group, "words", language)) for group in ("news", "shop")}
    made = _SHORT.format(
        title=" ".join(title.split()),
        name=_string(name),
        quoted=_string(title),
        language=_string(language),
        key=language,
        words=_value(list(words)),
        **{group: _value(found) for group, found in against.items()},
    )
    parse(made.encode(), name)  # what no profile can hold is refused here
    return made


def copy_of(built_in: str, name: str, title: str) -> str:
    """A built-in profile as a text to be edited, under another name; comments are kept."""
    if built_in not in BUILT_IN:
        raise BadInput(f"there is no built-in profile {built_in}; there are {', '.join(BUILT_IN)}")
    text = Path(__file__).with_name(f"{built_in}.toml").read_text("utf-8")
    lines = text.splitlines(keepends=True)
    for key, value in (("name", name), ("title", title)):
        at = next(place for place, line in enumerate(lines) if line.startswith(f"{key} ="))
        lines[at] = f"{key} = {_string(value)}\n"
    made = "".join(lines)
    parse(made.encode(), name)  # a name that is none is refused here
    return made


def with_language(data: Mapping[str, Any], language: str) -> tuple[dict[str, Any], list[str]]:
    """The data of a profile with one more language, and which lists are still empty there."""
    _check_language(language)
    if language in data.get("languages", ()):
        raise BadInput(f"the profile has {language} already; edit its words")
    known = [_built_in(name) for name in BUILT_IN]
    made: dict[str, Any] = json.loads(json.dumps(data, default=str))
    made["languages"] = [*made["languages"], language]
    empty = []
    for path, table in list(_tables(made)):
        found = next((words for other in known if (words := _at(other, (*path, language)))), [])
        if path[-1] == "templates":
            found = []  # searches cost money: which are asked is for a person to say
        if not found and path[-1] == "names":
            found = table[next(iter(table))][
                :1
            ]  # a place must have a name: the first language's, to be mended
        table[language] = found
        if not found:
            empty.append(".".join((*path, language)))
    return made, empty


def _check_language(code: str) -> None:
    if code not in LANGUAGES:
        raise BadInput(f"{code} is no language; write an ISO 639-1 code such as de")


def _built_in(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


def _tables(data: dict[str, Any], path: Path_ = ()) -> Iterator[tuple[Path_, dict[str, Any]]]:
    for key, value in data.items():
        if not isinstance(value, dict):
            continue
        if key in _BY_LANGUAGE and path and all(isinstance(each, list) for each in value.values()):
            yield (*path, key), value
        else:
            yield from _tables(value, (*path, key))


def _at(data: Any, path: Path_) -> list[str]:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, list) else []


def to_toml(data: Mapping[str, Any], path: Path_ = ()) -> str:
    """Texts, numbers, switches, lists and tables as TOML."""
    lines = [
        f"{_key(key)} = {_value(value)}\n" for key, value in data.items() if not isinstance(value, Mapping)
    ]
    head = f"[{'.'.join(map(_key, path))}]\n" if path and (lines or not data) else ""
    parts = [head + "".join(lines)] if head or lines else []
    parts += [to_toml(value, (*path, key)) for key, value in data.items() if isinstance(value, Mapping)]
    return "\n".join(parts)


def _key(key: str) -> str:
    plain = key and key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else _string(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return _list([_value(each) for each in value])
    return str(value)


def _list(values: list[str]) -> str:
    line = f"[{', '.join(values)}]"
    if len(line) <= _WIDTH:
        return line
    lines, present = [], " "
    for value in values:
        if len(present) + len(value) + 2 > _WIDTH:
            lines.append(present)
            present = " "
        present += f" {value},"
    return "[\n" + "\n".join([*lines, present]) + "\n]"


def _string(text: str) -> str:
    # JSON's strings are TOML's, but for the one sign that JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
