"""Signs of what kind of site a search result leads to: an organisation's own, or one about others.

Pure, in every language alike, from the shape of address and title and from who speaks in the text. Each sign
is a number between 0 and 1, so that a rule may read it, a model may weigh it, and a person may be told of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Final
from urllib.parse import unquote

from surveyor.words import fold, tokens
from surveyor.words.cutting import AMOUNT, ASK, LONGEST, TITLE_ENDS, YEAR

_REMEMBERED: Final = 1 << 15  # words and hosts with what they tell; about 5 MB
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
_MAIL_OR_PHONE = re.compile(r"@|\+?\d[\d\s()/.-]{7,}\d")
_STARTS_WITH_DATE = re.compile(
    r"^\W*(?:\d{1,2}[./ ]\s?(?:\d{1,2}|\w{3,10})[./ ,]+\s?(?:19|20)?\d\d|\w{3,10}\.? \d{1,2}, (?:19|20)\d\d)"
)

VOICES: Final = (
    "we", "you", "apply", "contact", "mission", "reports", "guides", "collects", "sells", "closed",
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
_NUMBER: Final = {name: number for number, name in enumerate(SIGNS)}


def _read(file: str) -> dict[str, dict[str, str]]:
    text = (resources.files("surveyor.judge") / "wordlists" / f"{file}.toml").read_text("utf-8")
    return tomllib.loads(text)


_NONE: Final[frozenset[str]] = frozenset()


class _Words(dict[str, tuple[str, ...]]):
    """Which lists a word stands in; every word is looked up once and remembered."""

    def __init__(self, lists: Mapping[str, Iterable[str]]) -> None:
        super().__init__()
        self._whole: dict[str, frozenset[str]] = {}
        self._stems: dict[str, frozenset[str]] = {}
        for name, words in lists.items():
            for word in words:
                table = self._stems if word.endswith("*") else self._whole
                # As the words of a text are written; what is joined by hyphens stays one word of an address.
                plain = word.rstrip("*")
                part = plain if "-" in plain else "".join(tokens(plain))
                table[part] = table.get(part, _NONE) | {name}
        self._lengths = sorted({len(stem) for stem in self._stems})

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self._whole.get(word, _NONE)
        for length in self._lengths:
            found = found | self._stems.get(word[:length], _NONE)
        self[word] = kinds = tuple(sorted(found))
        return kinds


_voices = _Words({
    name: [word for words in languages.values() for word in words.split()]
    for name, languages in _read("voice").items()
})  # fmt: skip
_address = _Words({name: lists["words"].split() for name, lists in _read("address").items()})

_GOVERNMENT = frozenset({"gov", "gob", "gouv", "gv", "government", "gub", "mil", "govt", "europa", "int"})
_SCHOOL = frozenset({"edu", "ac", "uni", "univ"})
_COMPANY = frozenset({"com", "biz", "shop", "store", "co"})
_ODD = frozenset(
    {"info", "xyz", "online", "site", "club", "top", "blog", "live", "click", "icu", "news", "tv", "me"}
)
_LANGUAGES = frozenset({"en", "bg", "de", "fr", "ro", "el", "gr", "es", "eng", "ru", "it"})


def signs_of(url: str, title: str, description: str, domain: str, words: Sequence[str]) -> dict[str, float]:
    """The signs that are there; `words` are those of title and description, as `cutting.cut` gives them."""
    found: dict[str, float] = {}
    ends = words.index(TITLE_ENDS) if TITLE_ENDS in words else 0
    _speak(words, ends, found)
    _path(url, found)
    found.update(_host(domain))
    _names(domain, words, ends, found)
    _form(title, description, words, ends, found)
    return found


def _speak(words: Sequence[str], ends: int, found: dict[str, float]) -> None:
    title, counts = _counted(words[:ends]), _counted(words[ends:])
    for name, count in title.items():
        counts[name] = counts.get(name, 0) + count
        if name in IN_TITLE:
            found[f"title_{name}"] = _strength(count)
    for name, count in counts.items():
        found[name] = _strength(count)


def _counted(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for names in filter(None, map(_voices.__getitem__, words)):
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    return counts


def _strength(count: int) -> float:
    """The second and third time say a little more, the tenth does not."""
    return 1.0 - 0.5**count


def _path(url: str, found: dict[str, float]) -> None:
    rest = url[:LONGEST].partition("://")[2]
    path, asked, query = rest.partition("/")[2].partition("?")
    path = path.partition("#")[0]
    steps = [step for step in unquote(path).split("/") if step]
    if not steps and not query:
        found["root"] = 1.0
    if steps and steps[0].lower() in _LANGUAGES:
        found["language_path"] = 1.0
        steps = steps[1:]
    found["shallow" if len(steps) <= 1 else "deep"] = 1.0 if len(steps) <= 1 else min(1.0, len(steps) / 5)
    if asked:
        found["query"] = 1.0
    if _FILE.search(path):
        found["file"] = 1.0
    elif _PAGE_FILE.search(path):
        found["page_file"] = 1.0
    if _DATE.search("/" + path):
        found["dated_path"] = 1.0
    elif _LONG_NUMBER.search(path) or _LONG_NUMBER.search(query):
        found["number_in_path"] = 1.0
    longest = 0
    for step in steps[:_STEPS]:
        words = tokens(step)
        longest = max(longest, len(words))
        for names in filter(None, map(_address.__getitem__, (*words, step.lower()))):
            for name in names:
                if name in PLACES:
                    found[f"path_{name}"] = 1.0
    if longest >= _HEADLINE_WORDS:
        found["headline_path"] = 1.0
    elif longest >= _MIDDLING_WORDS:
        found["middling_path"] = 1.0


@lru_cache(maxsize=_REMEMBERED)
def _host(domain: str) -> dict[str, float]:
    found: dict[str, float] = {}
    labels = domain.partition(":")[0].split(".")
    last, reserved = labels[-1], set(labels[1:])
    if reserved & _GOVERNMENT:
        found["government"] = 1.0
    elif reserved & _SCHOOL or labels[0].startswith(("uni-", "univ-", "tu-")):
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
    name = _name(domain)
    if "-" in name:
        found["hyphens"] = min(1.0, name.count("-") / 3)
    if any(map(str.isdigit, name)):
        found["digits_in_host"] = 1.0
    if len(name) > 18:
        found["long_host"] = 1.0
    for label in labels[:-1]:
        for word in {label, *tokens(label)}:
            for place in _address[word]:
                if place in HOSTS:
                    found[f"host_{place}"] = 1.0
    for place, ends in _HOST_ENDS.items():
        if f"host_{place}" not in found and name.endswith(ends):
            found[f"host_{place}"] = 0.7
    return found


_HOST_ENDS: Final = {
    "media": (
        "news", "times", "post", "press", "media", "magazine", "journal", "gazette", "herald", "tribune",
        "today",
        "zeitung", "blatt", "presse", "novini", "vesti", "blog", "online", "daily", "radio", "info",
    ),
    "finder": ("finder", "directory", "list", "guide", "portal", "jobs", "hub"),
}  # fmt: skip


def _name(domain: str) -> str:
    """The part of a host that was chosen by whoever registered it, as far as that shows."""
    labels = domain.partition(":")[0].split(".")
    while len(labels) > 1 and (len(labels[-1]) <= 3 or labels[-1] in _GOVERNMENT | _SCHOOL):
        labels.pop()
        if len(labels) == 1:
            break
        if len(labels[-1]) > 3:
            break
    return labels[-1]


def _names(domain: str, words: Sequence[str], ends: int, found: dict[str, float]) -> None:
    name = fold(_name(domain)).replace("-", "")
    if len(name) < _LEAST_NAME:
        return
    in_title = [_latin(word) for word in words[:ends]]
    covered = _covered(name, in_title)
    if covered:
        found["host_in_title"] = covered
    in_text = _covered(name, [_latin(word) for word in words[ends + 1 : ends + 40]])
    if in_text:
        found["host_in_text"] = in_text
    if len(name) <= _LONGEST_ABBREVIATION and _is_abbreviation(name, [word for word in in_title if word]):
        found["host_is_abbreviation"] = 1.0
    if covered >= _NAMED:
        found["title_is_name"] = covered
    if max(covered, in_text, found.get("host_is_abbreviation", 0.0)) >= 0.5:
        found["named_by_host"] = 1.0


def _covered(name: str, words: Iterable[str]) -> float:
    """The share of a host's name that is made of these words."""
    covered = sum([len(word) for word in {*words} if word in name and len(word) >= _LEAST_NAME])
    return min(1.0, covered / len(name))


def _is_abbreviation(name: str, words: Sequence[str]) -> bool:
    letters = "".join(word[0] for word in words)
    return len(name) >= _LEAST_NAME and name in letters


_GREEK_AND_CYRILLIC: Final = {
    ord(letter): latin
    for letters in (
        "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h ц=ts ч=ch",
        "ш=sh щ=sht ъ=a ь=y ю=yu я=ya",
        "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch",
        "ψ=ps ω=o",
    )
    for letter, _, latin in (pair.partition("=") for pair in letters.split())
}


_GREEK_PAIRS: Final = (("ου", "ou"), ("αυ", "av"), ("ευ", "ev"), ("μπ", "b"), ("ντ", "d"))


@lru_cache(maxsize=_REMEMBERED)
def _latin(word: str) -> str:
    """A word as it would stand in a host."""
    folded = fold(word)
    if folded[:1] > "z":
        for pair, latin in _GREEK_PAIRS:
            folded = folded.replace(pair, latin)
    return folded.translate(_GREEK_AND_CYRILLIC)


def _form(title: str, description: str, words: Sequence[str], ends: int, found: dict[str, float]) -> None:
    if ASK in words[:ends]:
        found["question"] = 1.0
    if _STARTS_WITH_NUMBER.match(title):
        found["numbered_title"] = 1.0
    if AMOUNT in words:
        found["amount"] = 1.0
    if YEAR in words[:ends]:
        found["year_in_title"] = 1.0
    if title.isupper():
        found["shouting"] = 1.0
    if _MAIL_OR_PHONE.search(description):
        found["mail_or_phone"] = 1.0
    if _STARTS_WITH_DATE.match(description):
        found["starts_with_date"] = 1.0
