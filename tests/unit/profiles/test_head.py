"""The head of a profile says what the whole says, and is known again while nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.errors import BadProfile
from surveyor.profiles import files, head, loader
from surveyor.profiles.head import Head

_IMAGES, _COMMUNITY = (
    Path(files.__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")
    for name in ("images", "community")
)


@pytest.mark.parametrize("name", files.BUILT_IN)
def test_the_head_of_a_built_in_profile_says_what_the_whole_says(name: str) -> None:
    assert head.yields(name) == loader.load(name).yields


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
        whole: str | None = loader.load("own.toml", tmp_path).yields
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


@pytest.mark.parametrize("name", files.BUILT_IN)
def test_what_is_kept_of_a_profile_is_what_it_says(name: str) -> None:
    whole = loader.load(name)
    kept = Head.of(whole).kept(head.mark(name))
    found = Head.known(kept, head.mark(name))
    assert found is not None
    assert (found.name, found.hash, found.yields, found.images) == (
        whole.name,
        whole.hash,
        whole.yields,
        whole.images,
    )
    assert found.limits._asdict() == whole.limits.model_dump()
    assert found.policies.approve_assets == whole.policies.approve_assets


def test_a_head_is_not_known_once_a_byte_of_the_file_changed(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(_IMAGES, encoding="utf-8")
    kept = Head.of(loader.load("own.toml", tmp_path)).kept(head.mark("own.toml", tmp_path))
    assert Head.known(kept, head.mark("own.toml", tmp_path)) is not None
    file.write_text(_IMAGES + "\n", encoding="utf-8")
    assert Head.known(kept, head.mark("own.toml", tmp_path)) is None
    assert Head.known(None, head.mark("own.toml", tmp_path)) is None
