"""Signs of what kind of site a search result leads to: an organisation's own, or one about others.

Pure, in every language alike, from the shape of address and title and from who speaks in the text. Each sign
is a number between 0 and 1, so that a rule may read it, a model may weigh it, and a person may be shown it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, compress, count
from typing import Final
from urllib.parse import unquote

from surveyor.judge.vocabulary import (
    ELSEWHERE,
    HOME,
    LIMITS,
    WHO,
    Said,
    Vocabulary,
    WordLists,
    key_of,
    read_list,
)
from surveyor.words import FUNCTION_WORDS, fold, tokens
from surveyor.words.cutting import AMOUNT, ASK, ENDS, LONGEST, TITLE_ENDS, YEAR

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
# The second and third time say a little more, the tenth does not.
_MANY: Final = 10
_STRENGTHS: Final = tuple(1.0 - 0.5**number for number in range(_MANY))

SMALL_WORDS: Final = frozenset[str]().union(*FUNCTION_WORDS.values())
_address = WordLists({name: lists["words"].split() for name, lists in read_list("address").items()})
_everybodys = Vocabulary()

_GOVERNMENT = frozenset({"gov", "gob", "gouv", "gv", "government", "gub", "mil", "govt", "europa", "int"})
_SCHOOL = frozenset({"edu", "ac", "uni", "univ"})
_PUBLIC = _GOVERNMENT | _SCHOOL
_COMPANY = frozenset({"com", "biz", "shop", "store", "co"})
_ODD = frozenset(
    {"info", "xyz", "online", "site", "club", "top", "blog", "live", "click", "icu", "news", "tv", "me"}
)
_LANGUAGES = frozenset({"en", "bg", "de", "fr", "ro", "el", "gr", "es", "eng", "ru", "it"})


def signs_of(
    url: str,
    title: str,
    description: str,
    domain: str,
    words: Sequence[str],
    vocabulary: Vocabulary = _everybodys,
) -> dict[str, float]:
    """The signs that are there; `words` are those of title and description, as `cutting.cut` gives them."""
    ends = words.index(TITLE_ENDS) if TITLE_ENDS in words else 0
    of_host, name = _host(domain)
    found = of_host.copy()
    _speak(words, ends, vocabulary, found)
    _path(url, found)
    if len(name) >= _LEAST_NAME:
        _names(name, words, ends, found)
    _form(title, description, words, ends, found)
    return found


def _speak(words: Sequence[str], ends: int, vocabulary: Vocabulary, found: dict[str, float]) -> None:
    looked = [*map(vocabulary.__getitem__, words)]
    said = [
        known[0] if known[1] is None else _said_at(at, words, looked)
        for at, known in enumerate(looked)
        if known is not None
    ]
    counts: dict[str, int] = {}
    for name in chain.from_iterable(said):
        counts[name] = counts.get(name, 0) + 1
    if not _TITLE_NAMES.keys().isdisjoint(counts):
        in_title = len(looked[:ends]) - looked[:ends].count(None)
        for name in filter(_TITLE_NAMES.__contains__, chain.from_iterable(said[:in_title])):
            counts[_TITLE_NAMES[name]] = counts.get(_TITLE_NAMES[name], 0) + 1
    for name, number in counts.items():
        found[name] = _STRENGTHS[number] if number < _MANY else 1.0
    if ELSEWHERE in counts and HOME not in counts and _limits_at(words, looked):
        found[LIMITED] = 1.0


def _said_at(at: int, words: Sequence[str], looked: Sequence[Said]) -> tuple[str, ...]:
    """What the word at a place says, with the one after it if the two are known together."""
    known = looked[at]
    if known is None:
        return ()
    if known[1] is None or at + 1 == len(words):
        return known[0]
    return known[0] + known[1].get(key_of(words[at + 1]), ())


def _limits_at(words: Sequence[str], looked: Sequence[Said]) -> tuple[int, int] | None:
    """Where a place elsewhere and a word that limits stand together in one thought: first and last word."""
    said = [(at, _said_at(at, words, looked)) for at in compress(count(), looked)]
    places = [at for at, names in said if ELSEWHERE in names]
    for at, names in said:
        reach = _REACH if LIMITS in names else 1 if WHO in names else 0
        for place in places if reach else ():
            first, last = min(at, place), max(at, place)
            if 0 < last - first <= reach and ENDS.isdisjoint(words[first:last]):
                return first, last
    return None


def limiting_words(words: Sequence[str], vocabulary: Vocabulary) -> str:
    """The words by which a text is limited to people elsewhere; empty where it is not."""
    found = _limits_at(words, [*map(vocabulary.__getitem__, words)])
    return " ".join(words[found[0] : found[1] + 1]) if found else ""


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


@lru_cache(maxsize=_REMEMBERED)
def _host(domain: str) -> tuple[dict[str, float], str]:
    """The signs of a host, and its name as words of a text are compared with it."""
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
    name = _name(domain)
    if "-" in name:
        found["hyphens"] = min(1.0, name.count("-") / 3)
    if not name.isalpha() and any(map(str.isdigit, name)):
        found["digits_in_host"] = 1.0
    if len(name) > 18:
        found["long_host"] = 1.0
    for label in labels[:-1]:
        words = tokens(label)
        for places in filter(None, map(_address.__getitem__, words if len(words) == 1 else (*words, label))):
            for place in places:
                if place in _HOST_NAMES:
                    found[_HOST_NAMES[place]] = 1.0
    for place, ends in _HOST_ENDS.items():
        if name.endswith(ends):
            found.setdefault(_HOST_NAMES[place], 0.7)
    return found, fold(name).replace("-", "")


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
    while len(labels) > 1 and (len(labels[-1]) <= 3 or labels[-1] in _PUBLIC):
        labels.pop()
        if len(labels) == 1:
            break
        if len(labels[-1]) > 3:
            break
    return labels[-1]


def _names(name: str, words: Sequence[str], ends: int, found: dict[str, float]) -> None:
    in_title = [*map(_latin.__getitem__, words[:ends])]
    covered = _covered(name, in_title)
    if covered:
        found["host_in_title"] = covered
    in_text = _covered(name, map(_latin.__getitem__, words[ends + 1 : ends + 40]))
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
    within = [len(word) for word in {*filter(name.__contains__, words)} if len(word) >= _LEAST_NAME]
    return min(1.0, sum(within) / len(name)) if within else 0.0


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


class _Latin(dict[str, str]):
    """Words as they would stand in a host; each is written once and remembered."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        folded = (
            "" if word in SMALL_WORDS else fold(word)
        )  # nobody is called "and": `και` is not half of `skai`
        if folded[:1] > "z":
            for pair, latin in _GREEK_PAIRS:
                folded = folded.replace(pair, latin)
        self[word] = written = folded if folded.isascii() else folded.translate(_GREEK_AND_CYRILLIC)
        return written


_latin = _Latin()


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
