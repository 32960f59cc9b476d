"""Telephone numbers of a text in E.164, written for the whole world or for one country; no fax, no sums.

A cheap search finds what looks like a number, signs around it rule out dates, sums, accounts and registers,
and only the rest is put to the library, which is large and loaded when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from surveyor.extract.fields.found import InText
from surveyor.extract.lexicon import alternatives

# Characters of one text that are searched, and numbers in it that are looked at.
_LONGEST = 20_000
_MOST = 60
# Characters before a number in which its label stands.
_LABEL_REACH = 32

_CANDIDATE = re.compile(
    r"(?<![\w@#=&%+.,/-])(?:\+|\(\+?)?[0-9](?:[0-9]|"
    r"[ .\-/()\u00a0\u2009\u202f\u2010-\u2015](?=[ .\-/()\u00a0\u2009\u202f\u2010-\u2015]{0,2}[0-9(])){5,24}"
    r"[0-9](?![\w@%]|[.,][0-9]|\s?(?:€|\$|£|лв|lei\b|ron\b|eur|euro|usd|chf|bgn|евро|ευρώ|%|m²|km\b|:[0-9]))",
    re.IGNORECASE,
)
# The fewest digits that a number has, near enough to each other.
_ENOUGH = re.compile(r"[0-9](?:[^0-9]{0,4}[0-9]){6}")
_LETTERS = re.compile(
    r"(?<![\w-])(?:\+?1[-. ])?8(?:00|33|44|55|66|77|"
    r"88)[-. ](?=[A-Z0-9-]{7,14}\b)(?=[A-Z0-9-]*[A-Z]{3})[A-Z0-9-]{7,14}\b"
)
_EXTENSION = re.compile(
    rf"\s{{0,2}}(?:,\s?)?{alternatives('phones', 'extension')}\.?:?\s{{0,2}}[0-9]{{1,6}}\b",
    re.IGNORECASE,
)
_TELEPHONE = re.compile(
    rf"(?<!\w){alternatives('phones', 'telephone')}(?!\w)",
    re.IGNORECASE,
)
# Small words right before a number that can be dialled.
_AT = re.compile(
    rf"(?<!\w)(?:{alternatives('phones', 'dial')}|{alternatives('phones', 'or')})\s$", re.IGNORECASE
)
_FAX = re.compile(
    rf"(?<!\w)(?:tele)?{alternatives('phones', 'fax')}\w{{0,2}}(?!\w)|(?<!\w)f\s?[:.]\s?$", re.IGNORECASE
)
_BOTH = re.compile(
    r"(?:tel|phone|тел|τηλ|fon)\w{0,6}\.?\s?"
    rf"(?:[/&,]|{alternatives('phones', 'and')})\s?(?:tele)?{alternatives('phones', 'fax')}",
    re.IGNORECASE,
)
# What figures are when they are no telephone number: accounts, taxes, registers, books, parcels, coordinates.
_OTHER = re.compile(
    rf"(?<!\w){alternatives('phones', 'other')}\.?(?!\w)[^0-9+]{{0,14}}$",
    re.IGNORECASE,
)
# Behind such a word, what says that a telephone number follows all the same: "VAT registered. Phone: 020 …".
_NO_OTHER = re.compile(rf"(?<!\w){alternatives('phones', 'named')}\w{{0,6}}", re.IGNORECASE)
_NUMBERED = re.compile(rf"(?<!\w){alternatives('phones', 'numbered')}\.?\s{{0,2}}$", re.IGNORECASE)
_DATE = re.compile(
    r"(?:[0-3]?[0-9][./-][01]?[0-9][./-](?:19|20)[0-9]{2}|(?:19|"
    r"20)[0-9]{2}[./-][01]?[0-9][./-][0-3]?[0-9])(?![0-9])"
    r"|[0-3]?[0-9]\.[01]?[0-9]\.\s?[-–]\s?[0-3]?[0-9]\.[01]?[0-9]\.(?:(?:19|20)?[0-9]{2})?(?![0-9])"
)
_TIMES = re.compile(r"(?:[01]?[0-9]|2[0-4])[.:][0-5][0-9]\s?[-–—]\s?(?:[01]?[0-9]|2[0-4])[.:][0-5][0-9]$")
_YEARS = re.compile(r"(?:19|20)[0-9]{2}\s?[-–/ ]\s?(?:19|20)?[0-9]{2}(?![0-9])")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[ .\u00a0\u202f][0-9]{3}){1,4}$")
_MONEY_BEFORE = re.compile(r"(?:€|\$|£|eur|usd|chf|bgn|ron|лв\.?|lei)\s?$", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"\s?/\s?[0-9]{1,3}$")
_AND = re.compile(
    rf"\s{{0,2}}(?:[,;/&|·]|{alternatives('phones', 'and')}|{alternatives('phones', 'or')})?\s{{0,2}}"
)
_NORTH_AMERICA: Final = frozenset({"US", "CA", "PR"})
_AMERICAN = re.compile(
    r"(?:\+?1[-. ]?)?(?:\([0-9]{3}\)|[0-9]{3})[-. /\u2010-\u2015]{0,2}[0-9]{3}[-. \u2010-\u2015][0-9]{4}"
)
# KY 40601 (502) 555-0120: a postcode before a number.
_ZIP = re.compile(rf"[0-9]{{5}}(?:-[0-9]{{4}})?\s{{0,2}}(?={_AMERICAN.pattern}$)")
_STATE_BEFORE = re.compile(r"\b[A-Z]{2}\.?\s$")


_FAX_ALONE = re.compile(rf"\W*(?:tele)?{alternatives('phones', 'fax')}\w{{0,2}}\W*", re.IGNORECASE)


def is_fax_label(line: str) -> bool:
    """Whether a line says nothing but that a fax number follows."""
    return _FAX_ALONE.fullmatch(line) is not None


def find(text: str, regions: Sequence[str]) -> list[InText]:
    """The numbers of a text, in order; one without country code is of the first of `regions` it fits."""
    text = text[:_LONGEST]
    if _ENOUGH.search(text) is None:
        return _with_letters(text) if "US" in regions else []
    found: list[InText] = []
    labelled, last_end = False, 0
    for count, match in enumerate(_CANDIDATE.finditer(text)):
        if count >= _MOST:
            break
        before = text[max(last_end, match.start() - _LABEL_REACH) : match.start()]
        # "Tel. 123 45 67 and 123 45 68": what was said of the first holds for the second.
        labelled = _TELEPHONE.search(before) is not None or (labelled and _AND.fullmatch(before) is not None)
        after = text[match.end() : match.end() + 20]
        for start, written in _split(match):
            value = _value(written, before, after, labelled, regions)
            if value is not None:
                end = start + len(written)
                extension = _EXTENSION.match(text, end)
                found.append(InText(value, start, extension.end() if extension else end))
        last_end = match.end()
    if "US" in regions:
        found.extend(_with_letters(text))
    return found


def _split(match: re.Match[str]) -> list[tuple[int, str]]:
    """Two numbers with a stroke between them, or the one that it is; without a postcode before it."""
    written = match[0]
    code = _ZIP.match(written)
    if code is not None and _STATE_BEFORE.search(match.string[max(match.start() - 4, 0) : match.start()]):
        return [(match.start() + code.end(), written[code.end() :])]
    for between in re.finditer(r"\s[/–-]\s", written):
        left, right = written[: between.start()], written[between.end() :]
        if min(sum(sign.isdigit() for sign in part) for part in (left, right)) >= 7:
            return [(match.start(), left), (match.start() + between.end(), right)]
    return [(match.start(), written)]


def of_link(url: str, regions: Sequence[str]) -> str | None:
    """The number of a tel: link."""
    scheme, colon, rest = url.strip().partition(":")
    if not colon or scheme.lower() not in ("tel", "callto"):
        return None
    return parsed(rest.lstrip("/").partition(";")[0].replace("%20", " ").replace("%2B", "+"), regions)


def parsed(written: str, regions: Sequence[str]) -> str | None:
    """A text that is one number and nothing else, in E.164."""
    written = _EXTENSION.sub("", written.strip()[:60])
    if len(re.findall(r"[0-9]", written)) < 6:
        return None
    return _parsed(_normal(written), tuple(regions))


def _value(written: str, before: str, after: str, labelled: bool, regions: Sequence[str]) -> str | None:
    if not 7 <= sum(sign.isdigit() for sign in written) <= 16:
        return None
    if _is_something_else(written, before, labelled):
        return None
    international = written.lstrip("(").startswith(("+", "00"))
    if not international and not labelled and not _looks_dialled(written, before, after, regions):
        return None
    return _parsed(_normal(written), tuple(regions))


def _is_something_else(written: str, before: str, labelled: bool) -> bool:
    if _FAX.search(before) and not _BOTH.search(before):
        return True
    other = _OTHER.search(before)
    if other is not None and _NO_OTHER.search(before, other.start()) is None:
        return True
    if _MONEY_BEFORE.search(before) or (not labelled and _NUMBERED.search(before)):
        return True
    if _DATE.match(written) or _YEARS.match(written) or _TIMES.fullmatch(written.strip()):
        return True
    return not labelled and _THOUSANDS.fullmatch(written) is not None


def _looks_dialled(written: str, before: str, after: str, regions: Sequence[str]) -> bool:
    """Whether a number without label and country code is written as people write those to dial."""
    if written.lstrip("(").startswith("0"):
        return True
    if regions and regions[0] in _NORTH_AMERICA:
        return _AMERICAN.fullmatch(written) is not None
    groups = re.findall(r"[0-9]+", written)
    alone = not before.strip() or before.rstrip()[-1] in ",;|·•:-–—(" or _AT.search(before) is not None
    ends = not after.strip() or after.lstrip()[0] in ",;|·•.-–—)(" or after[:1] == " "
    return alone and ends and 1 <= len(groups) <= 5 and sum(map(len, groups)) >= 8


def _normal(written: str) -> str:
    written = written.replace("(0)", "").replace("\u00a0", " ")
    written = re.sub(r"^\(?00(?=[1-9])", "+", written)
    return re.sub(r"^\(\+", "+", written)


@lru_cache(maxsize=512)
def _parsed(written: str, regions: tuple[str, ...]) -> str | None:
    import phonenumbers as library  # large: loaded when the first number is seen

    # 123 45 67/68 is another number that differs at the end.
    writings = [written, _ALTERNATIVE.sub("", written)] if _ALTERNATIVE.search(written) else [written]
    for region in (None,) if written.startswith("+") else regions:
        for one in writings:
            try:
                number = library.parse(one, region)
            except library.NumberParseException:
                continue
            if library.is_valid_number(number):
                return str(library.format_number(number, library.PhoneNumberFormat.E164))
    return None


def _with_letters(text: str) -> list[InText]:
    """Free numbers of North America that spell a word."""
    found = []
    for match in list(_LETTERS.finditer(text))[:5]:
        import phonenumbers as library

        value = _parsed(library.convert_alpha_characters_in_number(match[0])[:15], ("US",))
        if value is not None:
            found.append(InText(value, match.start(), match.end()))
    return found


def region_of(value: str) -> str | None:
    """The region of a number in E.164."""
    import phonenumbers as library

    try:
        return library.region_code_for_number(library.parse(value, None)) or None
    except library.NumberParseException:
        return None
