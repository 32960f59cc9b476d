"""Opening hours in lines of text, in the words a reader sees: days with times, always open, by appointment.

A line, a row of a table or a sentence that names days and times is a rule; rules that stand together are
joined with "; ". Dates make an event of it, and that is none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from surveyor.extract.fields.found import InLines
from surveyor.extract.lexicon import alternatives
from surveyor.words.patterns import Phrases, any_case

# Lines of one page that are looked at, and characters of each.
_MOST_LINES = 1_500
_LONGEST_LINE = 600
# Rules of one place: two a day are many.
_MOST_RULES = 14
# Words of a line that is a rule by itself; longer ones are sentences, from which the rule is taken.
_SHORT_LINE = 12

_DAY, _DAILY, _ALWAYS = (alternatives("hours", name) for name in ("day", "daily", "always"))
_NAMED_TIME = alternatives("hours", "named_time")
_TIME = (
    r"(?:[01]?[0-9]|2[0-4])(?:[:.h][0-5][0-9]| h [0-5][0-9])?\s?(?:a\.?m\.?|p\.?m\.?|uhr|uur|h|ч\.?|часа|ώρα|"
    rf"μ\.μ\.|π\.μ\.|noon)?|{_NAMED_TIME}"
)
_SPOKEN = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight"
_TO_WORDS = alternatives("hours", "to")
_TO = rf"\s{{0,2}}(?:{_TO_WORDS})(?:\s(?:las|la))?\s{{0,2}}"
_BETWEEN = rf"{alternatives('hours', 'between')}\s(?:orele )?"
_UNJOINED = r"(?<!\w)"
_RANGE = (
    rf"(?:(?<![\w.,€$])(?:{_TIME}){_TO}(?:{_TIME})(?![\w€$%]|[.,][0-9]))|\b(?:{_SPOKEN}){_TO}(?:{_SPOKEN})\b"
    rf"|\b{_BETWEEN}(?:{_TIME})\s"
    rf"{alternatives('hours', 'and')}\s(?:{_TIME})(?![\w€$%])"
)
_POINT = (
    rf"{alternatives('hours', 'from')}\s(?:[01]?[0-9]|2[0-3])(?:[:.h][0-5][0-9])?\s?"
    r"(?:a\.?m\.?|p\.?m\.?|uhr|h|ч)" + rf"(?:{_TO}(?:{_TIME})(?![\w€$%]))?"
)

_A_DAY = rf"(?<![\w.])(?:{_DAY}|{_DAILY})(?!\w)\.?"
_ALL_DAY = rf"(?<!\w)(?:{_ALWAYS})(?!\w)"
_DAYS, _TIMES, _ALWAYS_OPEN = any_case(_A_DAY), any_case(f"{_RANGE}|{_POINT}"), any_case(_ALL_DAY)
_OPEN = any_case(
    rf"(?<!\w){alternatives('hours', 'open')}(?!\w)",
)
_BY_APPOINTMENT = rf"(?<!\w){alternatives('hours', 'by_appointment')}"
_APPOINTMENT = any_case(_BY_APPOINTMENT)
_HAS_DAYS = Phrases(_A_DAY)
# Most lines tell no time. These say so quickly: a number or a spoken hour before a word for "to", or words of
# their own; without a condition on what stands before, the engine jumps to where one of them can begin.
_MAY_TELL = (
    Phrases(rf"[0-9][^0-9]{{0,12}}?(?:{_TO_WORDS})"),
    Phrases(rf"(?:{_SPOKEN}|{_NAMED_TIME}){_TO}"),
    Phrases(rf"{_BETWEEN}[0-9]"),
    Phrases(rf"{_POINT}|{_ALWAYS}|{_BY_APPOINTMENT.removeprefix(_UNJOINED)}"),
)
_HAS_TIMES = Phrases(f"{_RANGE}|{_POINT}|{_ALL_DAY}|{_BY_APPOINTMENT}")

_CLOSED = any_case(
    rf"(?<!\w){alternatives('hours', 'closed')}(?!\w)",
)
# A day of a year: then it is an event, a deadline, a meeting.
_DATED = any_case(
    r"[0-3]?[0-9][./][01]?[0-9][./](?:20)?[0-9]{2}|\b20[0-9]{2}\b"
    rf"|\b{alternatives('hours', 'month_before_day')}\.?\s[0-3]?[0-9]\b"
    rf"|\b[0-3]?[0-9](?:\.|st|nd|rd|th|er| de)?\s{alternatives('hours', 'month_behind_day')}\b",
)
# Hours of something else than the office: services of worship, telephones, courses, seasons of donation.
_NOT_THE_DOOR = any_case(
    rf"(?<!\w){alternatives('hours', 'of_something_else')}(?!\w)",
)
_LABEL = any_case(
    rf"^\W{{0,3}}{alternatives('hours', 'label')}\s?(?:[:–—-]\s?|\s(?=\S))",
)
_DIGIT = re.compile(r"[0-9]")
_ASIDE = re.compile(r"\s\([^()]{0,80}\)\W{0,2}$")
_SENTENCE = any_case(
    r"(?<=[^\W\d_]{3}[.!?])(?<!(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim|seg|ter|qua|qui|sex)\.)"
    r"(?<!(?:tues|hurs)\.)\s+(?=\S)|(?<=[)][.])\s+|;\s+|\s[|·•]\s"
)
_CLAUSE_END = re.compile(rf"[.;(]|,\s{alternatives('hours', 'goes_on')}", re.IGNORECASE)


# Words behind days and times that belong to them ("of each month", "only"); what goes on behind these is
# another matter.
_BELONGS = any_case(rf"(?:[\s,]{{1,2}}{alternatives('hours', 'belongs')}(?!\w))*")
# Characters between a day and its time, or the next rule; what is farther apart is another matter.
_APART = 60
# A word beside days and labels that makes their line one of something else.
_ANOTHER_WORD = any_case(rf"(?<!\w)(?!{alternatives('hours', 'beside')}\w{{0,2}}(?!\w))[^\W\d_]{{4,}}")
# The part of a day to which a line of times belongs.
_PART_OF_DAY = any_case(rf"(?:in the )?{alternatives('hours', 'part_of_day')}\s?:?\s?")
# Characters of a line that is nothing but times or days, and lines from a rule to the next of its table.
_LONGEST_TIMES = 40
_NEXT_RULE = 4
# Characters of a line that tells hours without a number: "Mondays by appointment".
_LONGEST_WORDED = 200


def find(lines: Sequence[str]) -> list[InLines]:
    """Groups of rules that stand together, in the order of the page."""
    groups: list[InLines] = []
    above = waiting = ""
    for number, line in enumerate(lines[:_MOST_LINES]):
        last = groups[-1] if groups else None
        rules = _rules(line[:_LONGEST_LINE]) or _rules_below(above, line)
        below = [] if rules else _rules_above(waiting, line)
        if below and last is not None and last.first_line == number - 1:  # its times alone, below "Open"
            groups.pop()
            last = groups[-1] if groups else None
        rules = rules or below
        waiting = line if _is_times(line) and not any(map(has_days, rules)) else ""
        if not (_is_label(line) and _HAS_DAYS.are_in(above)):  # "Jours", the days, "Horaires", the times
            above = line
        if rules:
            value = "; ".join(rules)
            if last is None or not _are_together(lines, last.last_line, number):
                groups.append(InLines(value, number, number))
            elif value not in last.value and last.value.count(";") < _MOST_RULES:
                groups[-1] = InLines(f"{last.value}; {value}", last.first_line, number)
        elif last is not None and last.last_line == number - 1 and _is_times(line):
            groups[-1] = InLines(f"{last.value}, {line.strip(' .;')}", last.first_line, number)
            waiting = ""
    return groups


def has_days(rule: str) -> bool:
    """Whether a rule says on which days, and not only "24/7"."""
    return _DAYS.search(rule) is not None


def names_no_other(rule: str) -> bool:
    """Whether nothing is named before the days of a rule, whose hours it would tell: "Training: Mo 16-18"."""
    text = _LABEL.sub("", rule)
    first = _DAYS.search(text)
    return first is not None and not _ANOTHER_WORD.search(text[: first.start()])


def _are_together(lines: Sequence[str], last: int, number: int) -> bool:
    """Whether nothing stands between two rules but days, and days that are closed."""
    return number - last <= _NEXT_RULE and all(map(_is_empty, lines[last + 1 : number]))


def _is_empty(line: str) -> bool:
    if len(line) > _LONGEST_TIMES:
        return False
    return bool(_CLOSED.search(line)) or not _ANOTHER_WORD.search(_DAYS.sub(" ", line))


def _is_label(line: str) -> bool:
    return len(line) <= _LONGEST_TIMES and _LABEL.fullmatch(f"{line.strip(' :')}: ") is not None


def _is_times(line: str) -> bool:
    """Whether a line is nothing but times."""
    if len(line) > _LONGEST_TIMES or not _DIGIT.search(line):
        return False
    part = _PART_OF_DAY.match(line)
    return _TIMES.fullmatch(line[part.end() if part else 0 :].strip(" .;")) is not None


def _rules(line: str) -> list[str]:
    is_worded = _DIGIT.search(line) is None
    if (is_worded and len(line) > _LONGEST_WORDED) or not _tells_time(line):
        return []
    if is_worded and not _ALWAYS_OPEN.search(line) and not _HAS_DAYS.are_in(line):
        return []
    rules: list[str] = []
    for sentence in _SENTENCE.split(line):
        if rules and _TIMES.fullmatch(sentence.strip()):  # Lundi 10h - 14h • 15h - 19h
            rules[-1] += f", {sentence.strip()}"
        elif rule := _rule(sentence.strip()):
            rules.append(rule)
    return rules


def _rules_below(above: str, line: str) -> list[str]:
    """Of a line that is nothing but times, below one with its days or with the word for opening hours."""
    if not _is_times(line) or len(above.split()) > _SHORT_LINE or _TIMES.search(above):
        return []
    if _ANOTHER_WORD.search(_DAYS.sub(" ", _LABEL.sub("", f"{above.strip(' :')}: "))):
        return []
    return _rules(f"{above.rstrip(' :')} {line.strip(' .;')}")


def _rules_above(times: str, line: str) -> list[str]:
    """Of a line that is nothing but days, below one with their times: "9 am - 2 pm", "Tuesdays only"."""
    if not times or len(line) > _LONGEST_TIMES or _DAYS.match(line) is None or _DIGIT.search(line):
        return []
    if _ANOTHER_WORD.search(_DAYS.sub(" ", line)):
        return []
    return [f"{line.strip(' .;:')} {times.strip(' .;')}"]


def _tells_time(line: str) -> bool:
    lowered = line.lower()
    for quick in _MAY_TELL:
        if quick.are_in_small(lowered):
            return _HAS_TIMES.are_in_small(lowered)
    return False


def _rule(sentence: str) -> str | None:
    """The rule in a sentence, without label and whatever else it says."""
    if _DATED.search(sentence) or _NOT_THE_DOOR.search(sentence):
        return None
    always = _ALWAYS_OPEN.search(sentence)
    days, times = _day_in(sentence), _TIMES.search(sentence)
    if always is not None:
        return _always(sentence, always)
    if (
        days is not None
        and times is None
        and _APPOINTMENT.search(sentence)
        and len(sentence.split()) <= _SHORT_LINE
    ):
        return _LABEL.sub("", sentence).strip(" .,:")
    if times is None or (days is None and _OPEN.search(sentence) is None):
        return None
    bare = _ASIDE.sub("", _LABEL.sub("", sentence)).strip(" .,:")
    if len(bare.split()) <= _SHORT_LINE and (days is None or _begins(bare)):
        return _clause(bare, 0) if _HAS_DAYS.are_in(bare) else bare or None
    start = min((days or times).start(), times.start())
    if days is not None and max(days.start(), times.start()) - min(days.end(), times.end()) > _APART:
        return None
    return _clause(sentence, start)


def _day_in(sentence: str) -> re.Match[str] | None:
    """The first day; a small word of two letters is one in a short line only ("so", "do", "mi")."""
    is_short = len(sentence.split()) <= _SHORT_LINE
    found = _DAYS.finditer(sentence)
    return next((one for one in found if is_short or len(one[0]) > 2 or one[0][0].isupper()), None)


def _begins(text: str) -> bool:
    """Whether the text begins with its rule, or with a word or two that belong to it: `Second Tuesday`."""
    found = [match.start() for match in (_DAYS.search(text), _TIMES.search(text)) if match is not None]
    return bool(found) and len(text[: min(found)].split()) <= 3


def _always(sentence: str, always: re.Match[str]) -> str | None:
    opened = _OPEN.search(sentence[: always.start()])
    if opened is None and len(sentence.split()) > _SHORT_LINE:
        return None
    start = opened.start() if opened is not None and opened[0].lower() == "open" else always.start()
    return _clause(sentence, start)


def _clause(sentence: str, start: int) -> str | None:
    """From the start of the rule to the end of what it says."""
    matches = [match for pattern in (_DAYS, _TIMES, _ALWAYS_OPEN) for match in pattern.finditer(sentence)]
    last = start
    for match in sorted(matches, key=lambda one: one.start()):
        if last == start or match.start() - last <= _APART:
            last = max(last, match.end())
    ends = _CLAUSE_END.search(sentence, last)
    end = ends.start() if ends is not None else len(sentence)
    behind = _BELONGS.match(sentence, last, end)
    return sentence[start : behind.end() if behind else end].strip(" .,:;()") or None


def by_appointment(line: str) -> str | None:
    """`by appointment only`, in the words of the line."""
    found = _APPOINTMENT.search(line)
    return found[0] if found is not None else None
