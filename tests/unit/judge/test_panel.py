"""The panel: an exact mean, a threshold meant as it is written, judges that explain themselves."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.judge.panel import Panel
from surveyor.judge.values import Judgment, SearchHit, spoken, weighted_mean
from surveyor.profiles import files, loader

FUNDING = Panel(loader.load("funding"))
PANELS = {name: Panel(loader.load(name)) for name in files.BUILT_IN}


def judged(title: str, description: str = "", url: str = "https://www.example.bg/page") -> Judgment:
    return FUNDING.judge(SearchHit(url, title, description))


def keywords(title: str, description: str = "", url: str = "https://example.bg/page") -> Decimal:
    return next(s.score for s in judged(title, description, url).scores if s.judge == "FundingKeywordJudge")


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 1000)), min_size=1, max_size=6))
def test_the_mean_is_the_exact_one_rounded_half_up(pairs: list[tuple[int, int]]) -> None:
    exact = Fraction(sum(score * weight for score, weight in pairs), sum(weight for _, weight in pairs))
    doubled = exact * 2  # half up in whole numbers: floor(x + 1/2)
    expected = Decimal((doubled + 1) // 2).scaleb(-2)
    assert weighted_mean(pairs) == expected
    quotient = Decimal(exact.numerator) / Decimal(exact.denominator) / 100
    if exact.denominator == 1:
        assert weighted_mean(pairs) == quotient.quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_59_and_a_half_passes_and_less_does_not() -> None:
    assert weighted_mean([(595, 1), (0, 9)]) == Decimal("0.60")
    assert weighted_mean([(594, 1), (0, 9)]) == Decimal("0.59")
    assert weighted_mean([(59, 100), (60, 100)]) >= FUNDING.threshold


@pytest.mark.parametrize("name", files.BUILT_IN)
@given(
    url=st.text(max_size=80) | st.just("https://www.example.org/a"),
    title=st.text(max_size=120),
    description=st.text(max_size=200),
)
def test_no_text_makes_a_judge_fail(name: str, url: str, title: str, description: str) -> None:
    judgment = PANELS[name].judge(SearchHit(url, title, description))
    assert Decimal(0) <= judgment.confidence <= Decimal(1)
    assert judgment.should_crawl == (judgment.confidence >= PANELS[name].threshold)
    assert all(score.explanation for score in judgment.scores)


@pytest.mark.parametrize("name", files.BUILT_IN)
@pytest.mark.parametrize(
    "address", ["https://x.example/?{}=123", "https://x.example/{}/123", "https://{}.x.example/a"]
)
def test_one_letter_of_an_address_is_no_word(name: str, address: str) -> None:
    told = {
        PANELS[name].judge(SearchHit(address.format(letter), "A page", "")).confidence
        for letter in "9abcdefghijklmnopqrstuvwxyz"
    }
    assert len(told) == 1


def test_every_judge_of_the_profile_speaks_the_heaviest_first() -> None:
    scores = judged("Grants for NGOs in Bulgaria").scores
    assert [(score.judge, score.weight) for score in scores] == [
        ("FundingKeywordJudge", Decimal("2.00")),
        ("DomainCredibilityJudge", Decimal("1.50")),
        ("GeographicRelevanceJudge", Decimal("1.00")),
        ("OrganizationTypeJudge", Decimal("0.80")),
    ]


@pytest.mark.parametrize(
    ("title", "denied"),
    [
        ("Grants for schools", "No grants available for schools"),
        ("Стипендии за студенти", "Няма стипендии за студенти"),
        ("Förderung für Vereine", "Keine Förderung für Vereine"),
        ("Burse pentru elevi", "Nu acordăm burse pentru elevi"),
        ("Υποτροφίες για φοιτητές", "Δεν χορηγούνται υποτροφίες σε φοιτητές"),
        ("Bourses pour étudiants", "Aucune bourse pour étudiants"),
    ],
)
def test_a_denied_offer_counts_less_than_an_offer(title: str, denied: str) -> None:
    assert keywords(denied) * 2 < keywords(title)


@pytest.mark.parametrize(
    ("gives", "denied"),
    [
        ("We do not lend but give grants to schools", "We do not give grants to schools"),
        ("Не заемаме но отпускаме стипендии", "Не отпускаме стипендии за студенти"),
        ("Wir verleihen nicht sondern vergeben Stipendien", "Wir vergeben keine Stipendien an Schüler"),
        ("Nu împrumutăm ci acordăm burse", "Nu acordăm burse pentru elevi"),
        ("Δεν δανείζουμε αλλά δίνουμε υποτροφίες", "Δεν χορηγούνται υποτροφίες σε φοιτητές"),
        ("Nous ne prêtons pas mais donnons des bourses", "Nous ne donnons pas de bourses"),
    ],
)
def test_a_denial_ends_with_its_clause(gives: str, denied: str) -> None:
    assert keywords(gives) > 2 * keywords(denied)


def test_words_that_speak_against_a_page_do_not_decide_alone_beside_an_offer() -> None:
    weakening = [group for group in loader.load("funding").keywords.values() if group.effect == "weakens"]
    against = [group.words["en"][0] for group in weakening if group.words.get("en")]
    offer = "Grants for schools and NGOs, apply by 1 May"
    assert len(against) > 3
    assert 0 < keywords(offer) * Decimal("0.25") <= keywords(offer, ". ".join(against)) < keywords(offer)


@pytest.mark.parametrize(
    ("question", "no", "yes"),
    [
        ("Are there scholarships for the school?", "No, sorry.", "Yes, ten."),
        ("Υπάρχουν υποτροφίες για τους φοιτητές;", "Όχι.", "Ναι."),
        ("Gibt es für die Schüler auch Stipendien?", "Nein, noch nie.", "Ja, zehn."),
    ],
    ids=["en", "el", "de"],
)
def test_a_question_answered_with_no_is_a_denial(question: str, no: str, yes: str) -> None:
    assert keywords(question, no) * 2 < keywords(question, yes)


def test_circumstances_without_an_offer_count_in_part() -> None:
    assert keywords("Application form and deadline", "Eligible applicants submit it.") < Decimal("0.45")


def test_circumstances_that_come_together_are_an_offer_without_its_name() -> None:
    one = keywords("Village halls", "Deadline 30 June.")
    several = keywords("Village halls", "Deadline 30 June. How to apply. 4,000 euros.")
    assert one < Decimal("0.15") and several >= Decimal("0.50")


def test_circumstances_say_more_when_somebody_who_gives_names_them() -> None:
    told = "Send the form by 30 June."
    assert keywords("Village halls", told, "https://oak-foundation.bg/") > keywords("Village halls", told) * 2


def test_a_fee_that_is_waived_is_no_fee() -> None:
    assert keywords("Students from villages are exempt from fees") >= Decimal("0.70")
    assert keywords("Students pay a registration fee") < Decimal("0.10")


def test_a_phrase_in_passing_does_not_outweigh_two_offers() -> None:
    offers = "Grants for artists. We pay for travel."
    passing = keywords(offers, "There is a concert too.")
    assert keywords(offers) > passing > keywords(offers, "Concert tickets. Add to cart. Free delivery.") * 2


def test_a_host_is_named_by_its_owner_and_a_path_is_not() -> None:
    def organisation(url: str) -> Decimal:
        scores = judged("About us", "Who we are.", url).scores
        return next(s.score for s in scores if s.judge == "OrganizationTypeJudge")

    assert organisation("https://stiftung-eiche.de/wir") > organisation("https://eiche.de/stiftung")


def test_a_title_that_means_something_else_does_so_below_it_too() -> None:
    assert keywords("Fellowship of painters", "The fellowship met in Venice.") == 0


def test_what_speaks_against_a_page_does_so_in_every_sense() -> None:
    against = next(
        s.explanation
        for s in judged("Visa application", "How to apply.").scores
        if s.judge == "FundingKeywordJudge"
    )
    assert "office speaks against it" in against


def test_who_writes_like_an_employer_is_no_funder_whatever_stands_beside() -> None:
    def organisation(title: str, description: str) -> Decimal:
        return next(s.score for s in judged(title, description).scores if s.judge == "OrganizationTypeJudge")

    assert organisation("Oak Foundation", "Who we are and what we do.") >= Decimal("0.90")
    assert organisation("Oak Foundation", "Full-time, gross salary 2,000 euros.") <= Decimal("0.10")


def test_a_foundation_that_says_what_it_does_not_fund_is_still_one() -> None:
    assert judged("What we do not fund – Oak Foundation", "We do not fund parties in Bulgaria.").should_crawl


def test_news_about_a_grant_counts_less_than_the_offer_of_one() -> None:
    offer = keywords("Education grants for schools", "Apply for a grant of up to €5,000 by 1 May.")
    news = keywords(
        "School wins education grant", "The mayor said on Friday that the school received a grant of €5,000."
    )
    assert news * 2 < offer


@pytest.mark.parametrize(
    "title",
    ["Minister grants asylum to two sailors", "Court grants injunction against the port", "Hugh Grant"],
)
def test_another_sense_of_a_word_is_no_offer(title: str) -> None:
    assert keywords(title) <= Decimal("0.20")


def test_an_offer_for_people_elsewhere_is_not_ours() -> None:
    here = judged(
        "Farmer grants", "Farmers in Bulgaria may apply for up to $15,000.", "https://farms.example"
    )
    there = judged(
        "Farmer grants", "Farmers in Tennessee may apply for up to $15,000.", "https://farms.example"
    )
    assert here.should_crawl and not there.should_crawl


@pytest.mark.parametrize(
    ("url", "score"),
    [
        ("https://stiftung-eiche.de/", "0.65"),
        ("https://eiche.de/", "0.50"),
        ("https://oak-foundation.blogspot.com/", "0.20"),
        ("https://fund.ministry.gov.bg/", "0.95"),
    ],
)
def test_a_name_raises_an_unknown_host_and_no_other(url: str, score: str) -> None:
    scores = judged("About us", "", url).scores
    assert next(s.score for s in scores if s.judge == "DomainCredibilityJudge") == Decimal(score)


def test_hosts_of_governments_are_believed_whatever_the_country() -> None:
    def credibility(url: str) -> Decimal:
        return next(s.score for s in judged("x", "", url).scores if s.judge == "DomainCredibilityJudge")

    assert (
        credibility("https://fund.gov.xk")
        == credibility("https://x.gov.bg")
        > credibility("https://plain.example")
    )
    assert credibility("https://easy-cash-2024-00-11.top") == 0
    assert credibility("https://gov.example.com") == credibility("https://plain.example")
    assert credibility("https://shop.ac.com") == credibility("https://plain.example")


@pytest.mark.parametrize(
    ("title", "url", "organisation", "program"),
    [
        (
            "Education Grant Program | America for Bulgaria Foundation",
            "https://us4bg.org/education",
            "America for Bulgaria Foundation",
            "Education Grant Program",
        ),
        (
            "Фондация „Желеви“ – Програма „Селски инициативи“",
            "https://zhelevi.bg",
            "Фондация „Желеви“",
            "Програма „Селски инициативи“",
        ),
        ("Thracia Fund: Small grants", "https://thracia-fund.org", "Thracia Fund", "Small grants"),
        ("Scholarships for nurses", "https://example.org", None, "Scholarships for nurses"),
        ("", "https://example.org", None, None),
    ],
)
def test_names_are_taken_out_of_the_title(
    title: str, url: str, organisation: str | None, program: str | None
) -> None:
    judgment = judged(title, "", url)
    assert judgment.names() == (organisation, program)


def test_a_result_without_an_address_has_no_domain() -> None:
    assert judged("Grants", "", "not an address").domain == ""


def test_the_language_that_is_told_is_the_one_that_is_read() -> None:
    hit = SearchHit("https://example.org", "Burse", "", language="ro")
    assert FUNDING.judge(hit).language == "ro"
    assert "burs" in FUNDING.judge(hit).reasoning.lower()


def test_what_is_kept_of_each_judge_is_text_that_json_can_hold() -> None:
    judgment = FUNDING.judge(
        SearchHit("https://fond.example/", "Грантове за читалища", "Кандидатствайте до 31 май.")
    )
    kept = json.loads(json.dumps([score.row() for score in judgment.scores]))
    assert [row["judge"] for row in kept] == [score.judge for score in judgment.scores]
    assert all(row["explanation"] for row in kept)
    assert "offer (грант" in kept[0]["explanation"]


@pytest.mark.parametrize("name", ["Judge", "FundingJudge", "Funding"])
def test_a_judge_of_any_name_has_one_that_people_read(name: str) -> None:
    assert spoken(name)
