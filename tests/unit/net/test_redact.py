"""Secrets in answers: redacted in every spelling a service may use, and nothing else is touched."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.net.redact import REDACTED, Redactor

KEY = 'Sk-a/B+c=9"d\\Zq&7'


@pytest.mark.parametrize(
    "spelled",
    [
        str,
        str.lower,
        str.upper,
        lambda key: key.replace("/", "\\/"),
        lambda key: json.dumps(key)[1:-1],
        lambda key: "".join(f"\\u{ord(char):04X}" for char in key),
        lambda key: "".join(f"\\x{ord(char):02x}" for char in key),
        lambda key: quote(key, safe="").lower(),
        lambda key: html.escape(key).replace("&amp;", "&#38;").replace("&quot;", "&#x22;"),
    ],
)
def test_a_key_is_redacted_however_a_service_spells_it(spelled: Callable[[str], str]) -> None:
    written = spelled(KEY)
    assert Redactor([KEY]).clean(f"no such key: {written}!") == f"no such key: {REDACTED}!"


def test_a_key_behind_the_escapes_of_json_is_redacted_in_names_and_values() -> None:
    hidden = "".join(f"\\u{ord(char):04x}" for char in KEY)
    data = orjson.loads(f'{{"error": [{{"{hidden}": "the key {hidden} is not known"}}], "code": 7}}')
    cleaned = Redactor([KEY]).clean_json(data)
    assert cleaned == {"error": [{REDACTED: f"the key {REDACTED} is not known"}], "code": 7}


def test_without_a_secret_everything_stays() -> None:
    assert Redactor(["", ""]).clean("a \\u0041 %41 text") == "a \\u0041 %41 text"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


_CASES = st.sampled_from([str, str.lower, str.upper])


@given(_JSON)
def test_what_holds_no_secret_is_as_it_was(data: Any) -> None:
    text = json.dumps(data)
    assert Redactor(["a-key-that-nobody-writes"]).clean_json(json.loads(text)) == data


@given(_JSON, st.text("abcXYZ0129-_/+=", min_size=6, max_size=20), _CASES)
def test_no_answer_keeps_the_secret(data: Any, key: str, case: Callable[[str], str]) -> None:
    answer = [data, {"message": f"bad key {case(key)}", case(key): 1}]
    left = json.dumps(Redactor([key]).clean_json(json.loads(json.dumps(answer)))).lower()
    assert json.dumps(key)[1:-1].lower() not in left
