"""A search result as the detectors see it: cut, in words, with its language and what the lists found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, filterfalse
from typing import NamedTuple

from surveyor.discover.spam.hosts import CATEGORIES, Host, read_host
from surveyor.discover.spam.wordlists import EntriesByGroup, Lexicon, read
from surveyor.words import FUNCTION_WORDS, fold, guess_language, tokens
from surveyor.words.remembered import Remembered

# Characters; search engines show less, and nobody should pay for more.
MAX_TITLE = 500
MAX_DESCRIPTION = 1_000
MAX_URL = 2_000
# Stands between title and description, so that no phrase runs from one into the other.
_BREAK = ""
_SHIELDS = (
    "warning",
    "help",
    "official",
    "memory",
    "contest",
    "member",
    "news",
    "dispense",
    "bank",
    "business",
)

_LEXICON = Lexicon(
    [
        *(triple for name in CATEGORIES for triple in read(name, ("topic", "offer"))),
        *read("near", CATEGORIES),
        *read("shields", _SHIELDS),
        *read("cause", ("topic",)),
        *read("prose", ("phrase",)),
        *read("push", ("speed", "hidden", "sell", "prepay", "you")),
    ]
)
# The small words of a language, and the break, which is no word.
_SMALL = {
    language: words | {fold(word) for word in words} | {_BREAK} for language, words in FUNCTION_WORDS.items()
}
_ALL_SMALL = frozenset().union(*_SMALL.values())
_HOMES = {
    "en": frozenset(("uk", "ie", "us", "ca", "au", "nz", "mt", "za", "ng", "ke", "gh", "in", "ph", "sg")),
    "bg": frozenset(("bg",)),
    "de": frozenset(("de", "at", "ch", "li", "lu")),
    "ro": frozenset(("ro", "md")),
    "el": frozenset(("gr", "cy")),
    "fr": frozenset(("fr", "be", "ch", "lu", "ca")),
    "es": frozenset(("es", "mx", "ar", "co", "cl", "pe", "ec", "uy", "bo", "do", "us")),
}
# A path with a date, or with the words of a headline.
_ARTICLE = re.compile(r"/\d{4}/\d{1,2}(?:/|$)|(?<![^/?&=_-])(?:[^/?&=_-]+[_-]){5}[^/?&=_-]")
_ARTICLE_FOLDERS = frozenset(phrase for _, _, phrase in read("trade", ("page",)))
_AFTER_HOST = re.compile(r"[/?#\\]")
_REMEMBERED = 1 << 15  # pieces; about 10 MB
# Characters of a piece that may come again; longer ones are no words.
_LONGEST_PIECE = 50


_pieces = Remembered(tokens, _REMEMBERED, _LONGEST_PIECE)


def _words(text: str) -> list[str]:
    """The same as `tokens`, which is slow with letters that have accents: no word goes over a space."""
    if text.isascii():
        return tokens(text)
    return [*chain.from_iterable(map(_pieces.__getitem__, text.split()))]


class Features(NamedTuple):
    """One result, read once for all detectors."""

    host: Host
    path: str
    title: str
    description: str
    title_words: list[str]
    description_words: list[str]
    language: str | None
    found: EntriesByGroup
    content: list[str]  # the words that are neither small words nor numbers
    size: int  # how many words there are
    small_share: float  # the share of small words

    @property
    def is_home(self) -> bool:
        """Whether the top level domain is that of a country where the text's language is spoken."""
        return self.language is not None and self.host.suffix in _HOMES.get(self.language, ())

    @property
    def is_article(self) -> bool:
        """Whether the path is one that newspapers and blogs give to an article."""
        folders = self.path.lower().split("/")[:-1]
        return not _ARTICLE_FOLDERS.isdisjoint(folders) or _ARTICLE.search(self.path) is not None


class Finding(NamedTuple):
    """What one detector holds against a result."""

    detector: str
    weight: int  # points; enough for a verdict at verdicts.ENOUGH
    saw: str  # for a person


def sight(url: str, title: str, description: str, languages: Sequence[str] = ()) -> Features:
    """Reads a result. The address may be a URL or a bare domain; nothing is refused."""
    name, path = _split(url[:MAX_URL])
    title, description = title[:MAX_TITLE], description[:MAX_DESCRIPTION]
    title_words, description_words = _words(title), _words(description)
    words = [*title_words, _BREAK, *description_words]
    language = guess_language(words)
    if language is None and languages:
        language = guess_language(words, tuple(languages))
    host = read_host(name)
    small = _SMALL.get(language, _ALL_SMALL) if language else _ALL_SMALL
    telling = [*filterfalse(small.__contains__, words)]
    # Most texts have letters alone, which one look tells.
    has_figures = not "".join(telling).isalpha()
    content = [word for word in telling if not word[0].isdigit()] if has_figures else telling
    size = len(words) - 1
    return Features(
        host,
        path,
        title,
        description,
        title_words,
        description_words,
        language,
        _LEXICON.find(words, language),
        content,
        size,
        (size - len(telling)) / size if size else 0.0,
    )


def _split(url: str) -> tuple[str, str]:
    """The host name and the path of an address, whatever it is."""
    rest = url.partition("://")[2] or url
    end = _AFTER_HOST.search(rest)
    authority = rest[: end.start()] if end else rest
    name = authority.rpartition("@")[2].partition(":")[0].strip().lower()
    return name, rest[end.start() :] if end else ""
