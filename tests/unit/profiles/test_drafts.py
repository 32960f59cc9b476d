"""Profiles of one's own: begun as a copy, given a language, checked as a whole, tried on pasted results."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.cli import profile as commands
from surveyor.errors import BadInput, BadProfile
from surveyor.judge.panel import Panel
from surveyor.judge.values import SearchHit
from surveyor.profiles import drafts, loader

TRAILS = """\
name = "trails"
title = "Hiking trails"
description = "Clubs that publish maps."
languages = ["en"]
records = ["organisation"]
[judges]
keywords = 2.0
[keywords.offer]
words.en = ["trail map"]
[geography.places.BG]
names.en = ["bulgaria"]
"""


@pytest.mark.parametrize("like", ["funding", "community", "images"])
def test_a_copy_of_a_built_in_profile_is_that_profile_under_another_name(like: str) -> None:
    made = loader.parse(drafts.copy_of(like, "mine", "My own").encode(), "mine")
    assert (made.name, made.title) == ("mine", "My own")
    assert made.keywords == loader.load(like).keywords


def test_a_short_draft_looks_for_the_words_it_was_given_and_judges_by_them() -> None:
    text = drafts.short("shelters", "Dog shelters", ["protectora de animales", "refugio"], "es")
    made = loader.parse(text.encode(), "shelters")
    assert (made.languages, made.keywords["topic"].words["es"]) == (
        ("es",),
        ("protectora de animales", "refugio"),
    )
    assert "añadir al carrito" in made.keywords["shop"].words["es"], (
        "what the package knows speaks against a page"
    )
    panel = Panel(made)
    wanted = panel.judge(SearchHit("https://lahuella.example/", "La Huella, protectora de animales", "", 1))
    shop = panel.judge(SearchHit("https://tienda.example/", "Collares", "Añadir al carrito, envío gratis", 1))
    assert wanted.confidence > shop.confidence
    assert len(text.splitlines()) < 80, "somebody reads it"


def test_a_short_draft_takes_any_language_and_any_title() -> None:
    made = loader.parse(drafts.short("x", 'a "b"\nc {d}', ["abrigo"], "pt").encode(), "x")
    assert (made.title, made.keywords["shop"].words["pt"]) == ('a "b" c {d}', ())
    with pytest.raises(BadInput, match="no language"):
        drafts.short("x", "x", ["x"], "xx")


def test_words_are_for_a_draft_that_copies_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.new("dog-shelters", words="dog shelter, animal rescue,") == 0
    drafted = loader.parse(capsys.readouterr().out.encode(), "draft")
    assert drafted.keywords["topic"].words["en"] == ("animal rescue", "dog shelter")
    assert commands.new("dog-shelters") == 0
    assert '"dog shelters"' in capsys.readouterr().out, "its name is what it looks for"
    with pytest.raises(BadInput, match="--words"):
        commands.new("x", words="y", like="funding")


def test_a_name_that_is_none_and_a_profile_that_is_not_there_are_refused() -> None:
    with pytest.raises(BadProfile, match="name"):
        drafts.copy_of("funding", "Not A Name", "x")
    with pytest.raises(BadInput, match="there are funding"):
        drafts.copy_of("nothing", "mine", "x")


def test_a_language_is_drafted_from_what_the_package_has_and_says_what_is_missing() -> None:
    made, empty = drafts.with_language(tomllib.loads(TRAILS), "de")
    loaded = loader.parse(drafts.to_toml(made).encode(), "draft")
    assert loaded.languages == ("en", "de")
    assert "stipendium" in loaded.keywords["offer"].words["de"], "funding has a group of that name"
    assert loaded.geography.places["BG"].names["de"][0] == "bulgarien"
    assert empty == []
    _, left = drafts.with_language(tomllib.loads(TRAILS.replace("offer", "trail")), "sv")
    assert left == ["keywords.trail.words.sv"]


@pytest.mark.parametrize(("code", "why"), [("xx", "no language"), ("en", "already")])
def test_a_language_that_is_none_or_there_already_is_refused(code: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        drafts.with_language(tomllib.loads(TRAILS), code)


VALUES = st.recursive(
    st.one_of(
        st.text(max_size=20), st.booleans(), st.integers(-(2**40), 2**40), st.lists(st.text(max_size=50))
    ),
    lambda children: st.dictionaries(st.text(min_size=1, max_size=8), children, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(min_size=1, max_size=8), VALUES, max_size=5))
def test_what_is_written_is_what_is_read(data: dict[str, object]) -> None:
    assert tomllib.loads(drafts.to_toml(data)) == data


def test_check_names_all_faults_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trails.toml"
    file.write_text(TRAILS.replace("title =", "titel =").replace("2.0", "99.0"), "utf-8")
    assert commands.check(str(file)) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3 and any("did you mean title" in line for line in said)
    assert any("judges" in line for line in said)
    file.write_text(TRAILS, "utf-8")
    assert commands.check(str(file)) == 0
    assert "trails is in order" in capsys.readouterr().out


def test_try_scores_pasted_results_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = b'{"url": "https://ncf.bg/", "title": "Grants for NGOs in Bulgaria"}\nnonsense\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert commands.try_profile(profile="funding") == 1, "one line is none"
    printed = capsys.readouterr()
    assert "ncf.bg" in printed.out and " keyword:" in printed.out
    assert " learned:" in printed.out, "as the panel judges"
    assert "line 2: not JSON" in printed.err

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    commands.try_profile(profile="funding", rules=True)
    assert " learned:" not in capsys.readouterr().out


def test_show_counts_the_words_of_every_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.show_profile("community") == 0
    printed = capsys.readouterr().out
    assert "Community" in printed and "service" in printed and " el " in printed


def test_a_draft_is_written_into_a_new_file_only(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert commands.new("mine", output=file) == 0
    assert loader.load(str(file)).name == "mine"
    with pytest.raises(BadInput, match="there already"):
        commands.new("mine", output=file)
    grown = tmp_path / "grown.toml"
    assert commands.language("es", profile=str(file), output=grown) == 0
    assert "es" in loader.load(str(grown)).languages
