"""The hash follows the meaning of a profile and nothing else."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.profiles import files
from surveyor.profiles.files import BUILT_IN
from surveyor.profiles.loader import load
from surveyor.profiles.model import Profile

GOOD = {
    "name": "trails",
    "title": "Trails",
    "description": "Sites about trails.",
    "languages": ["en", "de"],
    "records": ["organisation", "service"],
    "judges": {"keywords": "2.0", "credibility": "1"},
    "keywords": {
        "trail": {"words": {"en": ["hiking trail", "trail map"], "de": ["wanderweg"]}},
        "shop": {"effect": "weakens", "strength": "medium", "words": {"en": ["add to cart"], "de": []}},
    },
}


def hash_of(**changes: object) -> str:
    return Profile.model_validate(GOOD | changes).hash


def test_it_is_a_sha256_in_hex() -> None:
    assert re.fullmatch("[0-9a-f]{64}", hash_of())


def test_it_is_the_same_on_every_machine() -> None:
    # Written down once: a change means that every database in use would refuse its own profile.
    assert hash_of() == "339f22479403f9c7e69944f19d8eca42a7ad8319b588575e06ab28c4e5f2fba2"


def test_the_built_in_profiles_differ() -> None:
    assert len({load(name).hash for name in BUILT_IN}) == len(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_comments_and_layout_change_nothing(name: str, tmp_path: Path) -> None:
    text = (Path(files.__file__).parent / f"{name}.toml").read_text(encoding="utf-8")
    bare = "\n\n".join(line.strip() for line in text.splitlines() if not line.startswith("#"))
    (tmp_path / "mine.toml").write_text(f"# mine\n{bare}\n# end\n", encoding="utf-8")
    assert load("mine.toml", tmp_path).hash == load(name).hash


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_order_of_tables_changes_nothing(name: str, tmp_path: Path) -> None:
    text = (Path(files.__file__).parent / f"{name}.toml").read_text(encoding="utf-8")
    head, *tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    (tmp_path / "mine.toml").write_text(head + "\n".join(reversed(tables)), encoding="utf-8")
    assert load("mine.toml", tmp_path).hash == load(name).hash


@given(st.permutations(list(GOOD)), st.permutations(["hiking trail", "trail map"]))
def test_the_order_of_fields_and_words_changes_nothing(fields: list[str], words: list[str]) -> None:
    keywords = {
        "shop": GOOD["keywords"]["shop"],  # type: ignore[index]
        "trail": {"words": {"de": ["wanderweg"], "en": words}},
    }
    changed = {field: GOOD[field] for field in fields} | {"keywords": keywords}
    assert Profile.model_validate(changed).hash == hash_of()


@pytest.mark.parametrize(
    "same",
    [
        {"title": "Other", "description": "Other."},
        {"threshold": "0.6"},
        {"limits": {"max_crawl_depth": 3, "crawl_delay_seconds": 2}},
        {"judges": {"credibility": "1.00", "keywords": 2}},
        {"records": ["service", "organisation"]},
        {"policies": {"auto_approve": {}}},
    ],
    ids=str,
)
def test_another_spelling_of_the_same_changes_nothing(same: dict[str, object]) -> None:
    assert hash_of(**same) == hash_of()


@pytest.mark.parametrize(
    "other",
    [
        {"name": "paths"},
        {"threshold": "0.61"},
        {"languages": ["de", "en"]},
        {"records": ["service"]},
        {"judges": {"keywords": "2.01", "credibility": "1"}},
        {"limits": {"max_crawl_depth": "unlimited"}},
        {"images": True},
        {"policies": {"blacklist_spam": True}},
    ],
    ids=str,
)
def test_another_meaning_changes_it(other: dict[str, object]) -> None:
    assert hash_of(**other) != hash_of()


@given(st.text(alphabet="abcdefgh", min_size=1, max_size=8))
def test_one_more_word_changes_it(word: str) -> None:
    trail = {"words": {"en": ["hiking trail", "trail map", word], "de": ["wanderweg"]}}
    keywords = {"shop": GOOD["keywords"]["shop"], "trail": trail}  # type: ignore[index]
    assert hash_of(keywords=keywords) != hash_of()
