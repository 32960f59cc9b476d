"""Settings: the file, the environment above it, and one clear line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor import settings
from surveyor.errors import BadSettings


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    loaded = settings.load(tmp_path)
    assert (loaded.profile, loaded.crawl.lease_seconds, loaded.crawl.renew_seconds) == (
        "funding",
        1800.0,
        600.0,
    )
    assert loaded.net.allow == []


def test_a_file_saved_by_an_editor_of_windows_is_read(tmp_path: Path) -> None:
    text = b'\xef\xbb\xbfprofile = "community"\r\n\r\n[crawl]\r\ndelay_seconds = 3\r\n'
    (tmp_path / "surveyor.toml").write_bytes(text)
    loaded = settings.load(tmp_path)
    assert (loaded.profile, loaded.crawl.delay_seconds) == ("community", 3.0)


def test_the_environment_is_stronger_than_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "surveyor.toml").write_text("[crawl]\ndelay_seconds = 5\ndepth = 2\n")
    monkeypatch.setenv("SURVEYOR_CRAWL__DELAY_SECONDS", "0.5")
    loaded = settings.load(tmp_path)
    assert (loaded.crawl.delay_seconds, loaded.crawl.depth) == (0.5, 2)


def test_lists_and_maps_come_from_the_environment_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURVEYOR_NET__ALLOW", '["127.0.0.0/8"]')
    monkeypatch.setenv("SURVEYOR_NET__HOSTS", '{"a.example": "127.0.0.1:8080"}')
    loaded = settings.load(tmp_path)
    assert loaded.net.allow == ["127.0.0.0/8"]
    assert loaded.net.hosts == {"a.example": "127.0.0.1:8080"}


def test_one_setting_of_the_environment_is_stronger_than_its_section_and_that_than_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "surveyor.toml").write_text("[crawl]\ndelay_seconds = 5\ndepth = 2\nimages = true\n")
    monkeypatch.setenv("SURVEYOR_CRAWL__DEPTH", "4")
    monkeypatch.setenv("SURVEYOR_CRAWL", '{"depth": 3, "delay_seconds": 0}')
    loaded = settings.load(tmp_path).crawl
    assert (loaded.depth, loaded.delay_seconds, loaded.images) == (4, 0, True)


@pytest.mark.parametrize("text", ["", "a,b", "{}", "[" * 100_000, "[1"])
def test_a_list_in_the_environment_that_is_none_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("SURVEYOR_NET__ALLOW", text)
    with pytest.raises(BadSettings, match=r"net\.allow: SURVEYOR_NET__ALLOW is no JSON list"):
        settings.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[crawl]\ndelay_secs = 1\n", "crawl.delay_secs in .* is not a setting; perhaps crawl.delay_sec"),
        (b"[crwal]\n", "crwal in .* is not a setting; perhaps crawl"),
        (b"[net]\nzebra = 1\n", "net.zebra in .* is not a setting; remove it"),
        (b"[crawl]\nlease_seconds = -1\n", "crawl.lease_seconds"),
        (b"[crawl\n", "not valid TOML"),
        (b"profile = '\xff'\n", "not UTF-8"),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_names_it(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "surveyor.toml").write_bytes(content)
    with pytest.raises(BadSettings, match=told) as refusal:
        settings.load(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_mistyped_environment_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURVEYOR_CRAWL__DELAY", "1")
    with pytest.raises(BadSettings, match="CRAWL__DELAY is not a setting; perhaps SURVEYOR_CRAWL__DELAY_S"):
        settings.load(tmp_path)


@given(st.binary(max_size=200))
def test_no_bytes_in_the_file_make_it_fall_over(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    folder = tmp_path_factory.mktemp("ws")
    (folder / "surveyor.toml").write_bytes(content)
    try:
        settings.load(folder)
    except BadSettings as refusal:
        assert "\n" not in str(refusal)
