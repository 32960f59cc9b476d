"""Who may apply or come: the shortest faithful piece of the sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from surveyor.extract.lexicon import alternatives, any_of, cues, patterns, plain, sentences, words

# Characters of an answer: shorter is a slip, longer is a whole paragraph.
_SHORTEST, _LONGEST = 4, 260
# Characters of a note on a card that is nothing but an answer.
_LONGEST_NOTE: Final = 90
# Characters and sentences of a text that are looked at, and sentences that may answer a label.
_LOOKED_AT, _MOST_SENTENCES, _MOST_LABELLED = 2_000, 12, 4

_HOLES: Final = {
    "who": r"(?P<who>.{4,400})",
    # From the beginning of a sentence, unless that speaks to the reader or of each single one.
    "lead": r"(?!each|every|jede|pro|je|все|chaque|fiecare|καθε|cada|you|sie|du|ihr|wir|we|вие|ние|vous|nous"
    r"|noi|it|this|that|these|as|if|wenn|ако|si|daca|αν)(?P<who>[^:]{4,240}?)",
    "to": "(?:to|an|на|aux?|a|pentru|σε|στουσ)",
    "for": "(?:for|fur|за|pour|pentru|για|para)",
}
_SAID: Final = patterns("applicants", "said", **_HOLES)
_NOTED: Final = patterns("applicants", "noted", **_HOLES)
# Money, and in the same sentence somebody it is for: "assistance is available under this plan to families".
_SUPPORTED: Final = (
    re.compile(
        f"{any_of((*words('records', 'clear_offer'), *words('applicants', 'aid')))}"
        + f"[^.]{{0,90}}?(?<!up) (?:{_HOLES['to']}|{_HOLES['for']}) (?=(?P<who>.{{4,200}}))"
    ),
)
_CONDITIONS: Final = re.compile(alternatives("applicants", "conditions"))
_TAIL: Final = re.compile(alternatives("applicants", "tail"))
_CLAUSE: Final = re.compile(alternatives("applicants", "clause"))
_NOT_WHO: Final = re.compile(alternatives("applicants", "not_who"))
_BUT: Final = re.compile(r",? (?:but|aber|mais|но|dar|αλλά|pero) ")
# Characters after which a clause that tells more is left out.
_ENOUGH: Final = 40
# Words at the beginning of whom a giver supports among which people or bodies are named.
_FIRST_WORDS: Final = 5
_TRIM: Final = " \t,.;:!·–—-|"
# What stands in brackets in the middle of whom a sentence names.
_ASIDE: Final = re.compile(r"\([^()]{1,200}\)(?=,? \w)")


def applicants_in(text: str, *, is_brief: bool = False) -> str | None:
    """Who may apply, if one of the sentences says so; `is_brief` also reads notes that are no sentences."""
    for sentence in sentences(text[:_LOOKED_AT])[:_MOST_SENTENCES]:
        answers = list(_answers(sentence, _SAID))
        if answers:  # one that names people, if there is one
            return next(filter(names_applicants, answers), answers[0])
        noted = _answers(sentence, _NOTED) if is_brief else ()
        if answer := next(filter(names_applicants, noted), None):
            return answer
    return None


def supported_in(text: str) -> str | None:
    """Whom the giver says it supports."""
    for sentence in sentences(text[:_LOOKED_AT])[:_MOST_SENTENCES]:
        for answer in _answers(sentence, _SUPPORTED):
            if names_applicants(" ".join(answer.split()[:_FIRST_WORDS])):
                return answer
    return None


def answer_in(sentence: str) -> str | None:
    """The piece of one sentence that names who may apply or is supported."""
    said = list(_answers(sentence, _SAID)) or list(_answers(sentence, _SUPPORTED))
    return next(filter(names_applicants, said), None)


def says_who(sentence: str) -> bool:
    """Whether a sentence is made to say who may apply, however long it takes."""
    return any(names_applicants(named) for named in _named(sentence, _SAID))


def says_supported(sentence: str) -> bool:
    """Whether a sentence names money and then for whom it is."""
    firsts = (" ".join(named.split()[:_FIRST_WORDS]) for named in _named(sentence, _SUPPORTED))
    return any(map(names_applicants, firsts))


def _named(sentence: str, ways: Iterable[re.Pattern[str]]) -> Iterator[str]:
    flat = plain(sentence)
    for match in (found for way in ways for found in way.finditer(flat)):
        named = match["who"].strip(_TRIM)
        if not _NOT_WHO.match(named):
            yield named


def states_conditions(sentence: str) -> bool:
    """Whether a sentence says what applicants must be: "To qualify, a person must be at least 60"."""
    return bool(_CONDITIONS.search(plain(sentence)))


def refuses(text: str) -> bool:
    """Whether it says who gets nothing."""
    return bool(text) and bool(cues("applicants", "refused").search(plain(text)))


def unrefused(sentence: str) -> str:
    """The sentence; of one that says who gets nothing, the clause that does not; empty without one."""
    if not refuses(sentence):
        return sentence
    clauses = (*sentence.split(";"), *filter(says_who, _BUT.split(sentence)))
    return next((one.strip() for one in clauses if one.strip() and not refuses(one)), "")


def labelled_applicants(text: str) -> str | None:
    """What stands under "Who can apply?": the sentence that says so, or what the first one tells."""
    answering = list(filter(None, map(unrefused, sentences(text[:_LOOKED_AT])[:_MOST_LABELLED])))
    first = next(filter(says_who, answering), answering[0] if answering else "")
    return applicants_in(first, is_brief=True) or _cut(first, plain(first))


def noted_applicants(text: str) -> str | None:
    """A note of a card that is nothing but who may apply: "Micro and small companies"."""
    if len(text) > _LONGEST_NOTE or text.endswith((":", "?", "!")) or len(sentences(text)) > 1:
        return None
    return _cut(text, plain(text)) if names_applicants(text[: _LONGEST_NOTE // 2]) else None


def names_applicants(text: str) -> bool:
    """Whether people or bodies that could apply are named in a piece."""
    return bool(cues("records", "applicants").search(plain(text)))


def _answers(sentence: str, ways: Iterable[re.Pattern[str]]) -> Iterator[str]:
    flat = plain(sentence)
    for match in (found for way in ways for found in way.finditer(flat)):
        if answer := _cut(sentence[slice(*match.span("who"))], match["who"]):
            yield answer


def _cut(original: str, flat: str) -> str | None:
    outside = _ASIDE.sub(lambda aside: "_" * len(aside[0]), flat)
    ends = [match.start() for match in (_TAIL.search(outside, 12), _CLAUSE.search(outside, _ENOUGH)) if match]
    if ends:
        original, flat = original[: min(ends)], flat[: min(ends)]
    answer = original.strip(_TRIM)
    if not _SHORTEST <= len(answer) <= _LONGEST or _NOT_WHO.match(flat.strip(_TRIM)):
        return None
    return answer


_MOST_WORDS: Final = 30
_ASKS: Final = re.compile(alternatives("applicants", "asks") + r"\W*")
_PEOPLE_EN = (
    r"(?:anyone|anybody|everyone|everybody|all|any|residents|people|persons|individuals|families|adults|"
    r"children|kids|seniors|"
    r"older|young|youth|teens?|teenagers|women|men|girls|boys|students|veterans|households|immigrants|"
    r"refugees|low-income|"
    r"homeless|unhoused|uninsured|parents|mothers|fathers|patients|those|neighbors|neighbours|workers|"
    r"tenants|renters|survivors|"
    r"victims|newcomers|members of|anyone's|carers|caregivers|unemployed|disabled|lgbtq\S*)"
)
_ELIGIBLE: Final = (
    re.compile(
        rf"\b(?:serv(?:es?|ing)|for|open to|available to|welcomes?|we (?:see|help|serve|support|treat|feed|"
        rf"assist|welcome)|"
        rf"sit(?:s)? down with|offered to|provided to|free to|limited to|intended for|helps?|supports?|"
        rf"beds for|"
        rf"care for|advice to|aimed at|(?:no cost|free of charge|free|care|help|services|support|assistance|"
        rf"meals|food|clothes) to)\s(?P<who>(?:(?:the|all|any|low-income|local|single|pregnant|"
        rf"\w+ County) )?{_PEOPLE_EN}\b[^.;:!?]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:für|an|offen für|willkommen sind|steht|richtet sich an|beraten|unterstützen|helfen|begleiten|"
        r"unterstützt|versorgt|versorgen|dient|erhalten|bekommen|kommen (?:kann|können|dürfen))\s"
        r"(?:neben \w+ auch )?(?P<who>(?:hilf\w*bedürftige\w?|empfänger\w*|bezieher\w*|rentner\w*|"
        r"[\w ]{2,9}-empfänger\w*|alle|jede[rn]?|menschen|personen|familien|kinder|jugendliche|junge|frauen|"
        r"männer|mädchen|senior\w+|ältere|"
        r"geflüchtete|bedürftige|obdachlose|wohnungslose|eltern|alleinerziehende|schwangere|mütter|"
        r"erwachsene|betroffene|"
        r"arbeitslose|studierende|mieter\w*|kranke|angehörige|wer\b|bürger\w*|anwohner\w*)\b[^.;:!?]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:\b(?:pour|ouverte? à|réservée? (?:à|aux)|accueille(?:ns|nt)?|accueillons|s.adresse (?:à|aux)|"
        r"destinée? (?:à|aux)|aidons|aident?|"
        r"recevons|reçoi(?:t|vent)|aux)\s)(?P<who>(?:tou(?:te|t|s|tes) |les |des |aux )?(?:personnes?|tous|"
        r"toutes|familles|enfants|jeunes|femmes|hommes|"
        r"seniors|aînés|habitants|étudiant\w*|parents|adultes|réfugiés|migrants|demandeurs|sans-abri|"
        r"victimes|locataires|"
        r"publics?|mères|retraités|patients|celles et ceux|ceux qui)\b[^.;:!?]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:за|приема(?:ме)?|помага(?:ме)? на|предназначен\w{0,2} (?:е )?за|обслужва(?:ме)?|"
        r"подкрепя(?:ме)?|настанява(?:ме)?|ползват|"
        r"достъпн\w{1,2} (?:е )?за)\s(?P<who>(?:всички|всеки|хора|хората|лица|жени|мъже|деца|децата|"
        r"семейства|възрастни|младежи|"
        r"майки|родители|ученици|студенти|бездомни|пенсионери|самотни|пострадали|бежанци|безработни|пациенти|"
        r"нуждаещи|жители|"
        r"граждани|болни|бременни)\b[^.;:!?]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:pentru|primim|primește|ajută|ajutăm|sprijină|sprijinim|se adresează|destinat[ăe]?|oferit[ăe]?|"
        r"găzduiește|găzduim)\s"
        r"(?P<who>(?:toți|toate|oricine|orice|persoane(?:le|lor)?|familii(?:le)?|copii(?:i|lor)?|tineri(?:i|"
        r"lor)?|femei(?:le|lor)?|bărbați|"
        r"vârstnici\w*|seniori|elevi|studenți|mame|părinți|victime\w*|refugiați|adulți|pacienți|locuitori\w*|"
        r"pensionari)\b[^.;:!?]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:\b|^)(?:για|σε|απευθύνεται σε|δέχεται|δεχόμαστε|εξυπηρετεί|εξυπηρετούμε|φιλοξενεί|υποστηρίζει|"
        r"βοηθάμε|αφορά)\s"
        r"(?P<who>(?:όλους|όλες|κάθε|άτομα|ανθρώπους|οικογένειες|παιδιά|νέους|γυναίκες|άνδρες|ηλικιωμένους|"
        r"άστεγους|άνεργους|"
        r"ανασφάλιστους|γονείς|μητέρες|πρόσφυγες|κατοίκους|δημότες|πολίτες|μαθητές|φοιτητές|θύματα|όσους|"
        r"ασθενείς|ενήλικες)\b[^.;·:!?]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:para|a|atendemos a|atiende a|ayudamos a|servimos a|dirigid[oa] a|abiert[oa] a|recibimos a|"
        r"destinad[oa] a)\s"
        r"(?P<who>(?:tod[oa]s? (?:las |los )?|cualquier |las |los )?(?:cualquiera|personas?|familias|"
        r"niñ[oa]s|jóvenes|mujeres|hombres|adultos|mayores|"
        r"residentes|vecinos|estudiantes|padres|madres|inmigrantes|refugiados|víctimas|pacientes|quienes|"
        r"trabajador\w+)\b[^.;:!?]*)",
        re.IGNORECASE,
    ),
)
# Who it is for stands at the beginning of the sentence.
_ELIGIBLE_FIRST = re.compile(
    rf"(?:^|[.!?]\s)(?P<who>{_PEOPLE_EN}\b[^.;:!?]{{0,120}}?)\s(?:can|may|are welcome|is welcome|qualify|"
    rf"qualifies|are eligible|is eligible)\b|"
    r"(?:^|[.!?]\s)(?P<who_de>(?:alle|jeder|menschen|personen|familien)\b[^.;:!?]{0,120}?)\s(?:können|kann|"
    r"dürfen|sind willkommen)\b|"
    r"(?:могат да (?:ползват|кандидатстват|дойдат|бъдат настанени)|peuvent (?:venir|bénéficier|s.inscrire)|"
    r"pot (?:veni|beneficia)|"
    r"pueden (?:venir|acudir|recibir)|μπορούν να (?:έρθουν|εξυπηρετηθούν))\s(?P<who_after>[^.;:!?]{3,160})",
    re.IGNORECASE,
)
# Pictures and bullets before the words of a heading.
_SIGNS: Final = re.compile(r"^\W+|\s+$")
_LANGUAGES: Final = ("en", "de", "fr", "bg", "ro", "el", "es")
# Where a sentence goes on to something else.
_GOES_ON = re.compile(
    r"\s(?:and|und|et|и|și|και|y)\s(?:we\b|charge|offer|provide|give|ask|it\b|bieten|wir\b|nous\b|предлага|"
    r"ние\b|oferim|προσφέρ|ofrecemos)|"
    r",\s(?:no\b|we\b|and we|за срок|no matter where|free of charge|kostenlos|gratuitement|безплатно|gratuit|"
    r"δωρεάν|gratis|bei uns)|"
    r"\s[–—]\s|\s\(",
    re.IGNORECASE,
)


def asks_who(label: str) -> bool:
    """Whether a label or heading announces for whom something is."""
    return _ASKS.fullmatch(plain(_SIGNS.sub("", label))) is not None


def phrase_in(sentence: str, language: str | None) -> str:
    """Whom a sentence says that something is for."""
    place = _LANGUAGES.index(language) if language in _LANGUAGES else 0
    for pattern in (_ELIGIBLE[place], _ELIGIBLE_FIRST):
        for match in pattern.finditer(sentence):
            who = _GOES_ON.split(match[match.lastgroup or "who"])[0].strip(" ,")
            if 1 <= len(who.split()) <= _MOST_WORDS:
                return who
    return ""
