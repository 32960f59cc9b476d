"""Kinds of records as a profile declares them: fields with types, the words that name them, JSON-LD types.

`BUILT_IN` are the five that come with the program, declared in `data/kinds.toml` in the same way. Their
finders know more than the declaration says; a kind of one's own is read by its declaration alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from surveyor.profiles.values import Name, WordsByLanguage

_NAME: Final = "name"
_CURRENCY: Final = "_currency"


class FieldType(StrEnum):
    """What a field holds, and so how it is read and written."""

    TEXT = "text"  # what follows its label
    NUMBER = "number"  # whole, or with a fraction
    MONEY = "money"  # a number; the currency is a field of its own, NAME_currency
    DATE = "date"  # ISO
    PHONE = "phone"  # E.164
    EMAIL = "email"  # in small letters
    ADDRESS = "address"  # of the post
    HOURS = "hours"  # opening hours
    URL = "url"  # where a link leads, or an address that is written out
    CHOICE = "choice"  # one of `choices`

    @property
    def shows_itself(self) -> bool:
        """Whether it is recognised without a label."""
        return self in (FieldType.PHONE, FieldType.EMAIL, FieldType.ADDRESS, FieldType.HOURS)


def _selector(text: str) -> str:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(text)
    except (SelectolaxError, ValueError) as error:
        raise ValueError(f"{text[:60]!r} is no CSS selector; write one such as .card h2") from error
    return text


Selector = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_selector)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    words: WordsByLanguage = Field(default_factory=dict)
    json_ld: tuple[str, ...] = ()
    css: Selector | None = None


class KindField(_Part):
    """One field: `words` are its labels, `json_ld` properties, `css` selects it within a record or page."""

    type: FieldType = FieldType.TEXT
    choices: Mapping[Name, WordsByLanguage] = Field(default_factory=dict)


class DeclaredKind(_Part):
    """One kind: `words` name such a thing, `json_ld` are types, `css` selects the element of one record."""

    fields: Mapping[Name, KindField] = Field(min_length=1)

    @property
    def columns(self) -> dict[str, FieldType]:
        """What a record of it has, in the order in which people read it."""
        found = {_NAME: FieldType.TEXT}
        for name, field in self.fields.items():
            found[name] = FieldType.NUMBER if field.type is FieldType.MONEY else field.type
            if field.type is FieldType.MONEY:
                found[name + _CURRENCY] = FieldType.TEXT
        return found

    def by_language(self, path: str) -> Iterator[tuple[str, Mapping[str, tuple[str, ...]]]]:
        """Every list of words that was given, with where it stands."""
        if self.words:
            yield f"{path}.words", self.words
        for name, field in self.fields.items():
            if field.words:
                yield f"{path}.fields.{name}.words", field.words
            for choice, words in field.choices.items():
                yield f"{path}.fields.{name}.choices.{choice}", words

    def mistake(self) -> str | None:
        """What keeps a kind of one's own from being found."""
        if not (self.words or self.json_ld or self.css):
            return "words: nothing says what it is; add words, json_ld or css"
        for name, field in self.fields.items():
            if field.type is FieldType.CHOICE and not field.choices:
                return f"fields.{name}: a choice needs choices; add choices.NAME with words per language"
            if field.choices and field.type is not FieldType.CHOICE:
                return f'fields.{name}: choices are for type = "choice"; set it, or remove them'
            is_found = field.words or field.json_ld or field.css or field.choices or field.type.shows_itself
            if not is_found and name != _NAME:
                return f"fields.{name}: nothing says where it stands; add words, json_ld or css"
        return None


def _built_in() -> dict[str, DeclaredKind]:
    text = (Path(__file__).parent / "data" / "kinds.toml").read_text("utf-8")
    return {name: DeclaredKind.model_validate(kind) for name, kind in tomllib.loads(text).items()}


BUILT_IN: Final = _built_in()
