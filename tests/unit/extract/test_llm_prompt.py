"""The question to a model: the page is data between marks, and its cost is bounded before it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import BadSettings
from surveyor.extract.llm.prompt import Prompt, sent_text
from surveyor.extract.values import PageText
from surveyor.llm.endpoint import Account, account
from surveyor.llm.failures import Trouble, rest
from surveyor.llm.question import content_hash, response_format
from surveyor.settings import ModelSettings

KINDS = ("funding_program", "service")


@given(st.text())
def test_a_page_stands_between_marks_that_it_does_not_hold(page: str) -> None:
    orders, data = (message["content"] for message in Prompt(KINDS).ask(page).messages)
    mark = data.split("\n", 1)[0]
    assert data == f"{mark}\n{page}\n{mark}"
    assert mark not in page
    assert mark in orders


def test_every_question_has_a_mark_of_its_own() -> None:
    prompt = Prompt(KINDS)
    assert prompt.ask("x").messages != prompt.ask("x").messages


def test_what_a_page_says_is_no_part_of_the_orders() -> None:
    page = "{kinds} {mark} %s ${name}"
    orders, _ = (message["content"] for message in Prompt(KINDS, mark=lambda: "m").ask(page).messages)
    assert orders == Prompt(KINDS, mark=lambda: "m").ask("x").messages[0]["content"]


def test_only_kinds_of_the_profile_are_asked_for() -> None:
    orders = Prompt(KINDS).ask("x").messages[0]["content"]
    assert "- service: name, address" in orders
    assert "business" not in orders
    assert Prompt(("nothing known",)).kinds == ()


def test_no_question_can_cost_more_tokens_than_are_reserved() -> None:
    question = Prompt(KINDS).ask("Щ" * 100)
    size = sum(len(message["content"].encode()) for message in question.messages)
    assert question.tokens >= size + 2_000
    assert Prompt(KINDS, answer_tokens=9_000).ask("x").tokens == Prompt(KINDS).ask("x").tokens + 7_000
    assert question.tokens - Prompt(KINDS).ask("").tokens == 200, "every byte may be a token"


def test_the_version_follows_the_kinds() -> None:
    assert Prompt(KINDS).version == Prompt(tuple(reversed(KINDS))).version
    assert Prompt(KINDS).version != Prompt(KINDS[:1]).version


def test_a_page_is_cut_and_its_hash_is_of_what_is_sent() -> None:
    text = PageText("Title", "", "en", "", "x" * 100, 1, 1)
    assert sent_text(text, 20) == "Title\n" + "x" * 14
    assert content_hash("a") != content_hash("b")
    assert len(content_hash("a")) == 32


def test_a_service_is_told_how_to_answer() -> None:
    assert response_format("json_object", {}) == {"type": "json_object"}
    assert response_format("json_schema", {"a": 1})["json_schema"]["schema"] == {"a": 1}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"url": "http://127.0.0.1/v1"}, "model.name is empty"),
        ({"name": "small"}, "model.url is empty"),
        ({"url": "http://user:secret@host/v1", "name": "small"}, "a key belongs into model.key_file"),
        ({"url": "http://host/v1?key=secret", "name": "small"}, "a key belongs into model.key_file"),
        ({"url": "http://host/v1", "name": "a\nb"}, "strange character"),
        ({"url": "http://host/v1", "name": "small", "key_file": "none"}, "cannot be read"),
        ({"url": "http://host/v1", "name": "small", "key_file": "two"}, "must hold one line"),
    ],
    ids=["no name", "no url", "user in url", "query in url", "strange name", "no file", "two lines"],
)
def test_settings_that_cannot_be_are_refused_in_one_line(
    tmp_path: Path, settings: dict[str, Any], told: str
) -> None:
    (tmp_path / "two").write_text("secret-a\nsecret-b\n")
    with pytest.raises(BadSettings, match=told) as refused:
        account(ModelSettings(**settings), tmp_path)
    assert "secret" not in str(refused.value)


def test_a_key_is_read_from_its_file_and_shown_to_nobody(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-secret\n")
    made = account(ModelSettings(url="http://host/v1", name="small", key_file="key"), tmp_path)
    assert made.key == "sk-secret"
    assert "secret" not in repr(made)
    assert made.mark != Account("http://host/v1", "small", "other").mark


def test_a_rest_doubles_up_to_its_longest_and_follows_what_is_asked_for() -> None:
    lengths = [rest(Trouble.SERVER, strikes, None) for strikes in (1, 2, 3, 99)]
    assert [one and one.total_seconds() for one in lengths] == [30, 60, 120, 3600]
    asked = [
        rest(Trouble.RATE_LIMITED, strikes, seconds) for strikes, seconds in ((1, 7.0), (1, 0.0), (2, 0.0))
    ]
    assert [one and one.total_seconds() for one in asked] == [7, 1, 120]
    assert rest(Trouble.LOCAL, 5, None) is None
