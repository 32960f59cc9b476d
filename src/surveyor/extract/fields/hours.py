"""Opening hours in lines of text, in the words a reader sees: days with times, always open, by appointment.

A line, a row of a table or a sentence that names days and times is a rule; rules that stand together are
joined with "; ". Dates make an event of it, and that is none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from surveyor.extract.fields.found import InLines
from surveyor.words.patterns import Phrases, any_case

# Lines of one page that are looked at, and characters of each.
_MOST_LINES = 1_500
_LONGEST_LINE = 600
# Rules of one place: two a day are many.
_MOST_RULES = 14
# Words of a line that is a rule by itself; longer ones are sentences, from which the rule is taken.
_SHORT_LINE = 12

_DAY = (
    r"mon(?:day)?s?|tue(?:s|sday)?s?|wed(?:s|nesday)?s?|thu(?:r|rs|rsday)?s?|fri(?:day)?s?|sat(?:urday)?s?|"
    r"sun(?:day)?s?|"
    r"montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonnabends?|sonntags?|mo|di|mi|do|fr|"
    r"sa|so|"
    r"lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|lun|mar|mer|jeu|ven|sam|dim|"
    r"понеделник|вторник|сряда|четвъртък|петък|събота|неделя|понед|пон|пн|вт|ср|чет|четв|чт|пет|пт|съб|сб|"
    r"нед|нд|"
    r"luni|marți|marti|miercuri|joi|vineri|sâmbătă|sambata|duminică|duminica|"
    r"δευτέρα|δευτέρες|τρίτη|τετάρτη|πέμπτη|παρασκευή|σάββατο|κυριακή|δευ|τρι|τετ|πεμ|πέμ|παρ|σαβ|σάβ|κυρ|"
    r"lunes|martes|miércoles|miercoles|jueves|viernes|sábados?|sabados?|domingos?|mié|mie|jue|vie|sáb|"
    # Languages without other word lists: their days are few, and enough to read a table of hours.
    r"luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi]|sabato|domenica|"
    r"maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|"
    r"(?:segunda|terça|quarta|quinta|sexta)-feira|"
    r"poniedziałek|wtorek|środa|czwartek|piątek|sobota|niedziela|pondělí|úterý|středa|čtvrtek|pátek|neděle|"
    r"m[åa]ndag|ti(?:s|rs)dag|onsdag|torsdag|fredag|l[öø]rdag|s[öø]ndag|"
    r"понедельник|среда|четверг|пятница|суббота|воскресенье|"
    r"senin|selasa|rabu|kamis|jumat|sabtu|minggu"
)
_DAILY = (
    r"every ?day|daily|weekdays|weekends?|each day|seven days a week|täglich|werktags|wochentags|jeden tag|"
    r"an werktagen|"
    r"tous les jours|en semaine|chaque jour|все?ки ден|ежедневно|делник|в делнич\w{0,4} дни|делнични дни|"
    r"работни дни|"
    r"в работни дни|събота и неделя|zilnic|în fiecare zi|zilele lucrătoare|în zilele lucrătoare|l-v|l–v|"
    r"καθημερινά|κάθε μέρα|εργάσιμες(?: ημέρες)?|σαββατοκύριακα?|todos los días|diario|diariamente|a diario|"
    r"de lunes a \w{4,9}|tutti i giorni|ogni giorno|dagelijks|todos os dias|codziennie|"
    r"m ?[-–] ?(?:f|th|sat?)|ma ?[-–] ?(?:vr|za)|pon ?[-–] ?pt|seg(?:unda)? ?[-–aà] ?(?:sex(?:ta)?|sábado)"
)
_ALWAYS = (
    r"24 ?/ ?7|24 hours|24-hours?|24h|around the clock|day and night|денонощно|24 часа|rund um die uhr|"
    r"24 stunden|"
    r"24 ?h ?(?:/|sur) ?24|jour et nuit|non-?stop|24 de ore|όλο το 24ωρο|24 ?ωρ\w{1,4}|las 24 horas|24 horas|"
    r"always open"
)
_NAMED_TIME = r"noon|midnight|mittags?|midi|обяд|prânz|μεσημέρι|mediodía|medianoche|mitternacht"
_TIME = (
    r"(?:[01]?[0-9]|2[0-4])(?:[:.h][0-5][0-9]| h [0-5][0-9])?\s?(?:a\.?m\.?|p\.?m\.?|uhr|uur|h|ч\.?|часа|ώρα|"
    rf"μ\.μ\.|π\.μ\.|noon)?|{_NAMED_TIME}"
)
_SPOKEN = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight"
_TO_WORDS = r"[-–—]|to|till?|until|bis|à|a|до|έως|ως|μέχρι|până la|hasta|and|y|la|alle|tot|às"
_TO = rf"\s{{0,2}}(?:{_TO_WORDS})(?:\s(?:las|la))?\s{{0,2}}"
_UNJOINED = r"(?<!\w)"
_RANGE = (
    rf"(?:(?<![\w.,€$])(?:{_TIME}){_TO}(?:{_TIME})(?![\w€$%]|[.,][0-9]))|\b(?:{_SPOKEN}){_TO}(?:{_SPOKEN})\b"
    rf"|\b(?:zwischen|entre|между|între|intre|μεταξύ)\s(?:orele )?(?:{_TIME})\s"
    rf"(?:und|et|и|[sșş]i|και)\s(?:{_TIME})(?![\w€$%])"
)
_POINT = (
    r"(?:ab|from|à partir de|от|de la|από|desde)\s(?:[01]?[0-9]|2[0-3])(?:[:.h][0-5][0-9])?\s?"
    r"(?:a\.?m\.?|p\.?m\.?|uhr|h|ч)" + rf"(?:{_TO}(?:{_TIME})(?![\w€$%]))?"
)

_A_DAY = rf"(?<![\w.])(?:{_DAY}|{_DAILY})(?!\w)\.?"
_ALL_DAY = rf"(?<!\w)(?:{_ALWAYS})(?!\w)"
_DAYS, _TIMES, _ALWAYS_OPEN = any_case(_A_DAY), any_case(f"{_RANGE}|{_POINT}"), any_case(_ALL_DAY)
_OPEN = any_case(
    r"(?<!\w)(?:open(?:ing)?|hours|geöffnet|öffnungszeiten|sprechzeiten|sprechstunden?|ouverte?s?|horaires?|"
    r"работно време|"
    r"работи(?:м)?|отворен\w{0,2}|приемно време|program(?:ul)?|orar(?:ul)?|deschis\w?|ανοιχτ\w{1,3}|"
    r"ανοικτ\w{1,3}|ωράριο|"
    r"ώρες|λειτουργ\w{1,5}|abiert\w{1,2}|horario|atendemos|atención|"
    r"apert\w{1,3}|orari|geopend|openingstijden|aberto|horário)(?!\w)",
)
_BY_APPOINTMENT = (
    r"(?<!\w)(?:by appointment(?: only)?|nur nach (?:termin)?vereinbarung|nach (?:termin)?vereinbarung|"
    r"sur rendez-vous|"
    r"с предварително записване|по уговорка|cu programare|pe bază de programare|κατόπιν ραντεβού|με ραντεβού|"
    r"con cita previa)"
)
_APPOINTMENT = any_case(_BY_APPOINTMENT)
_HAS_DAYS = Phrases(_A_DAY)
# Most lines tell no time. These say so quickly: a number or a spoken hour before a word for "to", or words of
# their own; without a condition on what stands before, the engine jumps to where one of them can begin.
_MAY_TELL = (
    Phrases(rf"[0-9][^0-9]{{0,12}}?(?:{_TO_WORDS})"),
    Phrases(rf"(?:{_SPOKEN}|{_NAMED_TIME}){_TO}"),
    Phrases(r"(?:zwischen|entre|между|între|intre|μεταξύ)\s(?:orele )?[0-9]"),
    Phrases(rf"{_POINT}|{_ALWAYS}|{_BY_APPOINTMENT.removeprefix(_UNJOINED)}"),
)
_HAS_TIMES = Phrases(f"{_RANGE}|{_POINT}|{_ALL_DAY}|{_BY_APPOINTMENT}")

_CLOSED = any_case(
    r"(?<!\w)(?:closed|geschlossen|ruhetag|fermée?|затворено|почивен ден|închis|κλειστ\w{1,3}|cerrado|"
    r"chiuso|gesloten|dicht|fechado|tutup)(?!\w)",
)
# A day of a year: then it is an event, a deadline, a meeting.
_DATED = any_case(
    r"[0-3]?[0-9][./][01]?[0-9][./](?:20)?[0-9]{2}|\b20[0-9]{2}\b|"
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december|jan|feb|apr|jun|"
    r"jul|aug|sept?|"
    r"oct|nov|dec|januar|februar|märz|juni|juli|oktober|dezember|janvier|février|avril|juin|juillet|août|"
    r"septembre|octobre|"
    r"novembre|décembre|януари|февруари|март|април|май|юни|юли|август|септември|октомври|ноември|декември|"
    r"ianuarie|"
    r"februarie|martie|aprilie|iunie|iulie|septembrie|octombrie|noiembrie|decembrie|"
    r"enero|febrero|abril|junio|julio|septiembre|octubre|noviembre|diciembre)\.?\s[0-3]?[0-9]\b|"
    r"\b[0-3]?[0-9](?:\.|st|nd|rd|th|er| de)?\s(?:january|february|march|april|may|june|july|august|"
    r"september|october|"
    r"november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|"
    r"juillet|août|"
    r"janv|septembre|octobre|novembre|décembre|януари|февруари|март|април|май|юни|юли|август|септември|"
    r"октомври|ноември|"
    r"декември|ianuarie|februarie|martie|aprilie|iunie|iulie|septembrie|octombrie|noiembrie|decembrie|"
    r"ιανουαρίου|"
    r"φεβρουαρίου|μαρτίου|απριλίου|μαΐου|ιουνίου|ιουλίου|αυγούστου|σεπτεμβρίου|οκτωβρίου|νοεμβρίου|"
    r"δεκεμβρίου|enero|"
    r"febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b",
)
# Hours of something else than the office: services of worship, telephones, courses, seasons of donation.
_NOT_THE_DOOR = any_case(
    r"(?<!\w)(?:mass|worship|gottesdienst|messe|литургия|liturghie|λειτουργία:|misa|training|course|kurs|"
    r"workshop|event|"
    r"veranstaltung|event\w?|deadline|frist|donation drop|spendenannahme|spenden abgeben|dépôt des dons|"
    r"parish office|"
    r"pfarrbüro|hotline|technical|technische)(?!\w)",
)
_LABEL = any_case(
    r"^\W{0,3}(?:(?:our |the |unsere |nos |nuestro )?(?:opening |business |office |store |pantry |clinic |"
    r"shop |visiting |food )?"
    r"(?:hours|times|schedule)(?: of operation)?|open|when|öffnungszeiten|sprechzeiten|sprechstunden?|"
    r"geöffnet|wann|horaires?"
    r"(?: d.ouverture)?|ouverte?|quand|работно време|кога|приемно време|отворено|работим|"
    r"program(?:ul)?(?: cu publicul| de lucru)?|"
    r"orar(?:ul)?|deschis|când|ωράριο(?: λειτουργίας)?|ώρες(?: λειτουργίας)?|ανοιχτά|πότε|λειτουργία|"
    r"horario(?: de \w{4,12})?|"
    r"abierto|cuándo)\s?(?:[:–—-]\s?|\s(?=\S))",
)
_DIGIT = re.compile(r"[0-9]")
_ASIDE = re.compile(r"\s\([^()]{0,80}\)\W{0,2}$")
_SENTENCE = any_case(
    r"(?<=[^\W\d_]{3}[.!?])(?<!(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim)\.)"
    r"(?<!(?:tues|hurs)\.)\s+(?=\S)|(?<=[)][.])\s+|;\s+|\s[|·•]\s"
)
_CLAUSE_END = re.compile(
    r"[.;(]|,\s(?:later|but |except|sonst|и |then|call|sauf|außer|tel|тел|τηλ|phone|and we)", re.IGNORECASE
)


# Words behind days and times that belong to them ("of each month", "only"); what goes on behind these is
# another matter.
_BELONGS = any_case(
    r"(?:[\s,]{1,2}(?:only|of|the|each|every|month|week|uhr|h|nur|im|monat|jeden|du|mois|de|chaque|del|mes|на|"
    r"месеца|всеки|lunii|din|του|μήνα|by appointment|closed|geschlossen|horas|hrs|365|days?|"
    r"year|a|без почивен ден|open|geöffnet|ouvert|abierto|"
    r"[ap]\.m\.?)(?!\w))*"
)
# Characters between a day and its time, or the next rule; what is farther apart is another matter.
_APART = 60
# A word beside days and labels that makes their line one of something else.
_ANOTHER_WORD = any_case(
    r"(?<!\w)(?!(?:through|until|open|hours|morning|afternoon|evening|every|each|only|first|second|third|fourth|"
    r"last|month|summer|winter|jede|vormittag|nachmittag|abend|matin|après|midi|soir|chaque|всек|сутрин|следобед|fiecare|"
    r"κάθε|πρωί|cada|mañana|tarde|mois|monat)\w{0,2}(?!\w))[^\W\d_]{4,}"
)
# The part of a day to which a line of times belongs.
_PART_OF_DAY = any_case(
    r"(?:in the )?(?:morning|afternoon|evening|vormittags?|nachmittags?|abends?|matin|après-midi|soir|"
    r"mattina|pomeriggio|mañanas?|tardes?)\s?:?\s?"
)
# Characters of a line that is nothing but times or days, and lines from a rule to the next of its table.
_LONGEST_TIMES = 40
_NEXT_RULE = 4
# Characters of a line that tells hours without a number: "Mondays by appointment".
_LONGEST_WORDED = 200


def find(lines: Sequence[str]) -> list[InLines]:
    """Groups of rules that stand together, in the order of the page."""
    groups: list[InLines] = []
    above = ""
    for number, line in enumerate(lines[:_MOST_LINES]):
        last = groups[-1] if groups else None
        rules = _rules(line[:_LONGEST_LINE]) or _rules_below(above, line)
        if not (above and _is_label(line)):  # "Jours", the days, "Horaires", the times
            above = line
        if rules:
            value = "; ".join(rules)
            if last is None or not _are_together(lines, last.last_line, number):
                groups.append(InLines(value, number, number))
            elif value not in last.value and last.value.count(";") < _MOST_RULES:
                groups[-1] = InLines(f"{last.value}; {value}", last.first_line, number)
        elif last is not None and last.last_line == number - 1 and _is_times(line):
            groups[-1] = InLines(f"{last.value}, {line.strip(' .;')}", last.first_line, number)
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
