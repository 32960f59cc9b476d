"""What a service offers, when, and to whom: opening hours, eligibility and categories in the page's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from surveyor.extract import structured
from surveyor.extract.contacts.channels import Channels, Place, source_of
from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.fields import hours as hours_fields
from surveyor.extract.fields.normalize import plain
from surveyor.extract.fields.sentences import sentences
from surveyor.extract.lexicon import cues
from surveyor.extract.structured import Item
from surveyor.extract.values import Field, Source

_LONGEST_QUOTE = 300
# Words of a category; longer items are sentences.
_CATEGORY_WORDS = 4
_MOST_CATEGORIES = 15
_MOST_ELIGIBILITY = 30  # words

_WHAT = re.compile(
    r"(?:what (?:we|you|is) (?:do|offer|provide|can get|offered|get)|our services|services(?: (?:offered|"
    r"provided|we offer))?|"
    r"we offer|programs? and services|offered services|types? of (?:help|care|support)|categor(?:y|ies)|"
    r"areas of \w+|help with|"
    r"sortiment|leistungen|unsere leistungen|angebote?|unser(?:e)? angebote?|was wir (?:bieten|anbieten|tun)|"
    r"das bieten wir|hilfe bei|"
    r"kategorien?|themen|schwerpunkte|"
    r"nos services|services proposés|ce que nous (?:proposons|faisons|offrons)|prestations|catégories?|"
    r"domaines|"
    r"какво (?:правим|предлагаме)|услуги|нашите услуги|предлагаме|видове услуги|категори[яи]|дейности|"
    r"ce (?:oferim|facem)|servicii(?:le noastre)?|servicii oferite|oferim|categori[ei]|domenii|"
    r"τι (?:κάνουμε|προσφέρουμε|παρέχουμε)|υπηρεσίες|οι υπηρεσίες μας|παρεχόμενες υπηρεσίες|κατηγορί(?:α|ες)|"
    r"(?:qué|que) (?:ofrecemos|hacemos)|(?:nuestros )?servicios|servicios (?:ofrecidos|que ofrecemos)|"
    r"categorías?|especialidades)\W*",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"(?:who (?:can|may|is it|we|it's|is this|qualifies)\b.*|eligib\w*(?: requirements| criteria)?|"
    r"who (?:can|may) \w+|for whom|requirements|"
    r"(?:für wen|wer (?:kann|darf)\b.*|zielgruppe|wen wir\b.*|voraussetzungen?|anspruch)|"
    r"pour qui|qui (?:peut|est concerné|sommes)\b.*|public(?: concerné| accueilli)?|bénéficiaires|"
    r"conditions d.accès|"
    r"за кого(?: е)?\b.*|кой може\b.*|потребители|целева група|условия за \w+|"
    r"pentru cine|cine (?:poate|beneficiază)\b.*|beneficiari|cui ne adresăm|"
    r"για ποιους|ποιοι\b.*|δικαιούχοι|ωφελούμενοι|προϋποθέσεις|σε ποιους απευθύνεται|"
    r"(?:para quién|quién puede\b.*|a quién\b.*|requisitos|elegibilidad|beneficiarios))\W*",
    re.IGNORECASE,
)
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
        r"kommen (?:kann|können|dürfen))\s"
        r"(?P<who>(?:alle|jede[rn]?|menschen|personen|familien|kinder|jugendliche|junge|frauen|männer|"
        r"mädchen|senior\w+|ältere|"
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


def hours(channels: Channels, item: Item | None, *, own: bool) -> Field | None:
    """Opening hours in the words a reader sees; from marks where the page shows none."""
    shown = [
        place
        for place in channels.hours
        if channels.region(place.first_line) in (Region.MAIN, Region.ASIDE, Region.HEADER)
    ]
    if not shown and own:
        shown = [place for place in channels.hours if channels.region(place.first_line) is Region.FOOTER]
    if shown:
        best = max(
            shown,
            key=lambda place: (channels.region(place.first_line) is Region.MAIN, _is_said(channels, place)),
        )
        line = channels.lines[best.first_line]
        quote = " ".join(one.text for one in channels.lines[best.first_line : best.last_line + 1])
        return Field(best.value, source_of(line), quote[:_LONGEST_QUOTE])
    given = structured.hours_text(item) if item is not None else None
    if item is not None and given is not None:
        return Field(given, item.source, given[:_LONGEST_QUOTE])
    for line in channels.lines:
        asked = hours_fields.by_appointment(line.text) if line.region is Region.MAIN else None
        if asked is not None:
            return Field(asked, source_of(line), line.text[:_LONGEST_QUOTE])
    return None


_HOURS_HEADING = re.compile(
    r"hours|when|open|öffnungszeiten|sprechzeiten|wann|horaires?|quand|работно време|кога|program|orar|când|"
    r"ωράριο|ώρες|πότε|"
    r"horario|cuándo|schedule|find us|visit",
    re.IGNORECASE,
)


def _is_said(channels: Channels, place: Place) -> bool:
    """Whether a heading or the line itself says that these are the opening hours."""
    for number in range(max(place.first_line - 2, 0), place.first_line + 1):
        line = channels.lines[number]
        if (line.kind is BlockKind.HEADING or number == place.first_line) and _HOURS_HEADING.search(
            line.text
        ):
            return True
    return False


def more_of_service(blocks: list[Block], language: str | None) -> dict[str, Field]:
    """Eligibility and categories."""
    found: dict[str, Field] = {}
    who = _labelled(blocks, _WHO) or _said(blocks, language)
    if who is not None:
        found["eligibility"] = who
    what = _categories(blocks)
    if what is not None:
        found["categories"] = what
    return found


# Pictures and bullets before the words of a heading.
_SIGNS = re.compile(r"^\W+|\s+$")
_MOST_ITEMS = 6
# A sentence with a time of day tells when, not for whom.
_TIME = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m\b|[.h]\d\d)| uhr\b")


def _labelled(blocks: list[Block], label: re.Pattern[str]) -> Field | None:
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.ROW and len(block.cells) == 2 and label.fullmatch(block.cells[0].strip()):
            return Field(block.cells[1], Source.STRUCTURE, block.text[:_LONGEST_QUOTE])
        if block.kind in (BlockKind.HEADING, BlockKind.TERM) and label.fullmatch(_SIGNS.sub("", block.text)):
            after = blocks[number + 1] if number + 1 < len(blocks) else None
            if after is not None and after.kind is BlockKind.ITEM:
                items = list(_items(blocks[number + 1 : number + 1 + _MOST_ITEMS]))
                return Field(", ".join(items), Source.STRUCTURE, after.text[:_LONGEST_QUOTE])
            if after is not None and after.kind in (BlockKind.TEXT, BlockKind.VALUE):
                first = _sentence(after.text)
                if first and len(first.split()) <= _MOST_ELIGIBILITY:
                    return Field(first, Source.STRUCTURE, after.text[:_LONGEST_QUOTE])
    return None


def _sentence(text: str) -> str:
    return re.split(r"(?<=[^\W\d_]{3})[.!?](?:\s|$)", text.strip(), maxsplit=1)[0].strip(" .")


def _said(blocks: list[Block], language: str | None) -> Field | None:
    """The phrase that says most clearly for whom it is, the first of equals; or a sentence that does."""
    place = _LANGUAGES.index(language) if language in _LANGUAGES else 0
    best, most = None, -1
    for block in blocks[:60]:
        if block.kind not in (BlockKind.TEXT, BlockKind.ITEM):
            continue
        for sentence in sentences(block.text[:3_000]):
            who, points = _who(sentence, place)
            if points > most and 1 <= len(who.split()) <= _MOST_ELIGIBILITY:
                best, most = Field(who, Source.TEXT, block.text[:_LONGEST_QUOTE]), points
    return best


def _who(sentence: str, language: int) -> tuple[str, int]:
    """What a sentence says of who may come, and how clearly it is about that."""
    flat = plain(sentence)
    if cues("services", "everybody").search(flat) and not _TIME.search(flat):
        return sentence.strip(), 4
    phrase = _phrase(sentence, language)
    if cues("services", "not_welcome").search(flat):
        return phrase, 0
    is_clear = cues("services", "welcome").search(flat) is not None and not _TIME.search(flat)
    if phrase:
        return phrase, 2 + is_clear
    return (sentence.strip(), 1) if is_clear else ("", 0)


def _phrase(sentence: str, language: int) -> str:
    for pattern in (_ELIGIBLE[language], _ELIGIBLE_FIRST):
        for match in pattern.finditer(sentence):
            who = _GOES_ON.split(match[match.lastgroup or "who"])[0].strip(" ,")
            if 1 <= len(who.split()) <= _MOST_ELIGIBILITY:
                return who
    return ""


def _categories(blocks: list[Block]) -> Field | None:
    """Short items below a heading that announces them."""
    for number, block in enumerate(blocks):
        if block.kind in (BlockKind.HEADING, BlockKind.TERM, BlockKind.TEXT) and _WHAT.fullmatch(
            block.text.strip()
        ):
            items = list(_items(blocks[number + 1 : number + 2 + _MOST_CATEGORIES]))
            if 2 <= len(items) <= _MOST_CATEGORIES and all(_is_category(item) for item in items):
                return Field(items, Source.STRUCTURE, ", ".join(items)[:_LONGEST_QUOTE])
    return None


def _items(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind not in (BlockKind.ITEM, BlockKind.VALUE):
            return
        yield block.text.strip(" .;,")


def _is_category(item: str) -> bool:
    return (
        1 <= len(item.split()) <= _CATEGORY_WORDS and item[:1].isupper() and not re.search(r"[0-9€$@]", item)
    )
