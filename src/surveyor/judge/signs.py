"""Signs of what kind of site a search result leads to: an organisation's own, or one about others.

Pure, in every language alike, from the shape of address and title and from who speaks in the text. Each sign
is a number between 0 and 1, so that a rule may read it, a model may weigh it, and a person may be shown it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple
from urllib.parse import unquote

from surveyor import wordlists
from surveyor.judge.vocabulary import (
    ELSEWHERE,
    HOME,
    LIMITS,
    MORE,
    WHO,
    Text,
    Vocabulary,
    WordLists,
)
from surveyor.words import fold, tokens
from surveyor.words.cutting import AMOUNT, ASK, ENDS, LONGEST, TITLE_ENDS, YEAR
from surveyor.words.remembered import Remembered

# Words of a path from which on it is a headline, and letters of a name that may be an abbreviation.
_HEADLINE_WORDS: Final = 5
_STEPS: Final = 8  # of a path that are looked at
_MIDDLING_WORDS: Final = 3
_LONGEST_ABBREVIATION: Final = 6
_LEAST_NAME: Final = 3
# Share of a name from which on a title is that name.
_NAMED: Final = 0.6
_DATE = re.compile(r"/(?:19|20)\d\d(?:[/-]\d{1,2}){1,2}(?:[/-]|$)|/(?:19|20)\d\d/")
_LONG_NUMBER = re.compile(r"\d{4,}")
_FILE = re.compile(r"\.(?:pdf|docx?|pptx?|xlsx?|odt)(?:$|[?#])", re.IGNORECASE)
_PAGE_FILE = re.compile(r"\.(?:html?|php|aspx?|jsp|shtml|cfm)$", re.IGNORECASE)
_STARTS_WITH_NUMBER = re.compile(r"^\W*\d{1,3}\s+\w")
_PHONE = re.compile(r"\d[\d\s()/.-]{7,}\d")
_STARTS_WITH_DATE = re.compile(
    r"^\W*(?:\d{1,2}[./ ]\s?(?:\d{1,2}|\w{3,10})[./ ,]+\s?(?:19|20)?\d\d|\w{3,10}\.? \d{1,2}, (?:19|20)\d\d)"
)

VOICES: Final = (
    "we", "you", "apply", "contact", "mission", "reports", "guides", "collects", "sells", "closed", LIMITS,
    WHO,
)  # fmt: skip
# In a title these tell; the others depend on whether a search engine shows the site's name there.
IN_TITLE: Final = ("reports", "guides", "collects", "sells", "closed")
PLACES: Final = ("story", "listing", "guide", "document", "shop", "offer", "about")
HOSTS: Final = ("platform", "media", "finder")

SIGNS: Final = (
    *VOICES, *(f"title_{voice}" for voice in IN_TITLE), *(f"path_{place}" for place in PLACES),
    *(f"host_{host}" for host in HOSTS),
    "root", "shallow", "deep", "dated_path", "number_in_path", "headline_path", "middling_path", "file",
    "page_file", "query", "language_path",
    "government", "school", "organisation_suffix", "company_suffix", "country_suffix", "odd_suffix",
    "subdomain", "hyphens", "digits_in_host", "long_host",
    "named_by_host", "host_in_title", "host_in_text", "host_is_abbreviation", "title_is_name",
    "question", "numbered_title", "year_in_title", "shouting", "mail_or_phone", "starts_with_date", "amount",
)  # fmt: skip
_TITLE_NAMES: Final = {voice: f"title_{voice}" for voice in IN_TITLE}
_HOST_NAMES: Final = {host: f"host_{host}" for host in HOSTS}
_PATH_NAMES: Final = {place: f"path_{place}" for place in PLACES}
# A profile's own: where it looks, and what a result limits itself to.
LIMITED: Final = "limited_elsewhere"
BELIEVED: Final = "believed_host"
# Words between a place and what limits to it: "citizens or residents of the State of".
_REACH: Final = 4
# The second and third time say a little more, the eleventh does not: the strength after one time more.
_MANY: Final = 10
_ONCE_MORE: Final = {
    1.0: 1.0,
    **{1.0 - 0.5**times: 1.0 - 0.5 ** (times + 1) if times + 1 < _MANY else 1.0 for times in range(_MANY)},
}

_address = Remembered(
    WordLists({name: lists["any"] for name, lists in wordlists.read("judge/address").items()}).of,
    1 << 15,  # words; about 5 MB
)

_GOVERNMENT = frozenset({"gov", "gob", "gouv", "gv", "government", "gub", "mil", "govt", "europa", "int"})
_SCHOOL = frozenset({"edu", "ac", "uni", "univ"})
_PUBLIC = _GOVERNMENT | _SCHOOL
_COMPANY = frozenset({"com", "biz", "shop", "store", "co"})
_ODD = frozenset(
    {"info", "xyz", "online", "site", "club", "top", "blog", "live", "click", "icu", "news", "tv", "me"}
)
_LANGUAGES = frozenset({"en", "bg", "de", "fr", "ro", "el", "gr", "es", "eng", "ru", "it"})


class Site(NamedTuple):
    """The signs of a host, and its name as words of a text are compared with it."""

    signs: dict[str, float]
    name: str


def signs_of(
    url: str, title: str, description: str, site: Site, text: Text, vocabulary: Vocabulary
) -> dict[str, float]:
    """The signs that are there; `text` is what the vocabulary knows of title and description."""
    ends = text.words.index(TITLE_ENDS)
    found = site.signs.copy()
    _speak(text, ends, vocabulary, found)
    _path(url, found)
    if len(site.name) >= _LEAST_NAME:
        _names(site.name, text.latin, ends, found)
    _form(title, description, text.words, ends, found)
    return found


def _speak(text: Text, ends: int, vocabulary: Vocabulary, found: dict[str, float]) -> None:
    for name in chain.from_iterable(text.says):
        found[name] = _ONCE_MORE[found.get(name, 0.0)]
    together: list[tuple[int, tuple[str, ...]]] = []
    if MORE in found:
        del found[MORE]
        together = vocabulary.together(text)
        for name in chain.from_iterable(names for _, names in together):
            found[name] = _ONCE_MORE[found.get(name, 0.0)]
    if not _TITLE_NAMES.keys().isdisjoint(found):
        for name in filter(_TITLE_NAMES.__contains__, chain.from_iterable(text.says[:ends])):
            found[_TITLE_NAMES[name]] = _ONCE_MORE[found.get(_TITLE_NAMES[name], 0.0)]
    if ELSEWHERE in found and HOME not in found and _limits_at(text, together):
        found[LIMITED] = 1.0


def _limits_at(text: Text, together: Iterable[tuple[int, tuple[str, ...]]]) -> tuple[int, int] | None:
    """Where a place elsewhere and a word that limits stand together in one clause: first and last word."""
    said = [*text.says]
    for at, names in together:
        said[at] += names
    places = [at for at, names in enumerate(said) if ELSEWHERE in names]
    for at, names in enumerate(said):
        reach = _REACH if LIMITS in names else 1 if WHO in names else 0
        for place in places if reach else ():
            first, last = min(at, place), max(at, place)
            if 0 < last - first <= reach and ENDS.isdisjoint(text.words[first:last]):
                return first, last
    return None


def limiting_words(text: Text, vocabulary: Vocabulary) -> str:
    """The words by which a text is limited to people elsewhere; empty where it is not."""
    found = _limits_at(text, vocabulary.together(text))
    return " ".join(text.words[found[0] : found[1] + 1]) if found else ""


def _path(url: str, found: dict[str, float]) -> None:
    rest = url[:LONGEST].partition("://")[2]
    path, asked, query = rest.partition("/")[2].partition("?")
    path = path.partition("#")[0]
    steps = [step for step in (unquote(path) if "%" in path else path).split("/") if step]
    if not steps and not query:
        found["root"] = 1.0
    if steps and steps[0].lower() in _LANGUAGES:
        found["language_path"] = 1.0
        steps = steps[1:]
    found["shallow" if len(steps) <= 1 else "deep"] = 1.0 if len(steps) <= 1 else min(1.0, len(steps) / 5)
    if asked:
        found["query"] = 1.0
    if "." in path:
        if _FILE.search(path):
            found["file"] = 1.0
        elif _PAGE_FILE.search(path):
            found["page_file"] = 1.0
    if _DATE.search("/" + path):
        found["dated_path"] = 1.0
    elif _LONG_NUMBER.search(path) or (query and _LONG_NUMBER.search(query)):
        found["number_in_path"] = 1.0
    longest = 0
    for step in steps[:_STEPS]:
        words = tokens(step)
        if len(words) > longest:
            longest = len(words)
        looked = (*words, step.lower()) if len(words) > 1 else words
        for names in filter(None, map(_address.__getitem__, looked)):
            for name in names:
                if name in _PATH_NAMES:
                    found[_PATH_NAMES[name]] = 1.0
    if longest >= _HEADLINE_WORDS:
        found["headline_path"] = 1.0
    elif longest >= _MIDDLING_WORDS:
        found["middling_path"] = 1.0


def site_of(domain: str) -> Site:
    """What a host tells by itself."""
    found: dict[str, float] = {}
    labels = domain.partition(":")[0].split(".")
    last, reserved = labels[-1], labels[1:]
    if not _GOVERNMENT.isdisjoint(reserved):
        found["government"] = 1.0
    elif not _SCHOOL.isdisjoint(reserved) or labels[0].startswith(("uni-", "univ-", "tu-")):
        found["school"] = 1.0
    elif last in ("org", "ngo", "foundation", "eu"):
        found["organisation_suffix"] = 1.0
    elif last in _COMPANY:
        found["company_suffix"] = 1.0
    elif last in _ODD:
        found["odd_suffix"] = 1.0
    if len(last) == 2:  # a country's
        found["country_suffix"] = 1.0
    if len(labels) > 2:
        found["subdomain"] = 1.0
    name = _name(labels)
    if "-" in name:
        found["hyphens"] = min(1.0, name.count("-") / 3)
    if not name.isalpha() and any(map(str.isdigit, name)):
        found["digits_in_host"] = 1.0
    if len(name) > 18:
        found["long_host"] = 1.0
    for label in labels[:-1]:
        looked = (label,) if label.isalpha() else (*tokens(label), label)
        for places in map(_address.__getitem__, looked):
            for place in places:
                if place in _HOST_NAMES:
                    found[_HOST_NAMES[place]] = 1.0
    for place, ends in _HOST_ENDS.items():
        if name.endswith(ends):
            found.setdefault(_HOST_NAMES[place], 0.7)
    return Site(found, fold(name).replace("-", ""))


_HOST_ENDS: Final = {
    "media": (
        "news", "times", "post", "press", "media", "magazine", "journal", "gazette", "herald", "tribune",
        "today",
        "zeitung", "blatt", "presse", "novini", "vesti", "blog", "online", "daily", "radio", "info",
    ),
    "finder": ("finder", "directory", "list", "guide", "portal", "jobs", "hub"),
}  # fmt: skip


def _name(labels: Sequence[str]) -> str:
    """The part of a host that was chosen by whoever registered it, as far as that shows."""
    at = len(labels) - 1
    if at and (len(labels[at]) <= 3 or labels[at] in _PUBLIC):
        at -= 1
        while at and len(labels[at]) <= 3:
            at -= 1
    return labels[at]


def _names(name: str, words: Sequence[str], ends: int, found: dict[str, float]) -> None:
    in_title = words[:ends]
    covered = _covered(name, in_title)
    in_text = _covered(name, words[ends + 1 : ends + 40])
    is_abbreviation = len(name) <= _LONGEST_ABBREVIATION and name in "".join(word[:1] for word in in_title)
    if covered:
        found["host_in_title"] = covered
    if in_text:
        found["host_in_text"] = in_text
    if is_abbreviation:
        found["host_is_abbreviation"] = 1.0
    if covered >= _NAMED:
        found["title_is_name"] = covered
    if is_abbreviation or covered >= 0.5 or in_text >= 0.5:
        found["named_by_host"] = 1.0


def _covered(name: str, words: Iterable[str]) -> float:
    """The share of a host's name that is made of these words."""
    within = {*filter(name.__contains__, words)}
    covered = sum([len(word) for word in within if len(word) >= _LEAST_NAME])
    return min(1.0, covered / len(name))


def _form(title: str, description: str, words: Sequence[str], ends: int, found: dict[str, float]) -> None:
    in_title = words[:ends]
    if ASK in in_title:
        found["question"] = 1.0
    if _STARTS_WITH_NUMBER.match(title):
        found["numbered_title"] = 1.0
    if AMOUNT in words:
        found["amount"] = 1.0
    if YEAR in in_title:
        found["year_in_title"] = 1.0
    if title.isupper():
        found["shouting"] = 1.0
    if "@" in description or _PHONE.search(description):
        found["mail_or_phone"] = 1.0
    if _STARTS_WITH_DATE.match(description):
        found["starts_with_date"] = 1.0
