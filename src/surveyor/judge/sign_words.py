"""What each sign is called when it is shown to a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from surveyor.judge.vocabulary import SAYS, SENDER

# What is no single sign: all words of text and path, and the host's name.
TEXT_WORDS: Final = "words"
HOST_NAME: Final = "host"

WORDS: Final[dict[str, str]] = {
    "we": "it speaks of itself (we, our)",
    "you": "it speaks to the reader (you, your)",
    "apply": "it says how to apply or register",
    "contact": "it says how to get in touch",
    "mission": "it says what it is and does",
    "reports": "it reports what others said or did",
    "guides": "it reads like a guide or a list of tips",
    "collects": "it lists what others offer",
    "sells": "it sells something",
    "closed": "it says that something is over",
    "title_reports": "the title is a headline",
    "title_guides": "the title is that of a guide",
    "title_collects": "the title is that of a list",
    "title_sells": "the title sells something",
    "title_closed": "the title says that it is over",
    "path_story": "the address is that of a story",
    "path_listing": "the address is that of a list",
    "path_guide": "the address is that of a guide",
    "path_document": "the address is that of a document",
    "path_shop": "the address is that of a shop",
    "path_offer": "the address names an offer",
    "path_about": "the address is that of a page about the site itself",
    "host_platform": "anybody can write on this host",
    "host_media": "the host is named like a newspaper or a blog",
    "host_finder": "the host is named like a list of offers",
    "root": "it is a home page",
    "shallow": "the page is close to the home page",
    "deep": "the page is deep inside its site",
    "dated_path": "the address carries a date",
    "number_in_path": "the address carries a long number",
    "headline_path": "the address is a whole headline",
    "middling_path": "the address is a short title",
    "file": "it is a file",
    "page_file": "the address ends like an older page",
    "query": "the address carries a query",
    "language_path": "the site has several languages",
    "government": "the host is a public body's",
    "school": "the host is a university's or a school's",
    "organisation_suffix": "the host ends like an organisation's",
    "company_suffix": "the host ends like a company's",
    "country_suffix": "the host ends with a country's suffix",
    "odd_suffix": "the host has an unusual suffix",
    "subdomain": "it is on a subdomain",
    "hyphens": "the host's name has hyphens",
    "digits_in_host": "the host's name has digits",
    "long_host": "the host's name is long",
    "named_by_host": "the text names whose site it is",
    "host_in_title": "the title names whose site it is",
    "host_in_text": "the description names whose site it is",
    "host_is_abbreviation": "the host is an abbreviation of the title",
    "title_is_name": "the title is the name of the site",
    "question": "the title is a question",
    "numbered_title": "the title begins with a number",
    "year_in_title": "the title names a year",
    "shouting": "the title is in capitals",
    "mail_or_phone": "it gives a mail address or a phone number",
    "starts_with_date": "it begins with a date",
    "home_suffix": "the host's country is one the profile looks in",
    "foreign_suffix": "the host's country is none the profile looks in",
    "names_home": "it names a place of the profile",
    "names_elsewhere": "it names a place outside the profile",
    "amount": "it names a sum of money",
    "believed_host": "the profile trusts such hosts",
    TEXT_WORDS: "wanted results use such words",
    HOST_NAME: "hosts with such names were wanted",
    "limits": "it says who is eligible",
    "who": "it names who may apply",
    "limited_elsewhere": "it is limited to people elsewhere",
}


# What the other way round is called.
AGAINST: Final[dict[str, str]] = {
    "believed_host": "the profile distrusts such hosts",
    TEXT_WORDS: "unwanted results use such words",
    HOST_NAME: "hosts with such names were not wanted",
}


# What nobody would take for a reason that way round, though a model may weigh it so beside others.
_NEVER: Final = frozenset(("country_suffix", "subdomain", "language_path", "page_file"))
_NEVER_FOR: Final = _NEVER | {
    "foreign_suffix", "names_elsewhere", "limited_elsewhere", "reports", "collects", "guides", "closed",
    "dated_path", "number_in_path", "headline_path", "query", "file", "host_media", "host_finder",
    "host_platform", "odd_suffix", "digits_in_host", "shouting", "starts_with_date", "deep", "long_host",
    "hyphens", "middling_path",
}  # fmt: skip
_NEVER_AGAINST: Final = _NEVER | {
    "home_suffix", "names_home", "organisation_suffix", "government", "school", "we", "apply", "contact",
    "mission", "named_by_host", "host_in_title", "host_in_text", "title_is_name", "path_offer",
    "path_about", "root", "shallow", "mail_or_phone",
}  # fmt: skip


def is_shown(sign: str, *, speaks_for: bool) -> bool:
    """Whether a person would give this sign as a reason for, or against, a result."""
    return bool(in_words(sign)) and sign not in (_NEVER_FOR if speaks_for else _NEVER_AGAINST)


def in_words(sign: str, *, speaks_for: bool = True) -> str:
    """What a sign is called; a profile's own are called by the names that the profile gives them."""
    if not speaks_for and sign in AGAINST:
        return AGAINST[sign]
    for prefix, words in (
        (SAYS, "it uses the profile's words for"),
        (SENDER, "it names a kind of organisation:"),
    ):
        if sign.startswith(prefix):
            return f"{words} {sign.removeprefix(prefix).replace('_', ' ')}"
    return WORDS.get(sign, "")


# Signs that say the same; the first of a row that is there is enough.
_ALIKE: Final = (
    ("root", "shallow"),
    ("title_is_name", "host_in_title", "host_is_abbreviation", "host_in_text", "named_by_host"),
    ("limited_elsewhere", "names_elsewhere"),
    ("headline_path", "middling_path"),
)


def in_one(signs: Iterable[str]) -> list[str]:
    """Signs in order, each said once; all groups of the profile's words are named where the first stands."""
    found = list(signs)
    for alike in _ALIKE:
        there = [sign for sign in alike if sign in found]
        found = [sign for sign in found if sign not in there[1:]]
    groups = [sign.removeprefix(SAYS) for sign in found if sign.startswith(SAYS)]
    joined = SAYS + " and ".join(filter(None, (", ".join(groups[:-1]), *groups[-1:])))
    return list(dict.fromkeys(joined if sign.startswith(SAYS) else sign for sign in found))
