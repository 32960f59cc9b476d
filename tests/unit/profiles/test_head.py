"""What a profile yields is known from its head, and is what the whole profile says."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor import profiles
from surveyor.errors import BadProfile
from surveyor.profiles import head

_IMAGES, _COMMUNITY = (
    Path(profiles.__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")
    for name in ("images", "community")
)


@pytest.mark.parametrize("name", profiles.BUILT_IN)
def test_the_head_of_a_built_in_profile_says_what_the_whole_says(name: str) -> None:
    assert head.yields(name) == profiles.load(name).yields


@pytest.mark.parametrize(
    "text",
    [
        _IMAGES,
        "\ufeff" + _IMAGES,
        _IMAGES.replace("\n", "\r\n"),
        _COMMUNITY.replace('yield = "records"\n', ""),
        _IMAGES.replace("\n[judges]", '\ndescription2 = """\n[none]"""\n[judges]', 1),
        _IMAGES.replace('yield = "images"', 'yield = "pictures"'),
        _IMAGES.replace('yield = "images"', 'yield = ["images"]'),
        "yield =",
    ],
)
def test_a_head_says_what_the_whole_profile_says_and_is_refused_where_that_is(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8", newline="")
    try:
        whole: str | None = profiles.load("own.toml", tmp_path).yields
    except BadProfile:
        whole = None
    if whole is not None:
        assert head.yields("own.toml", tmp_path) == whole
        return
    with pytest.raises(BadProfile):
        head.yields("own.toml", tmp_path)


def test_words_that_are_wrong_further_down_do_not_keep_a_list_from_being_shown(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(f"{_IMAGES}\n[broken", encoding="utf-8")
    assert head.yields("own.toml", tmp_path) == "images"
