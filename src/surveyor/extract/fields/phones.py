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
    r"\s{0,2}(?:,\s?)?(?:ext(?:ension)?|x|доб|вътр|int|interior|poste|εσωτ|klappe|dw|durchwahl|"
    r"anexo)\.?:?\s{0,2}[0-9]{1,6}\b",
    re.IGNORECASE,
)
_TELEPHONE = re.compile(
    r"(?<!\w)(?:t[eé]l(?:e[fp]h?on\w{0,4}|[eé]f\w{0,3}|[eé]ph\w{0,4})?|t|ph(?:one)?s?|phone number|"
    r"mob(?:ile?|"
    r"il\w{0,3})?|cell|m|call|text|sms|"
    r"ring|fon|handy|hotline|helpline|helpdesk|office|front desk|switchboard|zentrale|standard|rufnummer|"
    r"anruf\w{0,3}|"
    r"тел\w{0,6}|моб\w{0,6}|gsm|гсм|т|телефонен номер|обадете се\w{0,3}|централа|гореща линия|"
    r"τηλ\w{0,8}|τ|κιν\w{0,5}|whatsapp|viber|appel\w{0,3}|numéro|numero|num|portable|joindre|"
    r"sun[aă]\w{0,3}|apel\w{0,4}|llam\w{0,4}|móvil|movil|contact|appointments?|termine|reservations?|"
    r"κρατήσεις|"
    r"rezerv[aă]ri|secretariat|dispecer\w{0,3}|call center|24h|emergency|notruf|urgence\w?|"
    r"inf[ao]|rückfragen|fragen|questions?|contacto?|kontakt|контакт\w{0,3}|επικοινωνία)(?!\w)",
    re.IGNORECASE,
)
# Small words right before a number that can be dialled.
_AT = re.compile(
    r"(?<!\w)(?:on|at|unter|au|στο|στα|на|la|al|to|via|или|or|oder|ou|sau|ή|o)\s$", re.IGNORECASE
)
_FAX = re.compile(
    r"(?<!\w)(?:tele)?(?:fax\w{0,2}|факс|φαξ|télécopie\w?|telefax)(?!\w)|(?<!\w)f\s?[:.]\s?$", re.IGNORECASE
)
_BOTH = re.compile(
    r"(?:tel|phone|тел|τηλ|fon)\w{0,6}\.?\s?(?:[/&,]|und|and|и|et|și|y|και)\s?(?:tele)?(?:fax|факс|φαξ)",
    re.IGNORECASE,
)
# What figures are when they are no telephone number: accounts, taxes, registers, books, parcels, coordinates.
_OTHER = re.compile(
    r"(?<!\w)(?:iban|bic|swift|konto\w{0,6}|account|acc|сметка|compte|cont|cuenta|λογαριασμός|blz|sort code|"
    r"routing|"
    r"vat|ust\w{0,4}|uid|tva|ддс|tax|steuer\w{0,8}|ein|nif|cif|cui|c\.u\.i|cnp|siret|siren|rcs|ape|naf|ean|"
    r"isbn|issn|doi|"
    r"еик|булстат|αφμ|α\.φ\.μ|γεμη|hrb|hra|vr|registration|registered|reg|register\w{0,4}|registr\w{0,6}|"
    r"charity|"
    r"company|company no|ref|reference|aktenzeichen|az|licen[sc]e|permit|lat|lng|lon|id|po box|postfach|p\.o|"
    r"zip|code|"
    r"case|order|item|sku|serial|version|nr\. inreg|regon|krs|oib|mb|pib|zvr|dvr|n°|№|commission paritaire|"
    r"visitor|"
    r"c\.c\.p|ccp|crn|ein|egn|егн|ogrn|inn)\.?(?!\w)[^0-9+]{0,14}$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?<!\w)(?:no|nr|number|numéro|număr|номер|αριθμός|número|charity|company)\.?\s{0,2}$", re.IGNORECASE
)
_DATE = re.compile(
    r"(?:[0-3]?[0-9][./-][01]?[0-9][./-](?:19|20)[0-9]{2}|(?:19|"
    r"20)[0-9]{2}[./-][01]?[0-9][./-][0-3]?[0-9])(?![0-9])"
)
_TIMES = re.compile(r"(?:[01]?[0-9]|2[0-4])[.:][0-5][0-9]\s?[-–—]\s?(?:[01]?[0-9]|2[0-4])[.:][0-5][0-9]$")
_YEARS = re.compile(r"(?:19|20)[0-9]{2}\s?[-–/ ]\s?(?:19|20)?[0-9]{2}(?![0-9])")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[ .\u00a0\u202f][0-9]{3}){1,4}$")
_MONEY_BEFORE = re.compile(r"(?:€|\$|£|eur|usd|chf|bgn|ron|лв\.?|lei)\s?$", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"\s?/\s?[0-9]{1,3}$")
_AND = re.compile(r"\s{0,2}(?:[,;/&|·]|and|or|und|oder|и|или|et|ou|și|sau|και|ή|y|o)?\s{0,2}")
_NORTH_AMERICA: Final = frozenset({"US", "CA", "PR"})
_AMERICAN = re.compile(
    r"(?:\+?1[-. ]?)?(?:\([0-9]{3}\)|[0-9]{3})[-. /\u2010-\u2015]{0,2}[0-9]{3}[-. \u2010-\u2015][0-9]{4}"
)


_FAX_ALONE = re.compile(r"\W*(?:tele)?(?:fax|факс|φαξ|télécopie)\w{0,2}\W*", re.IGNORECASE)


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
    """Two numbers with a stroke between them, or the one that it is."""
    written = match[0]
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
    if _OTHER.search(before) or _MONEY_BEFORE.search(before) or (not labelled and _NUMBERED.search(before)):
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
