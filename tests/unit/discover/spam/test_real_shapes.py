"""Shapes of real results that were once taken for spam, and of spam that real results showed."""

from __future__ import annotations

import pytest

from surveyor.discover.spam import verdict


@pytest.mark.parametrize(
    ("url", "title", "description"),
    [
        (  # a host with a trade in its name that writes about a charity
            "https://townlifestyle.com/articles/dressed-for-work",
            "Dressed for Work",
            "The county clothes closet prepares neighbours; staffed by volunteers, says its director",
        ),
        (  # a foundation that tells how to apply
            "https://frpi.bg/bg/articles/novo/nyama-odobreni",
            "Няма одобрени организации по програма „Ирис“ тази седмица",
            "Разгледани са четири кандидатури; научете как да кандидатствате",
        ),
        (  # a newspaper's button beside a scholarship
            "https://chalk.tol.org/education-fund/",
            "Education Fund",
            "The fund brings new developments in its scholarships programme. Share this post",
        ),
        (  # a title that the search engine repeats, in a language whose small words are not known
            "https://www.mesto.cz/pravidla_poskytnuti_2020",
            "Pravidla poskytnutí finančního příspěvku 2020 SPORT",
            "Pravidla Poskytnutí Finančního Příspěvku 2020 SPORT neinvestiční",
        ),
        (  # a club that names itself
            "https://fultonradioclub.org/license-courses/",
            "License Courses & Exams — Fulton Radio Club",
            "Fulton Radio Club offers license instruction, license exam sessions, Fulton NY, License Courses",
        ),
        (  # meetings of young people
            "https://jumelages-france.org/?p=262",
            "Jumelage : Rencontres Européennes de Jeunes",
            "La ville offre jusqu'à 1 000 € ou 1 500 € ; jeunes de 11 à 25 ans d'ici. Tél : 02 31 00 18 14",
        ),
        (  # news about aid for people without work
            "https://www.insider.gr/tax-labour/394547/espa",
            "ΕΣΠΑ: «Ζεστό» χρήμα 17.500 ευρώ σε ανέργους",
            "Τρεις δόσεις, 37 εκατ. ευρώ",
        ),
    ],
)
def test_real_organisations_and_newspapers_are_not_turned_away(
    url: str, title: str, description: str
) -> None:
    assert not verdict(url, title, description).is_spam, verdict(url, title, description).reasons


@pytest.mark.parametrize(
    ("url", "title", "description"),
    [
        (
            "https://hotelinfopages.com/homeless-shelters-in-tucson-az",
            "How to Get Homeless Shelters in Tucson AZ? Exclusive Tips",
            "Homelessness has many factors; types of shelters available and the application process",
        ),
        (
            "https://bkautocare.ca/2025/03/31/county-food-pantry",
            "County Food Pantry",
            "A lifeline for those facing hunger; this comprehensive exploration delves into its operations",
        ),
    ],
)
def test_a_trade_that_writes_about_a_cause_for_search_engines_is(
    url: str, title: str, description: str
) -> None:
    assert verdict(url, title, description).is_spam


@pytest.mark.parametrize(
    ("url", "title", "description", "saw"),
    [
        (
            "https://stipendii.example.bg/a",
            "Бързи kpeдити и cтипeндии",
            "Вземи cтипeндия и кpeдит онлайн без чакане",
            "two scripts",
        ),
        (
            "https://xn--pypal-4ve.com/grants",
            "Grants",
            "Apply for a grant of our fund today",
            "mixes scripts",
        ),
        (
            "https://history.univ.edu/casino-bonus-2024",
            "Casino bonus and free spins",
            "Play slots online with a no deposit bonus and free spins, register now",
            "public body",
        ),
    ],
)
def test_structure_accuses_in_words(url: str, title: str, description: str, saw: str) -> None:
    found = verdict(url, title, description)
    assert found.is_spam and any(saw in reason for reason in found.reasons), found


@pytest.mark.parametrize(
    ("url", "title", "description"),
    [
        ("https://xn--80abmue.bg/", "Обяви за стипендии", "Фондацията дава стипендии на ученици от града"),
        (
            "https://mladezhi.example.bg/",
            "Младежи за Младежи: младежки център",
            "1. Младежи от Варна 2. Младежи от Бургас 3. Младежи от Русе 4. Младежи от Видин 5. Младежи",
        ),
        (
            "https://women.example.org/",
            "Women for Women",
            "1. Women in work 2. Women in science 3. Women in sport 4. Women in towns 5. Women and youth",
        ),
        ("https://ncf.bg/", "Програма „Мобилност“ на НФК", "е-mail и сайт на програмата; pdf-ът е тук"),
        ("https://health.gov/gambling-help", "Gambling help", "Free help for people who gamble, call us"),
    ],
)
def test_names_lists_and_alphabets_of_honest_pages_are_no_structure(
    url: str, title: str, description: str
) -> None:
    assert not verdict(url, title, description).is_spam, verdict(url, title, description).reasons
