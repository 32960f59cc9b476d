"""What a page is about, as far as people can go or turn to it: a service, a business, an organisation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from surveyor.extract.document import BlockKind, Document, Region
from surveyor.extract.lexicon import cues, plain, word_set
from surveyor.extract.structured import Item, Structured


class OrganisationKind(StrEnum):
    """What a page presents, as a kind of record."""

    ORGANISATION = "organisation"  # somebody who can be written to
    SERVICE = "service"  # help at a place or by telephone
    BUSINESS = "business"  # a shop, a workshop, a house with guests


# Types of schema.org by what they are to us. Those that are either are settled by the words of the page.
_ORGANISATION_TYPES: Final = word_set(
    "Organization NGO GovernmentOrganization EducationalOrganization CollegeOrUniversity School HighSchool "
    "ElementarySchool "
    "NewsMediaOrganization Corporation FundingAgency FundingScheme ResearchOrganization PerformingGroup "
    "SportsOrganization SportsClub SportsTeam "
    "Consortium LibrarySystem PoliticalParty Project WorkersUnion OnlineBusiness MusicGroup Church "
    "PlaceOfWorship Museum"
)
_SERVICE_TYPES: Final = word_set(
    "MedicalClinic MedicalOrganization Hospital Physician Dentist Pharmacy GovernmentOffice PostOffice "
    "Library EmergencyService "
    "FireStation PoliceStation Service GovernmentService CommunityHealth ChildCare EmploymentAgency "
    "CivicStructure FoodService "
    "AnimalShelter MedicalBusiness PublicHealth Midwifery Nursing RecyclingCenter SocialService "
    "CommunityCenter "
    "GovernmentPermit HomelessShelter FoodBank LegalService"
)
_BUSINESS_TYPES: Final = word_set(
    "Restaurant CafeOrCoffeeShop Bakery BarOrPub Brewery Winery FastFoodRestaurant IceCreamShop HairSalon "
    "BarberShop BeautySalon "
    "DaySpa NailSalon TattooParlor Hotel Hostel BedAndBreakfast LodgingBusiness Motel Campground AutoRepair "
    "AutoDealer GasStation "
    "AutomotiveBusiness Florist ExerciseGym HealthClub SportsActivityLocation Plumber Electrician "
    "HousePainter Locksmith "
    "MovingCompany RoofingContractor GeneralContractor HomeAndConstructionBusiness AccountingService "
    "BankOrCreditUnion "
    "FinancialService InsuranceAgency RealEstateAgent TravelAgency DryCleaningOrLaundry SelfStorage "
    "ShoppingCenter "
    "ProfessionalService Notary Optician NightClub MovieTheater BowlingAlley TouristAttraction Store"
)
_EITHER_TYPES: Final = word_set("LocalBusiness FoodEstablishment EntertainmentBusiness Place")


def kind_of_types(types: Iterable[str]) -> OrganisationKind | None:
    """What an item of these types is; one that may be a service or a business counts as a business here."""
    found = set(types)
    if found & _SERVICE_TYPES:
        return OrganisationKind.SERVICE
    if (
        found & _BUSINESS_TYPES
        or any(name.endswith(("Store", "Shop", "Business")) for name in found)
        or found & _EITHER_TYPES
    ):
        return OrganisationKind.BUSINESS
    return OrganisationKind.ORGANISATION if found & _ORGANISATION_TYPES else None


# Words of places that help people, and of shops; as they stand in names and headings.
_SERVICE_WORDS = re.compile(
    r"\b(?:food ?(?:banks?|shelf|shelves|pantry|pantries|distribution|cupboard|closet)|"
    r"clothes (?:closet|bank|room)|pantry|pantries|"
    r"soup kitchen|community (?:kitchen|fridge|(?:meal|lunch|dinner|supper|breakfast)s?)|lunch club|"
    r"meal (?:site|program)|shelters?|"
    r"emergency beds?|drop-?in|warming center|cooling center|hotline|helpline|crisis (?:line|center|centre)|"
    r"clinics?|"
    r"health cent(?:er|re)|counsel(?:l)?ing|legal aid|legal help|free (?:\w+ ){0,2}(?:clinic|meals?|lunch|"
    r"breakfast|dinner|food|help|"
    r"tax|classes|haircuts|clothes)|clothing (?:bank|closet|room)|diaper bank|"
    r"tax help|tax preparation|support group|childcare|child care|day care|daycare|day cent(?:er|re)|"
    r"senior cent(?:er|re)|"
    r"community cent(?:er|re)|"
    r"youth cent(?:er|re)|respite|hospice|home care|rehab|detox|recovery|needle exchange|job cent(?:er|re)|"
    r"career cent(?:er|re)|"
    r"library|literacy|tutoring|homework help|esl|english classes|meals on wheels|"
    r"transport(?:ation)? (?:service|for)|ride service|"
    r"housing (?:help|assistance|office)|rent(?:al)? assistance|energy assistance|eviction|"
    r"utility assistance|"
    r"refugee (?:services|center)|immigra\w+ (?:law|legal|help|services)|veterans? (?:services|center)|"
    r"tool library|repair café|assistance|weatheri[sz]ation|liheap|head start|senior (?:services|programs?|"
    r"nutrition|meals)|congregate meals|home[- ]delivered meals|case management|financial aid|"
    r"social services|community services|family services|outreach services|after[- ]?school|"
    r"free (?:cleaning|rides?|store)|"
    r"kleiderkammer|(?:lebensmittel|essens|kleider)ausgabe\w*|tafel|suppenküche|notschlafstelle|"
    r"notunterkunft|obdachlos\w*|frauenhaus|beratungsstelle|\w{0,20}beratung|sprechstunde|"
    r"krisendienst|wärmestube|bahnhofsmission|sozialstation|sozialkaufhaus|"
    r"tagesstätte|"
    r"tagespflege|pflegedienst|jugendzentrum|familienzentrum|mehrgenerationenhaus|nachbarschaftshaus|"
    r"begegnungsstätte|"
    r"telefonseelsorge|bibliothek|bücherei|kita|kindergarten|\w{0,20}praxis|ambulanz|kinderarzt|impf\w*|fahrdienst|lernhilfe|"
    r"deutschkurs\w*|"
    r"кризисен център|дневен център|център за (?:социална|обществена|подкрепа|настаняване|временно|работа|"
    r"психо)\w*|"
    r"социал\w+ (?:кухня|услуг\w+|патронаж|трапезария)|приют\w*|убежище|гореща линия|телефон на доверието|"
    r"безплатн\w+ (?:храна|правна|"
    r"медицинск\w+|консултац\w+|прегледи)|консултативен кабинет|кабинет|поликлиника|медицински център|"
    r"домашен патронаж|"
    r"защитено жилище|библиотека|читалня|детска градина|топъл обяд|"
    r"accueil de (?:jour|nuit)|épicerie (?:sociale|solidaire)|banque alimentaire|distribution alimentaire|"
    r"restos? du c(?:œ|oe)ur|"
    r"hébergement d.urgence|permanences?(?: juridiques?| sociales?| d.accueil)?|point d.accès au droit|"
    r"dispensaire|"
    r"centre (?:de santé|social|"
    r"d.accueil|d.hébergement|médico)|halte-garderie|crèche|vestiaire|numéro vert|ligne d.écoute|médiathèque|"
    r"bibliothèque|"
    r"soutien scolaire|maraude|"
    r"cantin[aă] social[aă]|centru(?:l)? (?:de zi|rezidențial|social|de criză|de consiliere|medical|"
    r"comunitar)|adăpost\w*|"
    r"banc[aă] de alimente|cabinet(?:ul)?|linie telefonică|consiliere|asistență (?:juridică|socială|"
    r"medicală)|policlinic[aă]|"
    r"bibliotec[aă]|creș[aă]|îngrijire la domiciliu|"
    r"κοινωνικ\w+ (?:παντοπωλείο|ιατρείο|φαρμακείο|κουζίνα|συσσίτιο|φροντιστήριο)|συσσίτι\w+|ξενώνας|ιατρείο|"
    r"κέντρο (?:υγείας|ημέρας|"
    r"κοινότητας|υποδοχής|στήριξης|συμβουλευτικ\w+)|γραμμή (?:στήριξης|βοήθειας|sos)|βοήθεια στο σπίτι|"
    r"δανειστική|βιβλιοθήκη|κηφη|"
    r"παιδικός σταθμός|δομή φιλοξενίας|"
    r"clínica|comedor(?:es)?(?: social| comunitario)?|banco de alimentos|despensa|albergue|refugio|"
    r"centro (?:de día|de salud|de acogida|comunitario|"
    r"social)|consultorio|línea de (?:ayuda|crisis)|asesoría (?:legal|jurídica)|ayuda (?:legal|alimentaria)|"
    r"ropero|guardería|servicios? "
    r"(?:médicos|legales|sociales)|biblioteca|clases de inglés|"
    r"chiropract\w*|physio\w*|dental|dentists?|zahn\w*|\w{0,12}ärzt\w{0,3}|\w{0,12}arzt|cabinet médical|"
    r"studio (?:medico|dentistico)|ambulatorio|asilo nido|bibliotheek|kinderdagverblijf|huisarts\w*)\b",
    re.IGNORECASE,
)
_BUSINESS_WORDS = re.compile(
    r"\b(?:barbers?|barber ?shop|hair ?(?:salon|dresser|stylist)s?|salon|bookshop|bookstore|books|café|cafe|"
    r"coffee|restaurant|diner|"
    r"bistro|pizzeria|grill|bakery|bakers|butchers?|deli|delicatessen|brewery|taproom|pub|tavern|wine bar|"
    r"winery|inn|hotel|hostel|"
    r"b&b|guest ?house|florist|flowers|nursery|garden center|hardware|grocery|grocer|supermarket|farm stand|"
    r"farm shop|boutique|"
    r"jewell?ers?|thrift|antiques|vintage|bike shop|bicycles|cycles|auto repair|garage|tire|plumbing|"
    r"electric(?:al)? contractor|"
    r"landscaping|cleaners|laundromat|dry cleaning|tailor|cobbler|shoe repair|watch repair|locksmith|"
    r"photo studio|tattoo|yoga studio|"
    r"gym|dance studio|pet shop|pet grooming|veterinar\w+|printing|print shop|upholstery|store|shop|"
    r"friseur\w*|bäckerei|konditorei|metzgerei|fleischerei|gasthaus|gasthof|gaststätte|wirtshaus|kneipe|"
    r"imbiss|buchhandlung|"
    r"blumenladen|gärtnerei|werkstatt|tischlerei|schreinerei|schneiderei|hofladen|weingut|brauerei|pension|"
    r"ferienwohnung|laden|"
    r"boulangerie|pâtisserie|boucherie|fromagerie|librairie|épicerie(?! s)|coiffeur|coiffure|brasserie|"
    r"auberge|fleuriste|"
    r"quincaillerie|chambres d.hôtes|crêperie|atelier|magasin|"
    r"ресторант|механа|кафене|сладкарница|пекарна|фурна|книжарница|фризьор\w*|бръснар\w*|салон|магазин|хотел|"
    r"къща за гости|"
    r"автосервиз|цветарница|ателие|работилница|пицария|бирария|"
    r"brutărie|cofetărie|cafenea|restaurantul?|pensiune|frizerie|coafor|florărie|librărie|atelier|magazin|"
    r"service auto|cramă|"
    r"ταβέρνα|εστιατόριο|καφενείο|καφετέρια|φούρνος|αρτοποιείο|ζαχαροπλαστείο|βιβλιοπωλείο|κουρείο|"
    r"κομμωτήριο|ξενοδοχείο|"
    r"ενοικιαζόμενα|ανθοπωλείο|συνεργείο|κατάστημα|ουζερί|ψησταριά|ψαροταβέρνα|παντοπωλείο|οινοποιείο|"
    r"panadería|pastelería|carnicería|librería|peluquería|barbería|restaurante|taquería|cafetería|ferretería|"
    r"floristería|"
    r"taller|tienda|hostal|bodega|mercado)\b",
    re.IGNORECASE,
)
# Businesses that send what they sell, or make it: these may have no door.
_SENDING: Final = re.compile(
    r"\b(?:books|bookstore|bookshop|flowers|hardware|grocery|boutique|jewell?ers?|thrift|antiques|vintage|"
    r"bicycles|cycles|pet shop|printing|print shop|store|shop|laden|magasin|épicerie|atelier|librairie|"
    r"книжарница|магазин|ателие|работилница|librărie|magazin|κατάστημα|βιβλιοπωλείο|librería|"
    r"taller|tienda|bodega|mercado)\b",
    re.IGNORECASE,
)
# Words of those who teach: their hours are those of a person or a lesson, and open no door.
_LESSONS: Final = re.compile(
    r"\b(?:lectures?|syllabus|instructors?|professors?|teaching assistants?|sprechstunden?|"
    r"(?:my (?:\w+ )?)?office hours|"
    r"semester|homework|assignments|midterm|vorlesung\w*|dozent\w*|lehrstuhl|klausur\w*|übungsblätter|"
    r"enseignante?s?|semestre|"
    r"лекци[ия]\w*|преподавател\w*|семестър\w*|profesorul|semestru\w*|διαλέξεις|διάλεξη|καθηγητ\w+|εξάμην\w+|"
    r"asignaturas?|profesor(?:es|a)?|temario)\b",
    re.IGNORECASE,
)
# Different such words of a page that is about lessons; characters of it that are looked at.
_OF_LESSONS, _LOOKED_AT = 2, 6_000
# Bodies that meet at times and are no shops.
_CLUB_WORDS = re.compile(
    r"\b(?:church|parish|chapel|mosque|synagogue|temple|club|society|association|team|school|worship|"
    r"choir|chorus|singers|orchestra|congregation|ministry|ministries|lodge|scouts|\w*gottesdienste?|\w*chor|"
    r"messes|misas|chorale|"
    r"\w*(?:kirche|gemeinde|verein|schule|vereniging)|église|paroisse|école|iglesia|asociación|escuela|associazione|"
    r"schutterij|клуб|църква|училище|biserica|școala|σύλλογος|σχολείο)\b|\be\. ?v\b",
    re.IGNORECASE,
)
_PRICES = re.compile(r"[$€£]\s?[0-9]|[0-9]\s?(?:€|лв|lei\b|euro?\b)", re.IGNORECASE)
# It was here and is no more.
_CLOSED = re.compile(
    r"\b(?:has|have|is|are) (?:now )?(?:permanently )?closed(?: (?:for good|permanently|its doors))?\b|"
    r"permanently closed|\(closed\)|"
    r"closed (?:its|our) doors|no longer (?:open|offer|operat)|ceased (?:operation|trading)|out of business|"
    r"(?:ist|wurde|hat) (?:dauerhaft |endgültig |für immer )?geschlossen|dauerhaft geschlossen|"
    r"geschäftsaufgabe|"
    r"a (?:définitivement )?fermé|fermeture définitive|définitivement fermé|ferm[ée]e? définitivement|"
    r"затвори(?:хме)? врати|закрит[оаи]?\b|прекрати(?:хме)? дейност|затворен[оа]? завинаги|вече не работи|"
    r"s-a închis|închis definitiv|și-a încetat activitatea|έκλεισε|κλειστ\w+ οριστικά|διέκοψε τη λειτουργία|"
    r"cerrado (?:definitivamente|permanentemente)|ha cerrado|cerró sus puertas",
    re.IGNORECASE,
)
# Something to sign up for, to buy, to read: no place.
_NO_PLACE = re.compile(
    r"\b(?:volunteers?|volunteering|helpers wanted|apprentices?\w*|internships?|jobs?|vacanc\w+|careers?|"
    r"course|workshop|training|"
    r"scholarships?|grants?|call for|news|blog|press|privacy|impressum|annual report|"
    r"ehrenamt\w*|freiwillig\w*|ausbildung\w*|praktik\w+|stellen\w*|kurs|"
    r"bénévol\w+|apprentissage|stage|formation|доброволци?|доброволчество|стаж|чираци?|курс|обучение|"
    r"работа при нас|"
    r"voluntar\w*|ucenic\w*|practic[aă]|curs|εθελοντ\w+|πρακτική|σεμινάριο|μαθητεία|voluntari\w+|aprendi\w+|"
    r"prácticas|curso)\b",
    re.IGNORECASE,
)
_SHOP_TYPES: Final = frozenset(
    {"Product", "ProductGroup", "ItemList", "JobPosting", "Event", "Course", "CollectionPage"}
)
# Headings that may say what a page is about.
_FIRST_HEADINGS = 3
# Paragraphs in which a page says that something is over.
_FIRST_BLOCKS = 4


def is_no_place(document: Document, marks: Structured) -> bool:
    """Whether the page presents nobody to turn to: it is closed, a thing to buy, something to sign up for."""
    if _is_closed(document) or marks.meta.get("og:type", "").lower().startswith("product"):
        return True
    return any(one.top and one.is_a(_SHOP_TYPES) for one in marks.items)


def kind_of_page(
    document: Document,
    marks: Structured,
    item: Item | None,
    called: str,
    otherwise: Callable[[], OrganisationKind | None],
) -> OrganisationKind | None:
    """Whether the page presents a service or a business; None for all other pages.

    `called` is the name of whoever is behind the page; `otherwise` says what it is where no word does.
    """
    if is_no_place(document, marks):
        return None
    names = " | ".join(filter(None, (document.title, item.text("name") if item is not None else None)))
    marked = kind_of_types(item.types) if item is not None else None
    if marked in (OrganisationKind.SERVICE, OrganisationKind.BUSINESS):
        is_exact = item is not None and not set(item.types) <= _EITHER_TYPES
        return OrganisationKind.SERVICE if not is_exact and _SERVICE_WORDS.search(names) else marked
    if marks.meta.get("og:type", "").lower() in ("business.business", "restaurant.restaurant", "place"):
        return OrganisationKind.SERVICE if _SERVICE_WORDS.search(names) else OrganisationKind.BUSINESS
    if _NO_PLACE.search(f"{document.title} | {_first_heading(document)}"):
        return None
    if not is_place(f"{names} | {called}") and _is_about_lessons(document):
        return None
    if kind := _by_words(document, names, called):
        return kind
    found = otherwise()
    if found is OrganisationKind.SERVICE and any(_PRICES.search(block.text) for block in document.main):
        found = OrganisationKind.BUSINESS
    is_club = found is OrganisationKind.BUSINESS and _CLUB_WORDS.search(f"{names} | {called}")
    return None if is_club else found


def _first_heading(document: Document) -> str:
    """What stands above the content or at its top; the name of the site aside."""
    site = document.site_name or ""
    headings = (
        block.text
        for block in document.blocks
        if block.kind is BlockKind.HEADING and block.region in (Region.MAIN, Region.HEADER)
    )
    return next((text for text in headings if text not in site), "")


def is_place(name: str) -> bool:
    """Whether a name says that it is of a service or a business."""
    return _SERVICE_WORDS.search(name) is not None or _BUSINESS_WORDS.search(name) is not None


def has_guests(name: str) -> bool:
    """Whether a name is of a business that people go to, and not of one that may send what it sells."""
    return any(not _SENDING.fullmatch(found[0]) for found in _BUSINESS_WORDS.finditer(name))


def _is_about_lessons(document: Document) -> bool:
    text = " ".join(block.text for block in document.main)[:_LOOKED_AT]
    found = {match.lower() for match in _LESSONS.findall(f"{document.title} {text}")}
    return len(found) >= _OF_LESSONS or any(one.startswith("my ") for one in found)


def is_service(name: str) -> bool:
    """Whether a name says that it is of help at a place."""
    return _SERVICE_WORDS.search(name) is not None


def count_services(text: str) -> int:
    """How often a text names help at a place."""
    return sum(1 for _ in _SERVICE_WORDS.finditer(text))


def calls_itself(document: Document) -> str:
    """What a page and its site are called: title, site, the first headings, the words of the host."""
    headings = [block.text for block in document.main if block.kind is BlockKind.HEADING][:_FIRST_HEADINGS]
    host = (urlsplit(document.page.url).hostname or "").rpartition(".")[0].replace("-", " ")
    return " | ".join(filter(None, (document.title, document.site_name, *headings, host)))


def _by_words(document: Document, names: str, called: str) -> OrganisationKind | None:
    text = " ".join(block.text for block in document.main)[:20_000]
    is_in_need = len(set(cues("services", "in_need").findall(plain(text)))) > 1
    for name in (names, called):
        service, business = _SERVICE_WORDS.search(name), _BUSINESS_WORDS.search(name)
        if service is not None and (business is None or business.start() >= service.start()):
            return OrganisationKind.SERVICE
        if business is not None:
            return OrganisationKind.SERVICE if is_in_need else OrganisationKind.BUSINESS
    opening = " ".join(block.text for block in document.main if block.kind is not BlockKind.HEADING)[:400]
    if _SERVICE_WORDS.search(opening) or (is_in_need and is_service(calls_itself(document))):
        return OrganisationKind.SERVICE
    return OrganisationKind.BUSINESS if _BUSINESS_WORDS.search(opening) and _PRICES.search(text) else None


def _is_closed(document: Document) -> bool:
    first = [block.text for block in document.main[: _FIRST_BLOCKS + 1]]
    return any(_CLOSED.search(text) for text in (document.title, *first[:2])) or bool(
        re.search(
            r"no longer|nicht mehr|вече не|nu mai|δεν .{0,20} πλέον|ya no", " ".join(first), re.IGNORECASE
        )
        and _CLOSED.search(" ".join(first))
    )
