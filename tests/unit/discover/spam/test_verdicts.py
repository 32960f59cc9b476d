"""What is spam and what is not, told by examples in the languages of the profiles, and for every text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.discover.spam import ENOUGH, verdict
from surveyor.discover.spam.features import Finding
from surveyor.discover.spam.verdicts import weigh

PROFILE = ("en", "bg", "de", "ro", "el", "fr", "es")
SPAM = {
    "gambling-en": (
        "https://www.village-school.org/news",
        "Online casino bonus without deposit",
        "Play now at the best casinos with free spins and instant withdrawals for new players.",
    ),
    "gambling-bg": (
        "https://bonus-kazino.com/",
        "Казино бонус без депозит",
        "Вземи безплатни завъртания и играй сега в най-доброто онлайн казино.",
    ),
    "essays-de": (
        "https://www.arbeit-fertig.com/",
        "Ghostwriter für Ihre Bachelorarbeit",
        "Unsere Autoren schreiben Ihre Arbeit plagiatsfrei und diskret, Lieferung in 48 Stunden.",
    ),
    "loans-ro": (
        "https://bani-repede.site/",
        "Credit rapid doar cu buletinul",
        "Bani în 10 minute fără verificare la biroul de credit, și pentru rău platnici.",
    ),
    "pharma-el": (
        "https://igeia-gia-olous.net/",
        "Χάπια αδυνατίσματος χωρίς συνταγή",
        "Χάστε 10 κιλά σε 20 μέρες, διακριτική αποστολή, πληρώνετε μόνο τα μεταφορικά.",
    ),
    "adult-fr": (
        "http://rencontres-chaudes.biz/",
        "Étudiantes coquines cherchent un homme généreux",
        "Photos privées, rencontres discrètes dès ce soir. Réservé aux adultes.",
    ),
    "bait-es": (
        "https://bono-ya.info/",
        "Bono de 500 dólares: has sido seleccionado",
        "Escribe los datos de tu tarjeta y comparte con diez amigos antes de medianoche.",
    ),
    "stuffing": (
        "https://grants-grants.site/",
        "Grants, free grants, business grants, grants list",
        "Grants for women, grants for men, easy grants, grants now, home grants, grants grants.",
    ),
    "word-list": (
        "https://topics.click/7",
        "Shelter Dallas, pantry Plano, clinic Irving, tutor Garland",
        "Shelter Dallas, pantry Plano, clinic Irving, tutor Garland, rent Mesquite, bus Denton.",
    ),
    "mismatch": (
        "https://www.cheap-tyres-online.com/blog/scholarships",
        "Scholarships in Europe: the complete guide",
        "In this article we explore everything you need to know about scholarships, with practical tips.",
    ),
}
LEGIT = {
    "us-bulgaria-en": (
        "https://us-bulgaria.org/",
        "America for Bulgaria – what we fund",
        "The foundation supports education and culture in Bulgaria. See the open calls and how to apply.",
    ),
    "us-bulgaria-bg": (
        "https://us-bulgaria.org/bg",
        "Какво подкрепяме",
        "Фондацията подкрепя образование и култура. Вижте отворените конкурси и как се кандидатства.",
    ),
    "gambling-help": (
        "https://www.free-from-betting.org.uk/",
        "Help with gambling addiction",
        "Free and confidential counselling for anyone whose betting has become a problem.",
    ),
    "lottery-fund": (
        "https://www.lotterie-foerderung.de/",
        "Förderung aus Lotteriemitteln",
        "Aus den Erlösen der Lotterie unterstützt das Ministerium Vereine. Anträge sind bis März möglich.",
    ),
    "student-loans": (
        "https://www.credite-studenti.gov.ro/",
        "Credite pentru studenți garantate de stat",
        "Ministerul publică lista băncilor, condițiile și modelul cererii. Dobânda este fixă.",
    ),
    "pharmacy": (
        "https://www.pharmacie-du-port.fr/",
        "Pharmacie du Port – horaires et garde",
        "Déposez votre ordonnance en ligne. Vaccination sans rendez-vous, location de matériel médical.",
    ),
    "credit-union": (
        "https://www.cooperativa-ahorro.org/",
        "Préstamos para socios de la cooperativa",
        "Somos una cooperativa sin fines de lucro. Tasa fija, sin cargos ocultos, en cualquier sucursal.",
    ),
    "museum": (
        "https://www.apteka-muzei.bg/",
        "Музей на аптекарството",
        "Експозицията показва рецепти и лекарства без рецепта от XIX век. Работно време: всеки ден.",
    ),
    "essay-contest": (
        "https://www.essay-contest.eu/",
        "Essay contest for pupils",
        "Write an essay about your river. The jury awards three prizes, and winners will travel to Brussels.",
    ),
    "warning": (
        "https://www.verbraucher.at/",
        "Vorsicht vor Betrug mit Krediten ohne Schufa",
        "Die Polizei warnt: Wer vorab eine Gebühr verlangt, ist ein Betrüger. Opfer melden sich bei uns.",
    ),
    "capitals": (
        "https://www.sxoleio.gr/",
        "ΑΝΑΚΟΙΝΩΣΗ ΓΙΑ ΤΙΣ ΥΠΟΤΡΟΦΙΕΣ ΤΟΥ ΣΧΟΛΕΙΟΥ",
        "ΟΙ ΑΙΤΗΣΕΙΣ ΥΠΟΒΑΛΛΟΝΤΑΙ ΣΤΗ ΓΡΑΜΜΑΤΕΙΑ ΕΩΣ ΤΙΣ 30 ΙΟΥΝΙΟΥ. ΔΕΝ ΓΙΝΟΝΤΑΙ ΔΕΚΤΕΣ ΕΛΛΙΠΕΙΣ ΑΙΤΗΣΕΙΣ.",
    ),
    "repeated-name": (
        "https://www.estia.gr/",
        "Η Εστία και οι Φίλοι της Εστίας",
        "Η Εστία φιλοξενεί φοιτητές. Οι Φίλοι της Εστίας βοηθούν όσους μένουν στην Εστία και δεν έχουν.",
    ),
    "unknown-language": (
        "https://www.alapitvany.hu/",
        "Ösztöndíjak fiatal kutatóknak",
        "Az alapítvány minden évben tíz fiatal kutatót támogat, akik a Duna menti országokban dolgoznak.",
    ),
    "name-says-nothing": (
        "https://seven-geese.eu/",
        "A year of support for village bakers",
        "Six bakers receive an oven, flour for a season and a visit from an old master. Write us a letter.",
    ),
}


@pytest.mark.parametrize("case", SPAM)
def test_spam_is_called_so_and_told_why(case: str) -> None:
    found = verdict(*SPAM[case], PROFILE)
    assert found.is_spam
    assert found.score >= Decimal("0.50")
    assert found.reasons
    assert len(found.reasons) == len(found.detectors)


@pytest.mark.parametrize("case", LEGIT)
def test_whoever_says_something_real_is_not_spam(case: str) -> None:
    found = verdict(*LEGIT[case], PROFILE)
    assert not found.is_spam, found.reasons
    assert found.score < Decimal("0.50")


def test_a_domain_alone_will_do_for_an_address() -> None:
    _, title, description = SPAM["gambling-en"]
    assert verdict("village-school.org", title, description).is_spam


def test_the_heaviest_accusation_counts_in_full_and_the_others_by_a_half() -> None:
    assert weigh([Finding("a", ENOUGH, ""), Finding("b", 40, ""), Finding("c", 21, "")]) == ENOUGH + 30


def test_what_is_beyond_the_limits_is_not_looked_at() -> None:
    padding = "a" * 600
    assert verdict("a.org", padding + " free spins casino", "b" * 1_100 + " casino bonus") == verdict(
        "a.org", padding, "b" * 1_100
    )


def test_a_megabyte_is_cut_before_work() -> None:
    assert verdict("https://a.org/" + "x" * 1_000_000, "word " * 200_000, "").detectors == ["stuffing"]


ODD = st.text(st.characters(codec=None, exclude_categories=()), max_size=200) | st.text(
    alphabet="casino kredit бонус без депозит ΕΣΠΑ 123 .,-|#*%\x00\ud800", max_size=300
)


@settings(deadline=None)
@given(ODD, ODD, ODD, st.lists(st.sampled_from([*PROFILE, "xx"])))
def test_no_text_is_refused_and_the_verdict_is_always_the_same(
    url: str, title: str, description: str, languages: list[str]
) -> None:
    first = verdict(url, title, description, languages)
    assert first == verdict(url, title, description, languages)
    assert Decimal(0) <= first.score <= 1
    assert first.score == first.score.quantize(Decimal("0.01"))
    assert first.is_spam == (first.score >= Decimal("0.50"))
