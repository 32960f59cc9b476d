"""Sums of money in running text: how much, of what, at least or at most, and where it stands.

Every language groups digits in its own way (1,000 1.000 1 000 1'000), and all are read in all of them: a mark
with three digits behind it groups, a mark with one or two is the decimal one. A number without a currency is
no sum, and neither is a percentage.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NamedTuple

from surveyor.extract.lexicon import any_of, plain, table, words

# Longer texts are cut; no sum is so deep in one block.
_LONGEST: Final = 20_000
# What somebody can be given, in units of the currency.
_LEAST, _MOST = Decimal(1), Decimal(10) ** 10


class Amount(NamedTuple):
    low: Decimal | None
    """Unknown for "up to"."""
    high: Decimal | None
    """Unknown for "from"."""
    currency: str
    start: int
    """Where it stands in the text, words such as "up to" included; up to but without `end`."""
    end: int


def number(value: Decimal) -> int | float:
    """As records have it: whole where it is whole."""
    return int(value) if value == value.to_integral_value() else float(value)


_CODES: Final = table("money", "currency")
_FACTORS: Final = {word: int(factor) for word, factor in table("money", "multiplier").items()}
_ROUND: Final = {word: int(value) for word, value in table("money", "written").items()}

_CURRENCY: Final = any_of(_CODES, start=False)
# Before a number its code may touch it: EUR5,000.
_TOUCHING: Final = _CURRENCY.replace(r"(?!\w)", r"(?![^\W\d])")
_DIGITS: Final = r"\d{1,3}(?:[ .,']\d{3}){1,3}(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d{1,9}(?:[.,]\d{1,3}(?!\d))?"
_TIMES: Final = any_of(_FACTORS, start=False)
_WRITTEN: Final = any_of(_ROUND)
_DIGIT: Final = re.compile(r"\d")
_WRITTEN_SUM: Final = re.compile(rf"{_WRITTEN} {{1,2}}(?:de )?{_CURRENCY}")


def _side(key: int, before: str) -> str:
    """A number with its currency on one side or the other; `before` must not stand right before it."""
    digits = rf"(?P<n{key}>{_DIGITS})(?:,-+|\.-+)?(?!\d)(?: ?(?P<t{key}>{_TIMES}))?"
    return (
        rf"(?:(?<!\w)(?P<b{key}>{_TOUCHING}) ?|(?<!{before}))(?:{digits}|(?P<w{key}>{_WRITTEN}))"
        rf"(?: ?(?:de |d')?(?P<a{key}>{_CURRENCY}))?"
    )


_TO: Final = (
    rf" {{0,2}}{any_of(words('money', 'to'), start=False)} {{0,2}}(?:max\.? |maximal |hochstens |maximum )?"
)
_SINGLE: Final = re.compile(_side(1, r"[\w.,/'-]"))
# A hyphen may touch both numbers, so the second number may follow one.
_RANGE: Final = re.compile(_side(1, r"[\w.,/'-]") + _TO + _side(2, r"[\w.,']"))

_FILLER: Final = rf"(?:\W{{0,3}}{any_of(words('money', 'filler'), start=False)}){{0,3}}\W{{0,3}}$"
_UP_TO: Final = re.compile(any_of(words("money", "up_to")) + _FILLER)
# Polish, Czech, Croatian: up to. In English, Hungarian and Turkish the same letters are other words.
_SLAVIC_UP_TO: Final = re.compile(r"(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bto )(?<!\ben )\b(?:do|az) {1,2}$")
_AT_LEAST: Final = re.compile(any_of(words("money", "at_least")) + _FILLER)
_WEAK_FROM: Final = re.compile(any_of(words("money", "weak_from")) + r"\W{0,3}$")
# A word that caps whatever is named between it and the sum: the maximum amount of the grant is.
_CAPPED: Final = re.compile(
    r"(?<!\w)(?:(?<!nombre )limit(?!ed (?!to\b)|iert\w* (?!auf\b)|at\w? (?!la\b)|ad\w{1,2} (?!a\b))"
    r"|maxim|massim|maksym|hochst|nejvys|максимал|μεγιστ|ανωτατ|plafon)\w{0,12}"
    r"(?: [^\d.;,()]{0,56})?$"
)
_CAP_BEHIND: Final = re.compile(r"\W{0,3}" + any_of(words("money", "cap_behind")))
_PERCENT: Final = re.compile(" ?" + any_of(words("money", "percent"), start=False))
_PART: Final = re.compile(any_of(words("money", "part")) + " ?$")
# Below it the first number of a range may count the thousands of the second.
_BARE_THOUSANDS: Final = 100
# The first half of a sum that a space tore in two: 1.837, 32 €.
_TORN: Final = re.compile(r"\d[.,' ]\d{3}, ?$")
# How far back the words of a bound may stand, in characters.
_REACH: Final = 64


def find_amounts(text: str, *, currencies: tuple[str, ...] = ()) -> list[Amount]:
    """The sums of a text in order; `currencies` are those the profile expects, the first settles `$`."""
    text = text[:_LONGEST]
    if not _DIGIT.search(text) and not _WRITTEN_SUM.search(plain(text)):
        return []
    flat, found, at = plain(text), [], 0
    while (match := _SINGLE.search(flat, at)) is not None:
        span = _RANGE.match(flat, match.start())
        amount = span and _ranged(flat, span, currencies)
        amount = amount or _single(flat, match, currencies)
        at = max(amount.end if amount else match.end(), match.start() + 1)
        if amount:
            found.append(amount)
    return found


def _ranged(flat: str, match: re.Match[str], expected: tuple[str, ...]) -> Amount | None:
    codes = [_code(match[key], expected) for key in ("b1", "a1", "b2", "a2") if match[key]]
    if not codes or len(set(codes)) > 1 or _PERCENT.match(flat[match.end() : match.end() + 12]):
        return None
    shared = None if match["a1"] or match["b1"] else match["t2"]
    low, high = _value(match, 1, shared), _value(match, 2, None)
    if low is None or high is None:
        return None
    if low < _BARE_THOUSANDS and not (match["b1"] or match["a1"] or match["t1"]):
        if _PART.search(flat[max(0, match.start() - _REACH) : match.start()]):
            return None
        if high >= low * 1_000 and high % 1_000 == 0:  # 10 to 30,000 euros: thousands are said once
            if match["b2"]:
                return None
            low *= 1_000
    if low >= high:
        return None
    return Amount(low, high, codes[0], match.start(), match.end())


def _single(flat: str, match: re.Match[str], expected: tuple[str, ...]) -> Amount | None:
    word, value = match["b1"] or match["a1"], _value(match, 1, None)
    if not word or value is None or _PERCENT.match(flat[match.end() : match.end() + 12]):
        return None
    before, code = flat[max(0, match.start() - _REACH) : match.start()], _code(word, expected)
    if not match["b1"] and _TORN.search(before):
        return None
    start = match.start()
    floor = None if _WEAK_FROM.search(before) else _AT_LEAST.search(before)
    cap = _UP_TO.search(before) or _CAPPED.search(before)
    if not cap and code != "HUF":
        cap = _SLAVIC_UP_TO.search(before)
    if cap and not (
        floor and floor.start() > cap.start()
    ):  # limited to at least 250: the nearer word decides
        return Amount(None, value, code, start - (len(before) - cap.start()), match.end())
    if _CAP_BEHIND.match(flat[match.end() : match.end() + 24]):
        return Amount(None, value, code, start, match.end())
    if floor:
        return Amount(value, None, code, start - (len(before) - floor.start()), match.end())
    return Amount(value, value, code, start, match.end())


def _value(match: re.Match[str], side: int, shared: str | None) -> Decimal | None:
    """One side of a range; "1-2 million" shares what multiplies."""
    if written := match[f"w{side}"]:
        value = Decimal(_ROUND[" ".join(written.split())])
    else:
        times = match[f"t{side}"] or shared
        value = _decimal(match[f"n{side}"], is_counted=bool(times)) * (
            _FACTORS[" ".join(times.split())] if times else 1
        )
    return value.normalize() + 0 if _LEAST <= value <= _MOST else None


def _decimal(digits: str, *, is_counted: bool) -> Decimal:
    """`1,125 million` counts millions; `1,125 euros` counts euros."""
    groups = re.split(r"[ .,']", digits)
    if len(groups) == 1:
        return Decimal(digits)
    if len(groups[-1]) == 3 and not (is_counted and len(groups) == 2):
        return Decimal("".join(groups))
    return Decimal("".join(groups[:-1]) + "." + groups[-1])


def _code(word: str, expected: tuple[str, ...]) -> str:
    code = _CODES[" ".join(word.split())]
    if code == "USD" and word == "$":
        return next((one for one in expected if one in {"USD", "CAD", "AUD"}), code)
    return code
