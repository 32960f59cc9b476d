"""Words around the names of people in seven languages: roles, titles, how to turn to them, what is none."""

from __future__ import annotations

from typing import Final

from surveyor.extract.lexicon import word_set
from surveyor.words.patterns import Phrases, any_case

# Beginnings of words for what somebody does; in small letters.
_ROLE_STEMS: Final = (
    # English
    "director|manager|coordinator|co-ordinator|officer|head of|chair|president|secretary|treasurer|"
    "administrator|"
    "assistant|advis[eo]r|founder|owner|editor|curator|librarian|pastor|rector|priest|specialist|consultant|"
    "trainer|"
    "teacher|principal|dean|professor|nurse|physician|lawyer|attorney|clerk|mayor|commissioner|executive|ceo|"
    "cfo|lead\\b|"
    "leader|outreach|liaison|representative|case ?worker|social worker|supervisor|organi[sz]er|trustee|"
    "partner\\b|intern\\b|"
    "fellow\\b|associate|analyst|press|communications|registrar|superintendent|office\\b|desk\\b|counsell?or|"
    "therapist|"
    "engineer|researcher|instructor|caretaker|warden|steward|host\\b|chef\\b|helpdesk|recruiter|deputy|"
    "team\\b|admissions|"
    # German
    "koordinator|vorsitz|vorstand|geschäftsführ|sekretär|"
    "sekretariat|beratung|berater|beauftragt|mitarbeiter|assistenz|sachbearbeit|direktor|"
    "präsident|"
    "schatzmeister|kassier|redakteur|pfarrer|sozialarbeit|sozialpädagog|pädagog|intendant|büro\\b|betreu|"
    "schriftführer|obmann|"
    "obfrau|inhaber|gründer|verwaltung|presse|projekt|programm\\w*leitung|bürgermeister|"
    # French
    "directeur|directrice|responsable|chargée?|présidente?|secrétaire|trésori|coordinat|conseill|"
    "gestionnaire|assistante?|"
    "chef\\w* d|déléguée?|animat|référente?|médiat|adjointe?|maire|gérante?|fondat|attachée?|instruct|éducat|"
    "travailleu\\w+ social|"
    # Bulgarian
    "директор|ръководител|координатор|експерт|секретар|председател|управител|специалист|отговорник|сътрудник|"
    "мениджър|"
    "консултант|кмет|началник|асистент|счетоводител|юрист|психолог|лекар|библиотекар|учител|съветник|"
    "организатор|"
    "представител|основател|собственик|касиер|социален работник|зам\\.|главен|старши|"
    # Romanian
    "coordonator|responsabil|consilier|secretar|președint|presedint|expert|inspector|șef|sef\\b|asistent|"
    "referent|"
    "reprezentant|primar|fondator|proprietar|contabil|psiholog|medic\\b|bibliotecar|ofițer|asistent social|"
    "directoare|"
    # Greek
    "διευθυντ|διευθύντ|υπεύθυν|συντονιστ|συντονίστ|προϊστ|γραμματ|πρόεδρ|προέδρ|σύμβουλ|στέλεχος|διαχειριστ|"
    "διαχειρίστ|"
    "ειδικός|εκπρόσωπος|δήμαρχ|αντιδήμαρχ|ταμίας|ιδρυτ|ιδιοκτήτ|καθηγητ|καθηγήτ|βοηθός|υπάλληλος|"
    "κοινωνικ\\w+ λειτουργ|"
    "ψυχολόγος|ιατρός|"
    # Spanish
    "coordinador|encargad|gerente|secretari|jef[ea]\\b|técnic|tesorer|asesor|administrador|fundador|"
    "propietari|"
    "trabajador\\w* social|médic[oa]|enfermer|concejal|alcald|portavoz|directora?\\b"
)
# Second halves of German words: Programmleitung, Grundschullehrer.
_ROLE_ENDINGS: Final = (
    "leiter|leitung|referent|koordinator|berater|arbeiter|pädagog|assistent|direktor|sekretär|pfleger|lehrer|"
    "verwalter|vorsitzende|beauftragte|referat|management|büro"
)
_STEMS: Final = Phrases(rf"(?<!\w)(?:{_ROLE_STEMS})")
_ENDINGS: Final = Phrases(_ROLE_ENDINGS)


def has_role(text: str) -> bool:
    """Whether a text says what somebody does."""
    lowered = text.lower()
    return _STEMS.are_in_small(lowered) or _ENDINGS.are_in_small(lowered)


def begins_with_role(word: str) -> bool:
    return _STEMS.begin(word) or _ENDINGS.are_in(word.partition("-")[0])


# Labels before a name that say that one may turn to this person, not what they do.
CONTACT_LABEL: Final = any_case(
    r"(?:contact(?: person)?|contacts|your contact|for (?:more |further )?(?:information|questions|details)|"
    r"information|enquiries|"
    r"inquiries|questions?|ask|ansprechpartner(?:in)?|ihre? ansprechpartner(?:in)?|kontakt(?:person)?|"
    r"auskunft|rückfragen|infos?|"
    r"fragen|informationen|anmeldung(?: bei)?|votre interlocut\w{3,5}|interlocut\w{3,5}|renseignements?|"
    r"pour (?:tout )?renseignements?|"
    r"contactez|лице за контакт|лица за контакт|за контакти?|контакти?|за връзка|за въпроси|за информация|"
    r"информация|"
    r"persoan[aă] de contact|pentru informații|informații|date de contact|relații|"
    r"πληροφορίες|επικοινωνία|υπεύθυνος επικοινωνίας|υπεύθυνη επικοινωνίας|αρμόδι\w{1,3}|"
    r"πρόσωπο επικοινωνίας|"
    r"persona de contacto|contacto|información|consultas|c/o|z\. ?hd\.|attn|att)",
)
# Words right before a name that ask the reader to turn to them.
TURN_TO: Final = any_case(
    r"(?<!\w)(?:write to|writing to|contact|call|ring|phone|email|e-mail|ask for|ask|speak (?:to|with)|"
    r"talk to|get in touch with|"
    r"questions? (?:go |may be sent |can be sent )?to|reach|text|send \w{1,12} to|message|report to|see|"
    r"rsvp to|"
    r"bei|an|wenden sie sich an|schreiben sie|rufen sie|fragen sie|an:|melden sie sich bei|kontaktieren sie|"
    r"ansprechpartner(?:in)?(?: ist)?|"
    r"écrire à|écrivez à|contacter|contactez|appeler|appelez|joindre|auprès de|adresse[rz](?:-vous)? à|"
    r"demande[rz]|"
    r"обадете се на|пишете на|свържете се с|обърнете се към|потърсете|при|търсете|питайте|"
    r"contactați pe|contactați|sunați la|sunați pe|scrieți lui|vă ajută|vă așteaptă|adresați-vă|la doamna|"
    r"la domnul|întrebați de|"
    r"επικοινωνήστε με|επικοινωνία με|καλέστε|απευθυνθείτε|απευθύνεστε|στην|στον|με τον|με την|ρωτήστε|"
    r"ζητήστε|"
    r"contacte con|llame a|llamar a|escriba a|escribir a|pregunte por|preguntar por|contactar con|hable con|"
    r"dirige \w{1,4} \w{3,12} (?:la|el)|"
    r"dirigid[oa] por|led by|run by|headed by|geleitet von|leitung:?|dirigée? par|ръководи се от|"
    r"condus[ăa]? de)(?!\w)",
)
# Titles that people keep, and forms of address that they do not.
TITLES: Final = word_set(
    "dr prof professor dipl ing mag phd md rev reverend fr father sr sister br brother deacon pastor rabbi "
    "imam bishop canon chaplain "
    "dra drs docteur professeur pr me maître д-р проф доц инж арх отец о conf univ lect δρ καθ αρχ π πατήρ "
    "ing.dipl lic "
    "dipl.-ing dipl.-päd dr.-ing captain capt chief elder sir dame"
)
COURTESY: Final = word_set(
    "mr mrs ms miss mx frau herr herrn m mme mlle monsieur madame г-н г-жа г-ца госпожа господин dl dna "
    "domnul doamna dl. dna. "
    "κ κος κα κυρία κύριος κ.κ sr sra srta señor señora don doña"
)
PARTICLES: Final = word_set(
    "van von der den de del della di da dos das do la le el al ter ten zu zur bin ibn y e af av mac mc st du "
    "des"
)
# Words with capitals that no person is called: organisations, places, rooms, days, things of a page.
NO_NAME: Final = Phrases(
    r"(?:foundation|fund|trust|association|society|council|services?|ministry|department|agency|institute|"
    r"network|alliance|"
    r"committee|inc|ltd|llc|gmbh|ggmbh|stiftung|verein|verband|amt|fondation|fonds|conseil|ministère|"
    r"university|college|"
    r"school|academy|library|museum|theat(?:er|re)|church|parish|hospital|clinic|center|centre|zentrum|house|"
    r"hall|street|st|"
    r"avenue|ave|road|rd|lane|square|park|garden|river|lake|creek|hill|valley|mountain|island|county|city|"
    r"town|village|"
    r"state|states|union|european|europe|republic|north|south|east|west|northern|southern|eastern|western|"
    r"new|old|free|"
    r"open|home|about|contact|privacy|policy|terms|cookies?|news|blog|events?|program|programme|programs|"
    r"project|projects|"
    r"grant|grants|award|prize|scholarship|bursary|call|apply|application|deadline|form|guide|report|annual|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|"
    r"august|"
    r"september|october|november|december|mon|tue|wed|thu|fri|sat|sun|"
    r"straße|platz|gasse|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|mai|"
    r"juni|juli|"
    r"oktober|dezember|telefon|tel|fax|email|e-mail|haus|schule|kirche|gemeinde|stadt|land|bund|kreis|"
    r"universität|"
    r"rue|place|mairie|maison|école|université|ville|région|département|association|comité|bourse|aide|prix|"
    r"фонд|фондация|фондацията|сдружение|съюз|агенция|министерство|община|област|улица|ул|бул|площад|град|гр|"
    r"център|"
    r"училище|университет|читалище|библиотека|институт|програма|проект|конкурс|награда|стипендия|тел|поща|"
    r"fundația|fundatia|asociația|asociatia|consiliul|ministerul|primăria|județul|județean|strada|str|piața|"
    r"calea|bulevardul|"
    r"universitatea|școala|liceul|centrul|casa|biblioteca|programul|proiectul|bursa|premiul|"
    r"ίδρυμα|ταμείο|σύλλογος|δήμος|υπουργείο|πανεπιστήμιο|σχολή|σχολείο|κέντρο|οδός|πλατεία|λεωφόρος|τηλ|"
    r"πρόγραμμα|"
    r"βιβλιοθήκη|περιφέρεια|οργανισμός|επιτροπή|ένωση|"
    r"fundación|asociación|ministerio|ayuntamiento|universidad|escuela|clínica|calle|avenida|plaza|centro|"
    r"programa|beca|"
    r"food|bank|pantry|shelter|legal|law|help|support|community|youth|senior|family|health|care|club|team|"
    r"office|board|"
    r"group|company|shop|store|market|festival|concert|conference|workshop|course|training|class|level|part|"
    r"step|"
    r"the|and|for|with|our|your|we|you|this|that|all|more|read|see|how|what|who|when|where|why|thanks|thank|"
    r"der|die|das|und|für|mit|wir|sie|ihre|unsere|alle|mehr|les|des|une|pour|avec|nous|vous|notre|votre|"
    r"за|и|на|от|при|ние|вие|нашите|всички|pentru|și|cu|noi|toate|para|con|nosotros|και|για|με)",
)
# Verbs of a report: who says something in an article is no contact.
SAYS: Final = any_case(
    r"\b(?:said|says|told|explained|added|according to|sagte|sagt|erklärte|erzählte|so\b|laut|a déclaré|"
    r"explique|souligne|"
    r"soupire|selon|каза|казва|сподели|обясни|заяви|a declarat|a spus|spune|δήλωσε|είπε|dijo|explicó|declaró|"
    r"according|"
    r"by|von|par|от|de|από|por|text:|foto:|photo:|written by|posted by|author|autor)\s*$",
)
