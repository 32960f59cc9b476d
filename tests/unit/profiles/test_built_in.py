"""The three built-in profiles: complete in every language, and written the way words are compared."""

import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from surveyor.profiles import files, loader, templates, values
from surveyor.profiles.files import BUILT_IN
from surveyor.profiles.model import Profile

FOLDER = Path(files.__file__).parent
LOADED = {name: loader.load(name) for name in BUILT_IN}
each = pytest.mark.parametrize("profile", LOADED.values(), ids=BUILT_IN)


def word_lists(profile: Profile) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every list of words as (where, language, words)."""
    raw = tomllib.loads((FOLDER / f"{profile.name}.toml").read_text(encoding="utf-8"))
    waiting = [(name, table) for name, table in raw.items() if isinstance(table, dict)]
    while waiting:
        path, table = waiting.pop()
        for key, value in table.items():
            if isinstance(value, dict):
                waiting.append((f"{path}.{key}", value))
            elif isinstance(value, list) and key in profile.languages and not path.endswith("templates"):
                yield path, key, tuple(value)


def tokens(word: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", word)


def scripts(word: str) -> set[str]:
    return {unicodedata.name(ch).split()[0] for ch in word if ch.isalpha()}


def related(one: str, other: str) -> bool:
    """Inflections of one word, roughly: the same but for its ending."""
    stem = max(4, min(len(one), len(other)) - 2)
    return one == other or (len(one) >= 4 and one[:stem] == other[:stem])


def test_there_are_three() -> None:
    assert BUILT_IN == ("funding", "community", "images")
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(BUILT_IN)


@each
def test_every_word_list_has_words(profile: Profile) -> None:
    assert [(path, lang) for path, lang, words in word_lists(profile) if not words] == []


@each
def test_every_language_has_every_keyword_group_and_organisation_type(profile: Profile) -> None:
    for group in (*profile.keywords.values(), *profile.organisations.values()):
        assert set(group.words) == set(profile.languages)
        assert all(len(words) >= 3 for words in group.words.values())


@each
def test_words_are_written_the_way_they_are_compared(profile: Profile) -> None:
    wrong = [w for _, _, words in word_lists(profile) for w in words if w != values.normal_word(w)]
    assert wrong == []


@each
def test_no_word_mixes_two_alphabets(profile: Profile) -> None:
    written = {token for _, _, words in word_lists(profile) for word in words for token in tokens(word)}
    assert [token for token in written if len(scripts(token)) > 1] == []


@each
def test_words_are_in_the_alphabet_of_their_language(profile: Profile) -> None:
    own = {"bg": "CYRILLIC", "el": "GREEK"}
    for path, language, words in word_lists(profile):
        native = [word for word in words if own.get(language, "LATIN") in scripts(word)]
        # Names such as Erasmus are written in Latin letters everywhere, and so are most addresses.
        assert path.endswith("path") or len(native) > len(words) / 2, (path, language)


def test_romanian_is_written_with_commas_and_greek_with_final_sigmas() -> None:
    for path, language, words in word_lists(LOADED["funding"]):
        for word in words:
            assert language != "ro" or not set(word) & set("şţ"), (path, word)
            assert language != "el" or not re.search(r"σ\b", word), (path, word)


@each
def test_a_cancelling_phrase_covers_a_word_that_would_support(profile: Profile) -> None:
    for language in profile.languages:
        supporting = [
            tokens(word)
            for group in profile.keywords.values()
            if group.effect == "supports"
            for word in group.words[language]
        ]
        for group in profile.keywords.values():
            for phrase in group.words[language] if group.effect == "cancels" else ():
                parts = tokens(phrase)
                assert any(
                    all(any(related(wanted, part) for part in parts) for wanted in word)
                    for word in supporting
                ), (language, phrase)


@each
def test_no_word_both_supports_and_speaks_against(profile: Profile) -> None:
    for language in profile.languages:
        by_effect: dict[str, set[str]] = {"supports": set(), "weakens": set(), "cancels": set()}
        for group in profile.keywords.values():
            by_effect[group.effect] |= set(group.words[language])
        assert not by_effect["supports"] & (by_effect["weakens"] | by_effect["cancels"])


@each
def test_no_host_repeats_what_a_suffix_of_its_class_says(profile: Profile) -> None:
    for site in profile.credibility.sites.values():
        redundant = [a for a in site.suffixes for b in site.suffixes if a.endswith("." + b)]
        assert redundant == []


@each
def test_everything_confidence_is_made_of_has_two_places(profile: Profile) -> None:
    numbers = [profile.threshold, *profile.judges.values(), profile.credibility.default]
    numbers += [group.strength for group in (*profile.keywords.values(), *profile.organisations.values())]
    numbers += [site.score for site in profile.credibility.sites.values()]
    numbers += [place.strength for place in profile.geography.places.values()]
    assert all(type(number) is Decimal and number.as_tuple().exponent == -2 for number in numbers)
    assert all(weight > 0 for weight in profile.judges.values())


@each
def test_credible_hosts_score_above_the_unknown_and_social_networks_below(profile: Profile) -> None:
    scores = {host: site.score for site in profile.credibility.sites.values() for host in site.suffixes}
    assert scores["gov"] > scores["org"] > profile.credibility.default > scores["facebook.com"]


@each
def test_people_decide_unless_a_profile_says_otherwise(profile: Profile) -> None:
    assert profile.threshold == Decimal("0.60")
    assert not profile.policies.auto_approve.enabled
    assert not profile.policies.blacklist_spam
    assert profile.policies.approve_assets == (profile.name == "images")


@each
def test_limits_common_to_all(profile: Profile) -> None:
    assert profile.limits.crawl_delay_seconds == 2
    assert profile.limits.max_pages_per_run == 1000


@each
def test_both_kinds_of_session_have_queries_in_every_language_spoken_there(profile: Profile) -> None:
    nightly = templates.queries(profile, "nightly_discovery", 2026)
    weekly = templates.queries(profile, "weekly_deep_crawl", 2026)
    # Community looks in the United States, and knows words for whoever changes its places.
    spoken = {"en", "es"} if profile.name == "community" else set(profile.languages)
    assert {query.language for query in nightly} == {q.language for q in weekly} == spoken
    assert 10 <= len(nightly) < len(weekly) <= 300


def test_funding_looks_for_programmes_in_six_languages() -> None:
    funding = LOADED["funding"]
    assert funding.languages == ("en", "bg", "de", "ro", "el", "fr")
    assert funding.judges == {
        "keywords": Decimal("2.0"),
        "credibility": Decimal("1.5"),
        "geography": Decimal("1.0"),
        "organisation": Decimal("0.8"),
    }
    assert funding.records == ("funding_program", "organisation")
    assert (funding.yields, funding.images) == ("records", False)
    assert (funding.limits.max_crawl_depth, funding.limits.scrape_frequency_hours) == (3, 168)


def test_bulgaria_comes_first_for_funding() -> None:
    places = LOADED["funding"].geography.places
    assert max(places, key=lambda code: places[code].strength) == "BG"
    assert LOADED["funding"].geography.phone_regions[0] == "BG"


def test_every_place_of_funding_has_names_and_adjectives_and_countries_have_cities() -> None:
    for code, place in LOADED["funding"].geography.places.items():
        assert place.names and place.adjectives
        assert place.cities or len(code) > 2 or code == "EU"


def test_community_looks_for_services_opportunities_and_businesses() -> None:
    community = LOADED["community"]
    assert community.languages == ("en", "es", "bg", "de", "ro", "el", "fr")
    assert community.records == ("business", "opportunity", "organisation", "service")
    assert (community.yields, community.images) == ("records", False)
    assert (community.limits.max_crawl_depth, community.limits.scrape_frequency_hours) == (3, 24)
    assert len(community.geography.places["US"].regions["en"]) == 51


def test_images_looks_for_images_without_a_depth_limit() -> None:
    images = LOADED["images"]
    assert images.records == ()
    assert (images.yields, images.images) == ("images", True)
    assert (images.limits.max_crawl_depth, images.limits.scrape_frequency_hours) == (None, 336)


def test_the_package_stands_on_light_modules_alone() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    imported = set(re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE))
    assert imported - sys.stdlib_module_names == {"pydantic", "surveyor"}
