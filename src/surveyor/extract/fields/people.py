"""People whom a reader may turn to: names with a role or a channel beside them. Silent rather than wrong.

A name is two to four words with capitals. It counts when what somebody does stands beside it, when the text
asks to turn to them, or when a form of address precedes it and a channel follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final, NamedTuple

from surveyor.extract.fields.people_words import (
    CONTACT_LABEL,
    COURTESY,
    NO_NAME,
    PARTICLES,
    SAYS,
    TITLES,
    TURN_TO,
    begins_with_role,
    has_role,
)
from surveyor.extract.lexicon import alternatives, words
from surveyor.words import fold
from surveyor.words.matching import plain
from surveyor.words.patterns import any_case
from surveyor.words.text import to_latin

# Characters of a line that are searched, and names of a page that are kept.
_LONGEST_LINE = 3_000
_MOST = 60
# Words of a line that is about the person and nothing else.
_SHORT_LINE = 12
_SHORT_TEXT = 80  # characters
_MOST_ROLE_WORDS = 8

_BEFORE_NAMES: Final = TITLES | COURTESY
_WORD = re.compile(r"[^\W\d_][\w’'.-]*|\S")
_AFTER_ROLE = re.compile(r"\s?(?:[(;|·•]|\s[–—-]\s|:\s|,|\.\s(?=\D)|\.$|\s\+?[0-9(]{2}|\S+@)")
_DEGREE = re.compile(r"(?:[A-Z]{2,5}|Ph\.?D\.?|M\.?D\.?|M\.?A\.?|M\.?Sc\.?|Dr\.?),\s")
_BETWEEN = re.compile(r"\s{0,2}(?:,|\s[–—-]|\||\(|·|:|/)\s{1,2}|\s?\(")
_MAY_CHANNEL = re.compile(r"[@0-9]")
_CHANNEL = re.compile(
    r"@|(?:\+|\(|\b0)[0-9 ()./-]{6,}|\b[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}\b|[0-9]{4,5}[- ][0-9]{5}"
)


def _has_channel(text: str) -> bool:
    return _MAY_CHANNEL.search(text) is not None and _CHANNEL.search(text) is not None


class Person(NamedTuple):
    name: str
    role: str | None
    line: int
    start: int
    """Where the name begins in its line, and where it and the role end."""
    end: int


class _Name(NamedTuple):
    text: str
    start: int
    end: int
    addressed: bool
    """Whether Mr or Mrs stood before it."""
    titled: bool


def find(
    lines: Sequence[str], *, strict: bool = False, own: str = "", mail: Collection[str] = ()
) -> list[Person]:
    """The people named in lines that stand together: a paragraph, a card, the cells of a row.

    `strict` is for articles, in which many people are named whom nobody should write to: then only those with
    a channel beside them count. `own` is the name of the site, which may look like a person's; `mail` are the
    addresses on the page, of which one may bear the name.
    """
    found: list[Person] = []
    roles = _Roles(lines)
    reachable = any(_has_channel(line[:_LONGEST_LINE]) for line in lines)
    if strict and not reachable and not mail:
        return found
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if len([*islice(filter(str.isupper, line), _CAPITALS)]) < _CAPITALS:
            continue
        if (
            not reachable
            and not (mail and len(line) < _SHORT_TEXT)
            and not roles[number]
            and not roles[number + 1]
        ):
            continue
        for name in _names(line[:_LONGEST_LINE]):
            if len(found) >= _MOST or fold(name.text.casefold()) == fold(own.casefold()):
                break
            person = _person(line, name, number, following, reachable=reachable, strict=strict)
            if person is None and any(_is_theirs(one, name) for one in mail):
                person = Person(name.text, None, number, name.start, name.end)
            if person is not None:
                found.append(person)
    return found


# Capital letters that a line with a name has at least.
_CAPITALS: Final = 2


class _Roles(dict[int, bool]):
    """Which lines name a role; each is looked at once."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = lines

    def __missing__(self, number: int) -> bool:
        found = self[number] = number < len(self._lines) and has_role(self._lines[number])
        return found


def _person(
    line: str, name: _Name, number: int, following: str, *, reachable: bool, strict: bool
) -> Person | None:
    before, after = line[: name.start], line[name.end :]
    if SAYS.search(before) and not TURN_TO.search(before[-30:].strip()):
        return None
    role, end = _role_behind(after)
    label = _label_before(before)
    if role is None and label is not None and has_role(label) and not CONTACT_LABEL.fullmatch(label):
        role = label
    if role is None:
        role = _role_before(before)
    alone = not after.strip(" .,") and not before.strip(" *•–-")
    if role is None and alone and _is_role_line(following):
        role = following.strip(" .")
    here = _has_channel(line) or (alone and reachable)
    turned = label is not None or _turns_to(before)
    short = len(line.split()) <= _SHORT_LINE and (not before.strip() or label is not None or turned)
    if strict:
        counts = here and (role is not None or turned or name.addressed)
    elif role is not None:
        counts = short or reachable or turned
    else:
        counts = reachable and (turned or name.addressed or name.titled)
    if not counts and not (reachable and _is_called_like(name.text, line)):
        return None
    return Person(name.text, role, number, name.start, name.end + end)


def _turns_to(before: str) -> bool:
    text = before.rstrip(" „“\"'")
    found = None
    for match in TURN_TO.finditer(text[-60:]):
        found = match
    return found is not None and len(text[-60:][found.end() :].split()) <= 1


def _label_before(before: str) -> str | None:
    """`Секретар` of `Секретар: `; a label ends with a colon and is short."""
    text = before.rstrip()
    if not text.endswith((":", "–", "-")):
        return None
    label = re.split(r"[.;!?|]\s", text[:-1])[-1].strip()
    return (
        label
        if label and len(label.split()) <= 6 and (has_role(label) or CONTACT_LABEL.search(label))
        else None
    )


# Small words behind which a role may begin: "ring our Grants Officer, Daniel Okafor".
_BEFORE_ROLE = any_case(
    rf"(?<!\w){alternatives('people', 'before_role')}\s",
)
_SMALL: Final = PARTICLES.union(words("people", "within_role"))
_MOST_WORDS_BEFORE = 5


def _role_before(before: str) -> str | None:
    """`Grants Officer` of `please ring our Grants Officer, `: a role right before the name."""
    tail = re.split(r"[.;:!?()|–—]\s", before[-90:])[-1]
    starts = [0, *(match.end() for match in _BEFORE_ROLE.finditer(tail))]
    for start in reversed(starts):
        role = tail[start:].strip(" ,")
        parts = role.split()
        if len(parts) > _MOST_WORDS_BEFORE or "," in role or TURN_TO.search(role):
            return None
        if parts and has_role(role):
            return None if parts[-1].lower() in _SMALL else role
    return None


def _role_behind(after: str) -> tuple[str | None, int]:
    """What follows a name behind a comma, a dash or a bracket, if it is a role; and where it ends."""
    between = _BETWEEN.match(after)
    if between is None:
        return None, 0
    rest = after[between.end() :]
    degree = _DEGREE.match(rest)
    if degree is not None:  # Joanne Pike, RN, Program Director
        role, end = _role_behind(rest[degree.end() - 2 :])
        return role, between.end() + degree.end() - 2 + end if role else 0
    start = 0
    if re.match(r"[0-9]\.\s", rest):  # 1. Vorsitzender
        start = 3
    ends = _AFTER_ROLE.search(rest, start)
    text = rest[: ends.start()] if ends is not None else rest
    text = text.rstrip(" ).,;")
    words = text.split()
    if not words or len(words) > _MOST_ROLE_WORDS or _has_channel(text):
        return None, 0
    # "Petra Wolf, Programm: 0664 ...": whatever stands there before a colon and a channel is what she does.
    quoted = (
        len(words) <= 3
        and text[:1].isupper()
        and re.match(r":\s.{0,12}(?:[0-9(+]|\S+@)", rest[len(text) :]) is not None
    )
    if not has_role(text) and not quoted:
        return None, 0
    return text, between.end() + len(text)


def _is_role_line(line: str) -> bool:
    words = line.split()
    return (
        0 < len(words) <= _MOST_ROLE_WORDS
        and has_role(line)
        and not _has_channel(line)
        and line[-1] not in ".!?"
    )


def _is_called_like(name: str, line: str) -> bool:
    """Whether an address in the line bears the name: `k.pohle@` of Katrin Pohle."""
    return any(bears(local, name) for local in re.findall(r"([\w.+-]{2,64})@", line))


def _is_theirs(mail: str, name: _Name) -> bool:
    """Whether an address is made of the name and nothing else, and not by chance."""
    local = mail.partition("@")[0]
    if not name.addressed and not re.search(r"[^\W\d_][._-][^\W\d_]", local):
        return False
    return bears(local, name.text, whole=True)


def bears(local: str, name: str, *, whole: bool = False) -> bool:
    """Whether the part of an address before the sign is made of somebody's name; `whole`: of nothing else."""
    plain = _latin(local)
    parts = [_latin(word) for word in name.split() if _latin(word) not in TITLES and len(word) > 2]
    if not whole:
        return any(len(part) > 2 and part in plain for part in parts)
    first, last = (parts[0], parts[-1]) if len(parts) > 1 else ("", "")
    return bool(first) and plain in (first + last, last + first, first[0] + last, last + first[0], last)


def _latin(text: str) -> str:
    return re.sub(r"[^a-z]", "", to_latin(plain(text.casefold(), "de")))


def _names(line: str) -> list[_Name]:
    """Runs of words with capitals that may be somebody's name."""
    names: list[_Name] = []
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(line):
        word = match[0]
        bare = word.rstrip(".’'-")
        if run and match.start() - run[-1].end() > 1:
            _close(run, names)
        if _may_be_part(word, bare, run):
            run.append(match)
            # A full stop ends a sentence, unless the word is an initial or a title.
            if word.endswith(".") and len(bare) > 2 and bare.casefold() not in _BEFORE_NAMES:
                _close(run, names)
        else:
            _close(run, names)
    _close(run, names)
    return names


def _may_be_part(word: str, bare: str, run: list[re.Match[str]]) -> bool:
    if not bare or not bare[0].isalpha():
        return False
    if run and bare in PARTICLES:
        return True
    if bare.casefold() in _BEFORE_NAMES and (
        word.endswith(".") or len(bare) > 3 or bare in ("κ", "κα", "κος", "δρ")
    ):
        return True
    return bare[0].isupper()


_BYLINE: Final = frozenset(words("people", "byline"))


def _close(run: list[re.Match[str]], names: list[_Name]) -> None:
    words = list(run)
    run.clear()
    if len(words) < 2:
        return
    addressed = False
    for place in range(
        len(words) - 2, 0, -1
    ):  # z. Hd. Frau Gudrun Ebert: the name begins with the form of address
        if words[place][0].rstrip(".").casefold() in COURTESY:
            del words[:place]
            break
    while words:
        bare = words[0][0].rstrip(".").casefold()
        if bare in COURTESY and len(words) > 1:
            addressed = True
            words.pop(0)
        elif bare in TITLES and len(words) > 1:
            break
        elif (
            begins_with_role(words[0][0])
            or TURN_TO.fullmatch(words[0][0])
            or CONTACT_LABEL.fullmatch(words[0][0])
        ):
            words.pop(0)
        else:
            break
    if len(words) > 2 and words[0][0].casefold() in _BYLINE:
        del words[0]
    while words and words[-1][0] in PARTICLES:
        words.pop()
    if words and words[0][0] in PARTICLES:
        return
    name = [word for word in words if word[0].rstrip(".").casefold() not in _BEFORE_NAMES]
    titled = len(name) < len(words)
    # Grant, Hill and Park are surnames as well, when a title says that it is a person.
    sure = 1 if titled or addressed else 0
    if 2 <= len(name) <= 4 and all(_is_part(word[0]) for word in name[: len(name) - sure]):
        text = " ".join(word[0] for word in words).rstrip(".,’'")
        names.append(_Name(text, words[0].start(), words[-1].end(), addressed, titled))


def _is_part(word: str) -> bool:
    bare = word.rstrip(".’'")
    if bare in PARTICLES:
        return True
    if NO_NAME.are(bare) or any(sign.isdigit() for sign in bare):
        return False
    if len(bare) == 1:
        return word.endswith(".")
    if any(NO_NAME.are(part) for part in bare.split("-") if len(part) > 3):
        return False
    return len(bare) <= 20 and not (bare.isupper() and len(bare) <= 4)
