"""Who may apply or come: the sentence or the list that says so, never who may not, and no procedure."""

from __future__ import annotations

import pytest

from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.fields import who
from surveyor.extract.fields.applicants import asks_who, refuses, says_who, states_conditions
from surveyor.extract.records.facts import facts_of, split_label
from surveyor.extract.records.funding_fields import who_may_apply

_KINDS = {"# ": BlockKind.HEADING, "* ": BlockKind.ITEM}


def blocks_of(lines: list[str]) -> list[Block]:
    """Headings begin with `# `, items of a list with `* `."""
    return [
        Block(kind, Region.MAIN, line[2:], level=2)
        if (kind := _KINDS.get(line[:2]))
        else Block(BlockKind.TEXT, Region.MAIN, line)
        for line in lines
    ]


def funded(*lines: str, language: str = "en") -> str | None:
    field = who_may_apply(facts_of(blocks_of(list(lines))), language, is_brief=False)
    return str(field.value) if field else None


def served(*lines: str, language: str = "en") -> str | None:
    one = who.best(facts_of(blocks_of(list(lines))), "service", language, 0.27)
    return who.answer(one, language) if one else None


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("To qualify for the van, a person must be at least 60 years old", "en"),
        ("All artists who apply must be at least 21 years of age", "en"),
        ("Voraussetzung für den Ausweis ist ein geringes Einkommen", "de"),
        ("Les candidats devront être nés après 2001", "fr"),
        ("Los colectivos interesados deberán estar inscritos en el registro", "es"),
        ("Pentru a primi bursa, candidații trebuie să fie studenți", "ro"),
        ("Кандидатите трябва да са завършили средно образование", "bg"),
    ],
)
def test_conditions_answer_as_a_whole(sentence: str, language: str) -> None:
    assert states_conditions(sentence) or says_who(sentence)
    assert served("# Eligibility", f"{sentence}.", language=language) == sentence


def test_a_list_answers_the_words_before_it() -> None:
    found = funded(
        "Groups who may apply include:", "* Choirs", "* Village halls", "* Parish councils with a plan"
    )
    assert found == "Choirs, Village halls, Parish councils with a plan"


def test_words_before_a_list_need_no_colon() -> None:
    found = funded("Du kannst Dich bewerben, wenn", "* Du studierst", "* Du hier wohnst", language="de")
    assert found == "Du studierst, Du hier wohnst"


def test_a_list_of_who_may_not_apply_is_no_answer() -> None:
    lines = ["# Who can apply?", "Applications will not be accepted from:", "* Schools", "* Families"]
    assert funded(*lines) is None
    assert served(*lines) is None


@pytest.mark.parametrize(
    ("lines", "language"),
    [
        (("The fund is not open to individuals or firms.", "Choirs of the valley may apply."), "en"),
        (("Private Personen können keinen Antrag stellen.", "Antragsberechtigt sind Chöre im Tal."), "de"),
    ],
)
def test_a_sentence_about_who_gets_nothing_is_passed_over(lines: tuple[str, ...], language: str) -> None:
    assert refuses(lines[0])
    found = funded(*lines, language=language)
    assert found is not None
    assert found in lines[1]


@pytest.mark.parametrize(
    "text",
    [
        "Open to schools in Serbia; previous winners may not apply.",
        "Previous winners may not apply; open to schools in Serbia.",
        "Previous winners are not eligible, but schools in Serbia may apply.",
    ],
)
def test_a_clause_about_who_gets_nothing_leaves_the_rest_of_its_sentence(text: str) -> None:
    assert funded(text) == "schools in Serbia"
    assert funded("# Who can apply?", text) == "schools in Serbia"


def test_half_of_who_gets_nothing_is_no_answer() -> None:
    assert funded("Choirs of the valley but without a hall are not eligible.") is None


@pytest.mark.parametrize(
    "lead",
    ["Applications must include the following:", "Proposals must have:", "All winners must be ready for:"],
)
def test_a_list_of_what_to_send_is_no_answer(lead: str) -> None:
    assert funded(lead, "* A letter from your school", "* A copy of the charity's accounts") is None


@pytest.mark.parametrize(
    "text",
    [
        "Journalists can register for the press conference.",
        "Students can attend the award ceremony on 5 May 2027.",
    ],
)
def test_who_may_come_to_an_event_does_not_say_who_may_apply(text: str) -> None:
    assert not says_who(text)


def test_a_piece_keeps_its_condition() -> None:
    sentence = "Reporters are eligible for a fellowship if they work for a paper outside of the towns"
    assert funded(f"{sentence}.") == sentence


def test_what_stands_in_brackets_does_not_end_the_answer() -> None:
    found = funded(
        "Eligible applicants are choirs (also those of schools), bands and theatre groups of the valley."
    )
    assert found == "choirs (also those of schools), bands and theatre groups of the valley"


def test_the_sentence_that_says_it_answers_a_heading_before_the_first_one() -> None:
    found = funded(
        "# Who can apply?",
        "One partner takes the lead and signs. Eligible applicants are registered choirs and bands.",
    )
    assert found == "registered choirs and bands"


def test_what_to_bring_is_left_out_of_a_list() -> None:
    found = served(
        "# Requirements",
        "* Must live in the villages of Alder or Birch",
        "* Bring a letter with your address",
        "* Households with children come first",
    )
    assert found == "Must live in the villages of Alder or Birch, Households with children come first"


@pytest.mark.parametrize(
    "heading",
    [
        "Dental Clinic Eligibility", "Who is eligible?", "Target groups", "Do I qualify?", "Admissibilité",
        "Wer ist antragsberechtigt?", "Кои лица имат право да ползват услугата?", "Requisitos",
        "Criterii de eligibilitate",
    ],
)  # fmt: skip
def test_headings_ask_who(heading: str) -> None:
    assert asks_who(heading)


@pytest.mark.parametrize("heading", ["How to apply", "Öffnungszeiten", "News", "Qui sommes-nous ?"])
def test_other_headings_do_not(heading: str) -> None:
    assert not asks_who(heading)


@pytest.mark.parametrize(
    "said",
    [
        "A little financial assistance is available under the Elm Plan to families who live here.",
        "Our scholarship programme gives financial help to students who show need.",
        "The Elm House invites young artists to submit proposals.",
    ],
)
def test_money_and_then_for_whom_it_is_says_who_may_apply(said: str) -> None:
    assert funded("# Elm Grants", said) is not None


@pytest.mark.parametrize(
    ("said", "is_condition"),
    [
        ("If the fee is too high for your family, please apply below.", True),
        ("If you have a question, apply to the office.", False),
        ("Eine Bewerbung ist möglich, wenn Du in Erlingen studierst.", True),
    ],
)
def test_a_condition_of_applying_says_who_may(said: str, is_condition: bool) -> None:
    assert states_conditions(said) is is_condition


def test_the_words_before_a_list_are_not_its_answer() -> None:
    found = funded("# Elm Bursary", "Eligibility Requirements", "* ✓ Citizens of Elm", "* ✓ Students in need")
    assert found == "Citizens of Elm, Students in need"


def test_a_short_word_with_a_sentence_behind_it_is_no_label() -> None:
    assert funded("# Papers", "For example, if the date is:", "* 1 May, send last year's papers") is None


@pytest.mark.parametrize(
    ("said", "answer", "language"),
    [
        (
            "The trust supports young carers who nurse a parent.",
            "young carers who nurse a parent",
            "en",
        ),
        ("The fund is geared towards villages without a library.", "villages without a library", "en"),
        (
            "Die Stiftung fördert Studierende der Forstwissenschaft.",
            "Studierende der Forstwissenschaft",
            "de",
        ),
        ("Notre fondation soutient les associations de quartier.", "les associations de quartier", "fr"),
        ("Фондацията подпомага ученици от малки села.", "ученици от малки села", "bg"),
        ("Fundația sprijină elevi din satele de munte.", "elevi din satele de munte", "ro"),
        ("Το ίδρυμα ενισχύει φοιτητές από ορεινά χωριά.", "φοιτητές από ορεινά χωριά", "el"),
        ("La fundación apoya a estudiantes de los pueblos.", "estudiantes de los pueblos", "es"),
    ],
)
def test_whom_a_giver_supports_may_apply(said: str, answer: str, language: str) -> None:
    assert funded(said, language=language) == answer


def test_the_sentence_before_a_list_of_requirements_names_who_may_apply() -> None:
    lead = "Village schools in the valley may apply. They must meet the following requirements:"
    assert (
        funded(lead, "* at least twenty pupils", "* a garden of their own") == "Village schools in the valley"
    )


def test_only_the_sentence_right_before_a_list_announces_it() -> None:
    lead = "Where eligible requests exceed the fund, members draw lots. Requests are ranked in this order:"
    assert funded(lead, "* Rank 1: talks in spring", "* Rank 2: posters in spring") is None


def test_a_sentence_with_a_dash_is_no_label() -> None:
    said = "Open to members of the society only - preference is given to those of long standing"
    assert split_label(said) == ("", said)


def test_a_span_of_years_is_no_telephone_number() -> None:
    said = "For the year 2026-2027 funds are set aside so that village clubs can apply for support"
    (one,) = who.candidates(facts_of(blocks_of([said])), "funding_program", "en")
    assert "reached" not in one.signs


def test_whom_money_is_for_comes_before_a_condition_that_names_nobody() -> None:
    said = (
        "Die Stiftung fördert Studierende der Musik. Voraussetzung für ein Stipendium ist eine Einschreibung."
    )
    assert funded(said, language="de") == "Studierende der Musik"
