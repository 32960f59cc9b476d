"""Settings, from the models that read them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, MinLen
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from surveyor.settings import ENV_PREFIX, FILE_NAME, Section, Settings
from tools.reference.markdown import code, page, sentence, table
from tools.reference.sources import Undescribed

_INTRODUCTION = f"""\
Settings are read once, from `{FILE_NAME}` in the workspace and, stronger, from the environment. A name that
is not listed here is an error in both. Lists and maps are written as JSON in the environment.
"""

_WORDS = {
    str: "text",
    SecretStr: "a secret",
    int: "a whole number",
    float: "a number",
    Decimal: "a number",
    bool: "true or false",
}


def body() -> str:
    top = {name: field for name, field in Settings.model_fields.items() if _section(field) is None}
    parts = [_INTRODUCTION, "## Top level\n\n" + _table("", top), *_sections("", Settings.model_fields)]
    return page("Settings", "\n\n".join(part.strip() for part in parts))


def _sections(above: str, fields: dict[str, FieldInfo]) -> Iterator[str]:
    """Each section with its table, and behind it the sections within it."""
    for name, field in fields.items():
        section, whole = _section(field), above + name
        if section is None:
            continue
        if not section.__doc__:
            raise Undescribed(f"the section {whole}", "as its docstring")
        own = {one: inner for one, inner in section.model_fields.items() if _section(inner) is None}
        listed = "\n\n" + _table(f"{whole}.", own) if own else ""
        yield f"## [{whole}]\n\n{section.__doc__}{listed}"
        yield from _sections(f"{whole}.", section.model_fields)


def _section(field: FieldInfo) -> type[Section] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def _table(prefix: str, fields: dict[str, FieldInfo]) -> str:
    return table(("setting", "environment", "takes", "default", "meaning"), _rows(prefix, fields))


def _rows(prefix: str, fields: dict[str, FieldInfo]) -> Iterator[tuple[str, ...]]:
    for name, field in fields.items():
        whole = prefix + name
        if not field.description:
            raise Undescribed(f"the setting {whole}", "as its description")
        variable = ENV_PREFIX + whole.replace(".", "__").upper()
        default = field.get_default(call_default_factory=True)
        yield code(whole), code(variable), _takes(field), _shown(default), sentence(field.description)


def _takes(field: FieldInfo) -> str:
    limits = [text for limit in field.metadata if (text := _limit(limit))]
    kind, comma, nothing = _kind(field.annotation).partition(", or nothing")
    return " ".join([kind, *limits]) + comma + nothing


def _kind(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return " or ".join(_kind(one) for one in inner if one is not NoneType) + ", or nothing"
    if origin is Literal:
        return ", ".join(code(choice) for choice in inner)
    if origin is list:
        return f"a list of {_kind(inner[0])}"
    if origin is dict:
        return f"a map of {_kind(inner[0])} to {_kind(inner[1])}"
    return _WORDS[annotation]


def _limit(limit: object) -> str:
    match limit:
        case Gt(gt=least):
            return f"over {least}"
        case Ge(ge=least):
            return f"from {least}"
        case Le(le=most):
            return f"to {most}"
        case MinLen():
            return "(not empty)"
    return ""


def _shown(default: object) -> str:
    match default:
        case None | "" | [] | {} | SecretStr():
            return "empty"
        case Decimal():
            return code(str(default))
        case bool():
            return code(str(default).lower())
        case float() | int():
            return code(f"{default:,g}".replace(",", "_")) if abs(default) < 1e6 else code(f"{default:_}")
    return code(default)
