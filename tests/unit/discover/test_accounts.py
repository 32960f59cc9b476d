"""Where keys come from, what is missing, and that nobody sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor import settings
from surveyor.discover.provider import accounts, chosen
from surveyor.errors import BadSettings, UsageError

CANARY = "canary-0815"


def load(folder: Path, toml: str = "") -> settings.Settings:
    (folder / "surveyor.toml").write_text(toml)
    return settings.load(folder)


def test_a_key_comes_from_settings_then_a_file_then_the_usual_variable(tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text(f"{CANARY}-file\n")
    loaded = load(
        tmp_path,
        f'[providers.brave]\nkey = "{CANARY}-toml"\nkey_file = "key.txt"\n'
        '[providers.serper]\nkey_file = "key.txt"\n',
    )
    environment = {"BRAVE_API_KEY": "x", "SERPER_API_KEY": "x", "TAVILY_API_KEY": f" {CANARY}-env \n"}
    found = accounts(loaded.providers, tmp_path, environment)
    keys = {name: account.key for name, account in found.items() if account.key}
    assert keys == {"brave": f"{CANARY}-toml", "serper": f"{CANARY}-file", "tavily": f"{CANARY}-env"}


def test_the_environment_sets_one_field_of_a_provider_and_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURVEYOR_PROVIDERS__BRAVE__KEY", CANARY)
    monkeypatch.setenv("SURVEYOR_PROVIDERS__SEARXNG__BASE_URL", "http://s.example")
    loaded = load(tmp_path, "[providers.brave]\nresults = 7\n")
    assert (loaded.providers.brave.key.get_secret_value(), loaded.providers.brave.results) == (CANARY, 7)
    assert loaded.providers.searxng.per_call_credits == 0
    assert [account.name for account in chosen(accounts(loaded.providers, tmp_path, {}), ())] == [
        "brave",
        "searxng",
    ]


def test_a_mistyped_provider_setting_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURVEYOR_PROVIDERS__BRAVE__KEYS", CANARY)
    with pytest.raises(BadSettings, match="SURVEYOR_PROVIDERS__BRAVE__KEYS is not a setting") as refusal:
        settings.load(tmp_path)
    assert CANARY not in str(refusal.value)


@pytest.mark.parametrize("url", [f"https://u:{CANARY}@s.example", f"https://s.example/?key={CANARY}"])
def test_an_address_holds_no_secret(tmp_path: Path, url: str) -> None:
    loaded = load(tmp_path, f'[providers.searxng]\nbase_url = "{url}"\n')
    with pytest.raises(BadSettings, match=r"providers\.searxng\.base_url") as refusal:
        accounts(loaded.providers, tmp_path, {})
    assert CANARY not in str(refusal.value)


@pytest.mark.parametrize(
    "value", [f'{{"brave": {{"key": "{CANARY}"', f'["{CANARY}"]', f'{{"brave": "{CANARY}"}}']
)
def test_a_section_that_is_no_json_is_refused_without_showing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SURVEYOR_PROVIDERS", value)
    with pytest.raises(BadSettings, match="providers") as refusal:
        settings.load(tmp_path)
    assert CANARY not in str(refusal.value) and "\n" not in str(refusal.value)


def test_no_repr_shows_a_key(tmp_path: Path) -> None:
    loaded = load(tmp_path, f'[providers.brave]\nkey = "{CANARY}"\n')
    found = accounts(loaded.providers, tmp_path, {"SERPER_API_KEY": CANARY})
    assert CANARY not in f"{loaded!r}{loaded.model_dump_json()}{found!r}"
    assert CANARY not in found["brave"].mark


def test_a_key_saved_by_an_editor_of_windows_is_the_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\xef\xbb\xbfabc123\r\n")
    loaded = load(tmp_path, '[providers.brave]\nkey_file = "key"\n')
    assert accounts(loaded.providers, tmp_path, {})["brave"].key == "abc123"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        ("", "must hold one line"),
        ("a\nb\n", "must hold one line"),
        ("schlüssel", "strange"),
    ],
    ids=["missing", "empty", "two lines", "not ascii"],
)
def test_a_key_file_that_is_wrong_says_so_in_one_line(tmp_path: Path, content: str | None, told: str) -> None:
    if content is not None:
        (tmp_path / "key").write_text(content)
    loaded = load(tmp_path, '[providers.brave]\nkey_file = "key"\n')
    with pytest.raises(BadSettings, match=told) as refusal:
        accounts(loaded.providers, tmp_path, {})
    assert "\n" not in str(refusal.value) and "schl" not in str(refusal.value)


def test_what_a_provider_lacks_is_told(tmp_path: Path) -> None:
    loaded = load(tmp_path, '[providers.tavily]\nenabled = false\nkey = "k"\n')
    found = accounts(loaded.providers, tmp_path, {})
    assert found["brave"].missing == "set providers.brave.key, providers.brave.key_file or BRAVE_API_KEY"
    assert found["searxng"].missing == "set providers.searxng.base_url"
    assert found["tavily"].missing == "switched off by providers.tavily.enabled"
    for wanted, words in (
        ((), "no search provider"),
        (("brave",), "brave cannot be asked"),
        (("x",), "no provider x"),
    ):
        with pytest.raises(UsageError, match=words):
            chosen(found, wanted)


def test_another_key_or_address_is_another_account(tmp_path: Path) -> None:
    def mark(toml: str) -> str:
        return accounts(load(tmp_path, toml).providers, tmp_path, {})["brave"].mark

    plain = mark('[providers.brave]\nkey = "a"\n')
    assert plain == mark('[providers.brave]\nkey = "a"\nresults = 3\n')
    assert (
        len(
            {
                plain,
                mark('[providers.brave]\nkey = "b"\n'),
                mark('[providers.brave]\nkey = "a"\nbase_url = "http://x.example"\n'),
            }
        )
        == 3
    )
