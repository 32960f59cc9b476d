"""Finding, reading and refusing profiles."""

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from surveyor.errors import BadProfile
from surveyor.profiles import files
from surveyor.profiles.loader import load
from surveyor.profiles.mistakes import explained as told_of
from surveyor.profiles.model import Profile

GOOD = """\
name = "trails"
title = "Trails"
description = "Sites about trails."
languages = ["en"]
records = ["organisation"]
images = false

[judges]
keywords = 2.0

[keywords.trail]
strength = "strong"
words.en = ["hiking trail", "trail map"]
"""


def read(folder: Path, text: str | bytes) -> Profile:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "mine.toml").write_bytes(data)
    return load("mine.toml", folder)


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(BadProfile) as caught:
        read(folder, text)
    message = str(caught.value)
    assert message.isprintable() and len(message) < 400
    assert "'mine.toml'" in message
    return message


def test_a_name_finds_a_built_in_profile_whatever_the_workspace_holds(tmp_path: Path) -> None:
    (tmp_path / "funding").write_text(GOOD)
    assert load("funding", tmp_path).name == "funding"
    assert load("./funding", tmp_path).name == "trails"


def test_a_relative_path_starts_at_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.toml").write_text(GOOD)
    assert load("sub/mine.toml", tmp_path).name == "trails"


def test_an_absolute_path_needs_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)
    assert load(str(tmp_path / "mine.toml")).name == "trails"
    assert load(str(tmp_path / "mine.toml"), Path("/elsewhere")).name == "trails"


@pytest.mark.parametrize("name", ["fundin", "nowhere/mine.toml", "", ".", "\0", "/dev/null", "~nobody/x"])
def test_a_missing_profile_is_answered_with_the_names_there_are(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        BadProfile, match=r"there is no profile .*: use funding, community, images, or the path"
    ):
        load(name, tmp_path)


def test_the_answer_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(BadProfile) as caught:
        load("mine.toml", tmp_path)
    assert str(tmp_path / "mine.toml")[:60] in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)
    (tmp_path / "mine.toml").chmod(0)
    with pytest.raises(BadProfile, match="cannot be read"):
        load("mine.toml", tmp_path)


def test_a_name_the_system_refuses_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="cannot be read: File name too long"):
        load("a" * 5000, tmp_path)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()) == read(tmp_path, GOOD)


def test_what_is_left_out_has_the_documented_default(tmp_path: Path) -> None:
    profile = read(tmp_path, GOOD)
    assert str(profile.threshold) == "0.60"
    assert (profile.limits.max_crawl_depth, profile.limits.scrape_frequency_hours) == (3, 168)
    assert (profile.limits.crawl_delay_seconds, profile.limits.max_pages_per_run) == (2, 1000)
    assert not profile.policies.auto_approve.enabled and not profile.policies.approve_assets


def test_a_profile_cannot_be_changed(tmp_path: Path) -> None:
    profile = read(tmp_path, GOOD)
    with pytest.raises(Exception, match="frozen"):
        profile.limits.max_pages_per_run = 5  # type: ignore[misc]


TOP = "[judges]"  # where a mistake is put when it needs no place of its own
MISTAKES = [
    ('title = "Trails"\n', "", "title is missing; add it"),
    ("title", "titel", "titel is not a field; did you mean title?"),
    (TOP, 'yields = "images"\n[judges]', "yields is not a field; did you mean yield?"),
    (TOP, "limits.max_depth = 3\n[judges]", "limits.max_depth is not a field; did you mean max_crawl_depth?"),
    (TOP, "zzz = 3\n[judges]", "zzz is not a field; remove it"),
    (TOP, '"a\\u001b\\nb" = 3\n[judges]', "a��b is not a field; remove it"),
    ('"trails"', "1", "name: write text in quotes, not '1'"),
    ('"trails"', '"My Trails"', "name: 'My Trails' is no name; use up to 40 small letters"),
    ('"Trails"', '"  "', "title: write one to 500 characters"),
    ('["en"]', '["gr"]', "languages (entry 1): 'gr' is no language code; use two letters of ISO 639-1"),
    ('["en"]', '["en", "en"]', "languages: 'en' is written twice; remove one"),
    ('["en"]', "[]", "languages: write at least one"),
    ('["en"]', '"en"', 'languages: write a list, such as ["one", "two"], not \'en\''),
    ('["en"]', '["en", "de"]', "keywords.trail.words has no de; add it ([] for none)"),
    ("words.en", "words.fr", "keywords.trail.words has no en; add it"),
    ("words.en", "words.fr = []\nwords.en", "keywords.trail.words.fr: fr is not in languages; add it there"),
    (
        '["organisation"]',
        '["shop"]',
        "records: there is no kind of records shop; there are funding_program, service",
    ),
    ('["organisation"]', "[]", "records is empty; name the kinds to extract"),
    (TOP, 'yield = "images"\n[judges]', 'yield is "images" but images is off; set images = true'),
    ("false", '"no"', "images: write true or false, not 'no'"),
    ("2.0", "0", "judges.keywords: write a number over 0, not '0'"),
    ("2.0", "20", "judges.keywords: write 10 or less, not '20'"),
    ("2.0", "2.005", "judges.keywords: write two decimal places at most, not '2.005'"),
    ("2.0", "nan", "judges.keywords: write a number such as 0.60, not 'NaN'"),
    ("2.0", "true", "judges.keywords: write a number such as 0.60, not 'True'"),
    ("2.0", '"two"', "judges.keywords: write a number such as 0.60, not 'two'"),
    ("2.0", "1e99999999999999999999", "holds a number too large to read"),
    ("2.0", "1" * 5000, "holds a number too large to read"),
    (
        "keywords = 2.0",
        "keyword = 2.0",
        "judges.keyword: there is no judge keyword; there are keywords, credibility",
    ),
    ("keywords = 2.0", "", "judges: write at least one"),
    ("keywords = 2.0", "keywords = 1\ngeography = 1", "judges.geography has no places to look for; add"),
    ("keywords = 2.0", "keywords = 1\norganisation = 1", "judges.organisation has no words to look for"),
    (TOP, "threshold = 1.01\n[judges]", "threshold: write 1 or less, not '1.01'"),
    (TOP, "threshold = 0.605\n[judges]", "threshold: write two decimal places at most, not '0.605'"),
    ("hiking trail", "Trail  Map", "keywords.trail.words.en: 'trail map' is written twice; remove one"),
    ("hiking trail", " ", "keywords.trail.words.en: ' ' has no letter or digit; remove it"),
    (
        "hiking trail",
        "a b c d e f g h i",
        "keywords.trail.words.en: 'a b c d e f g h i' is longer than 8 words",
    ),
    ('"hiking trail"', "3", "keywords.trail.words.en (entry 1): write text in quotes, not '3'"),
    ("[keywords.trail]", "[keywords.Trail]", "keywords.Trail: 'Trail' is no name"),
    (
        '"strong"',
        '"huge"',
        "keywords.trail.strength: 'huge' is no strength; use strong, medium, weak or a number",
    ),
    ('"strong"', "1.5", "keywords.trail.strength: write 1 or less"),
    (
        '"strong"',
        '"strong"\neffect = "helps"',
        "keywords.trail.effect: use 'supports', 'weakens' or 'cancels'",
    ),
    ('"strong"', '"strong"\neffect = "weakens"', 'keywords has no group with effect = "supports"; add one'),
    (TOP, "limits.max_pages_per_run = 0\n[judges]", "limits.max_pages_per_run: write 1 or more, not '0'"),
    (TOP, "limits.max_pages_per_run = true\n[judges]", "limits.max_pages_per_run: write a whole number"),
    (TOP, 'limits.max_crawl_depth = "none"\n[judges]', 'write a number of links, or "unlimited"'),
    (TOP, "limits.max_crawl_depth = -1\n[judges]", "limits.max_crawl_depth: write 0 or more, not '-1'"),
    (TOP, "limits.crawl_delay_seconds = 0\n[judges]", "limits.crawl_delay_seconds: write a number over 0"),
    (TOP, "limits.crawl_delay_seconds = true\n[judges]", "limits.crawl_delay_seconds: write a number"),
    (TOP, "limits = 3\n[judges]", "limits: write a table, not '3'"),
    (
        TOP,
        "policies.auto_approve.from_confidence = 0.59\n[judges]",
        "policies.auto_approve.from_confidence is below the threshold 0.60; raise it",
    ),
    (TOP, 'policies.auto_approve.suffixes = ["gov bg"]\n[judges]', "'gov bg' is no host or suffix"),
    (TOP, 'policies.auto_approve.suffixes = ["бг"]\n[judges]', "'бг' is not ASCII; write it in punycode"),
    (TOP, 'geography.phone_regions = ["bg"]\n[judges]', "'bg' is no country code; use two capital letters"),
    (TOP, 'geography.currencies = ["€"]\n[judges]', "'€' is no currency code; use three capital letters"),
    (TOP, 'geography.places.bg.names.en = ["bulgaria"]\n[judges]', "'bg' is no code of a place; use capital"),
    (
        TOP,
        "geography.places.BG.names.en = []\n[judges]",
        "geography.places.BG.names.en is empty; write its name",
    ),
    (
        TOP,
        'credibility.sites.a = {score = 1, suffixes = ["gov"]}\n'
        'credibility.sites.b = {score = 0, suffixes = [".GOV"]}\n[judges]',
        "credibility: 'gov' is in both a and b; remove it from one",
    ),
    (TOP, "[queries.nightly]\n[judges]", "queries.nightly: use 'nightly_discovery' or 'weekly_deep_crawl'"),
    ('"Trails"', "", "is not valid TOML: Invalid value (at line 2"),
    ('"Trails"', "[" * 3000, "is nested too deeply"),
]


@pytest.mark.parametrize(("right", "wrong", "told"), MISTAKES, ids=[told[:60] for _, _, told in MISTAKES])
def test_a_mistake_is_one_line_that_says_what_to_do(
    tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    assert right in GOOD
    assert told in refusal(tmp_path, GOOD.replace(right, wrong, 1))


def test_further_mistakes_are_counted(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD.replace("title", "titel")).endswith("did you mean title? (and 1 more)")


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    assert "is not UTF-8; save it as UTF-8" in refusal(tmp_path, GOOD.encode("utf-16"))


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path) -> None:
    assert "is over 1,000,000 bytes; is it the right file?" in refusal(tmp_path, "#" * 1_000_001)


def test_a_long_wrong_word_does_not_make_a_long_message(tmp_path: Path) -> None:
    refusal(tmp_path, GOOD.replace("hiking trail", "?" * 100_000))


def test_unlimited_depth_is_no_depth(tmp_path: Path) -> None:
    text = GOOD.replace(TOP, 'limits.max_crawl_depth = "unlimited"\n[judges]')
    assert read(tmp_path, text).limits.max_crawl_depth is None


def test_auto_approval_is_on_when_a_confidence_or_a_suffix_is_given(tmp_path: Path) -> None:
    by_score = read(tmp_path, GOOD.replace(TOP, "policies.auto_approve.from_confidence = 0.9\n[judges]"))
    by_suffix = read(tmp_path, GOOD.replace(TOP, 'policies.auto_approve.suffixes = [".Gov"]\n[judges]'))
    assert by_score.policies.auto_approve.enabled and by_suffix.policies.auto_approve.enabled
    assert str(by_score.policies.auto_approve.from_confidence) == "0.90"
    assert by_suffix.policies.auto_approve.suffixes == ("gov",)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_profile_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp()
    try:
        read(folder, data)
    except BadProfile as error:
        assert str(error).isprintable()


@given(st.text(max_size=60))
def test_any_name_is_a_profile_or_refused(name: str) -> None:
    try:
        assert load(name, Path("/nonexistent")).name in files.BUILT_IN
    except BadProfile as error:
        assert str(error).isprintable()


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.decimals(allow_nan=True)
    | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(Profile.model_fields)), anything)
def test_any_value_in_any_field_is_accepted_or_told_in_one_line(field: str, value: object) -> None:
    try:
        Profile.model_validate(tomllib.loads(GOOD) | {Profile.model_fields[field].alias or field: value})
    except ValidationError as error:
        assert told_of(error).isprintable()
