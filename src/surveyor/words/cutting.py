"""A search result cut into words: a mark stands for every figure, and one wherever a clause ends.

Marks are words that no language has, so that a text is cut once and read once. What stands between two
spaces (`pieces_of`) can be remembered with what it is cut into (`words_in`): a text then costs one look-up
per word, and only words that are new are taken apart. Nothing here fails on any text.
"""

from __future__ import annotations

import re

from surveyor import wordlists
from surveyor.words.text import tokens

# Characters of a piece that may come again; longer ones are no words.
LONGEST_PIECE = 50
# Characters that are read of a title and a description; search results are cut there anyway.
LONGEST = 1_500
# What stands for the ends of clauses. A semicolon asks in Greek.
STOP, ASK, SEMICOLON, TITLE_ENDS = "qzstop", "qzask", "qzsemicolon", "qztitle"
ENDS = frozenset((STOP, ASK, SEMICOLON, TITLE_ENDS))
_STOP_MARK, _ASK_MARK, _SEMICOLON_MARK = f" {STOP} ", f" {ASK} ", f" {SEMICOLON} "
_DASHES = "–—-"
# Where a clause ends: marks before a space, a dash between two clauses. The dot of "U.S." ends none.
_STOPS = re.compile(rf"(?:(?:(?<!\.\w)\.|[!…|•·»>\n,:])[.!…|•·»>\n,:]*|(?<=\s)[{_DASHES}]+)(?=\s|$)")
# What stands in for figures while a text is cut into words: letters that no language strings together.
AMOUNT, PERCENT, NUMBER, YEAR = "qzamount", "qzpercent", "qznumber", "qzyear"
PLACEHOLDERS = frozenset((AMOUNT, PERCENT, NUMBER, YEAR))
_AMOUNT_MARK, _PERCENT_MARK = f" {AMOUNT} ", f" {PERCENT} "
_SCALE_WORDS = wordlists.words("words/money", "scale")
_SCALE = rf"(?:{'|'.join(_SCALE_WORDS)})(?![^\W\d_])\.?\s?"
_CURRENCY_SIGNS = "€$£¥"
_CURRENCY_WORDS = wordlists.words("words/money", "currency")
_CURRENCY = rf"(?:[{_CURRENCY_SIGNS}]|(?:{'|'.join(_CURRENCY_WORDS)})(?![^\W\d_]))"
_FIGURE = re.compile(r"\d(?:[\d.,'\u00a0\u202f ]*\d)?")
# What makes a share or a sum of a figure before it, and how that can begin: few figures are followed so.
_UNIT = re.compile(rf"(\s?%)|\s?(?:{_SCALE})?(?:de\s|d')?{_CURRENCY}")
_UNIT_BEGINS = frozenset(("%", "d", *_CURRENCY_SIGNS, *(each[0] for each in _CURRENCY_WORDS + _SCALE_WORDS)))
_CURRENCY_BEFORE = re.compile(rf"(?:^|[^\w]){_CURRENCY}\s?$")
# The ends of what can be a currency before a figure: few words end so, and then it is looked at.
_CURRENCY_ENDS = frozenset((*_CURRENCY_SIGNS, *(word[-2:] for word in _CURRENCY_WORDS)))
_SCALE_AFTER = re.compile(rf"\s?{_SCALE}")
# Characters before a figure in which its currency can stand.
_BEFORE = 9
# What parts thousands; a figure is put together before it is cut into words.
_GROUPING = str.maketrans("", "", ".,'\u00a0\u202f ")
_YEAR_DIGITS = 4


def pieces_of(title: str, description: str) -> list[str]:
    """What stands between two spaces of a result, in small letters, with marks for figures."""
    text = with_figures_marked(f"{title[:LONGEST]} {TITLE_ENDS} {description[:LONGEST]}")
    if "\n" in text:  # ends a clause before a space, which cannot be seen between pieces
        text = _STOPS.sub(_STOP_MARK, text)
    # A dash in front of everything parts nothing.
    return text.lstrip(_DASHES).split()


def words_in(piece: str) -> tuple[str, ...]:
    """The words of such a piece, with marks where a clause ends."""
    if piece.isalnum():
        if piece.isascii() and not piece[0].isdigit():  # nothing to cut
            return (piece,)
        return tuple(words_of(piece))
    asked = piece.replace("?", _ASK_MARK).replace(";", _SEMICOLON_MARK)
    # A space in front, for there was one: a dash after it ends a clause.
    return tuple(words_of(_STOPS.sub(_STOP_MARK, f" {asked}")))


def with_figures_marked(text: str) -> str:
    """The text in small letters, with a word in place of every sum of money and every share."""
    text = text.lower()
    pieces: list[str] = []
    done = 0
    for figure in _FIGURE.finditer(text):
        start, end = figure.span()
        if text[end : end + 2].lstrip()[:1] in _UNIT_BEGINS and (unit := _UNIT.match(text, end)):
            mark, end = (_PERCENT_MARK if unit.lastindex else _AMOUNT_MARK), unit.end()
        elif currency := _currency_before(text, start):
            mark, start = _AMOUNT_MARK, start - len(currency)
            scale = _SCALE_AFTER.match(text, end)
            end = scale.end() if scale else end
        elif (digits := figure[0]).isdigit() or not _is_grouped(digits):
            continue
        else:
            mark = digits.translate(_GROUPING)
        pieces += (text[done:start], mark)
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _currency_before(text: str, start: int) -> str:
    """The currency that stands before a figure; nothing where none does."""
    before = text[max(0, start - _BEFORE) : start]
    last = before.rstrip()[-2:]
    if last not in _CURRENCY_ENDS and last[-1:] not in _CURRENCY_ENDS:
        return ""
    found = _CURRENCY_BEFORE.search(before)
    return found[0].lstrip() if found else ""


def _is_grouped(digits: str) -> bool:
    """Whether marks part thousands here, and not two figures."""
    groups = re.split(r"[^\d]", digits)
    return len(groups) > 1 and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3


def words_of(marked: str) -> list[str]:
    """The words of a marked text, every other figure replaced by the kind of figure it is."""
    words = tokens(marked)
    for place, word in enumerate(words):
        if word.isdigit():
            is_year = len(word) == _YEAR_DIGITS and word[:2] in {"19", "20"}
            words[place] = YEAR if is_year else NUMBER
    return words
