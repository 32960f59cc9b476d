"""Services with keys: where a request may go, what comes back, and what nobody gets to see."""

from __future__ import annotations

import json
from typing import Any

import pytest

from surveyor.errors import BadSettings, NetError
from surveyor.net.api import ApiClient
from surveyor.settings import NetSettings
from tests.journey.net.conftest import TLS
from tests.support.hostile import Hostile

KEY = 'canary/"k&y'


def client(hostile: Hostile, path: str = "", **more: Any) -> ApiClient:
    """A client of a service on a private address, which `net.allow` does not name."""
    settings = NetSettings(hosts={"service.example": f"127.0.0.1:{hostile.port}"})
    more = {"headers": {"X-Api-Key": KEY}, "secrets": [KEY], **more}
    return ApiClient(f"http://service.example{path}", settings, tls=TLS, **more)


async def test_json_goes_out_and_comes_back(hostile: Hostile) -> None:
    async with client(hostile, "/json-echo") as api:
        answer = await api.request_json("POST", "v1/ask", json={"q": "ä"}, headers={"X-More": "1"})
    assert answer.ok
    assert answer.data["path"] == "/json-echo/v1/ask"
    sent = hostile.heads[0].decode()
    assert sent.endswith('\r\n\r\n{"q":"ä"}')
    for line in ("POST /json-echo/v1/ask HTTP/1.1", f"X-Api-Key: {KEY}", "X-More: 1", "Content-Length: 10"):
        assert f"{line}\r\n" in sent


async def test_parameters_are_encoded_behind_the_path(hostile: Hostile) -> None:
    async with client(hostile, "/json-echo?fixed=1") as api:
        answer = await api.request_json("GET", params={"q": "a b&c", "n": 10})
    assert answer.data["path"] == "/json-echo?fixed=1&q=a%20b%26c&n=10"


async def test_connections_are_used_again(hostile: Hostile) -> None:
    async with client(hostile) as api:
        for _ in range(3):
            await api.request_json("POST", "json-echo", json={})
    assert hostile.connections == 1


@pytest.mark.parametrize("spelled", [KEY, KEY.upper(), KEY.title()])
async def test_a_key_that_a_service_echoes_is_redacted_however_it_spells_it(
    hostile: Hostile, spelled: str
) -> None:
    async with client(hostile) as api:
        for case in ("json-echo", "error-echo", "escaped-echo"):
            answer = await api.request_json("GET", case, params={"key": spelled})
            for text in (json.dumps(answer.data), answer.text_head, repr(answer), repr(api)):
                assert "anary" not in text.lower()
            assert "***" in answer.text_head


async def test_an_answer_that_is_not_json_is_told_as_text(hostile: Hostile) -> None:
    async with client(hostile) as api:
        answer = await api.request_json("GET", "error-echo")
    assert (answer.status, answer.ok, answer.data) == (500, False, None)
    assert answer.text_head.startswith("cannot serve GET /error-echo")


async def test_json_nested_beyond_sense_is_no_data(hostile: Hostile) -> None:
    async with client(hostile) as api:
        answer = await api.request_json("GET", "deep-json")
    assert answer.data is None
    assert len(answer.text_head) == 500


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_redirect_to_another_host_is_refused_and_the_key_stays_here(
    hostile: Hostile, method: str
) -> None:
    async with client(hostile) as api:
        with pytest.raises(NetError) as caught:
            await api.request_json(method, "redirect-elsewhere")
    assert caught.value.code == "forbidden_redirect"
    assert "base URL" in caught.value.detail
    assert hostile.requests == ["redirect-elsewhere"]


async def test_a_redirect_within_the_service_is_followed_for_what_changes_nothing(hostile: Hostile) -> None:
    async with client(hostile) as api:
        assert (await api.request_json("GET", "redirect-to-json")).data["path"] == "/json-echo"
        with pytest.raises(NetError) as caught:
            await api.request_json("POST", "redirect-to-json", json={})
        assert caught.value.code == "forbidden_redirect"


async def test_a_service_that_redirects_for_ever_is_given_up(hostile: Hostile) -> None:
    async with client(hostile) as api:
        with pytest.raises(NetError) as caught:
            await api.request_json("GET", "redirect-on")
    assert caught.value.code == "too_many_redirects"
    assert len(hostile.requests) == 4


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.example/x",
        "https://service.example/x",
        "http://service.example:81/x",
        "http://[::1]/",
    ],
)
async def test_a_whole_url_must_be_of_the_same_origin(hostile: Hostile, url: str) -> None:
    async with client(hostile) as api:
        with pytest.raises(NetError) as caught:
            await api.request_json("GET", url)
        assert caught.value.code == "forbidden_redirect"
        assert (await api.request_json("GET", "http://service.example/json-echo")).ok
    assert hostile.requests == ["json-echo"]


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("length-digits", "bad_response"),
        ("endless-body", "too_large"),
        ("gzip-bomb", "too_large"),
        ("garbage", "bad_response"),
        ("reset-at-once", "connection_reset"),
        ("gzip-lie", "decompress_error"),
    ],
)
async def test_a_hostile_service_ends_with_a_reason(hostile: Hostile, case: str, code: str) -> None:
    async with client(hostile) as api:
        with pytest.raises(NetError) as caught:
            await api.request_json("POST", case, params={"key": KEY}, json={"key": KEY})
    assert caught.value.code == code
    assert "canary" not in str(caught.value)
    assert hostile.requests == [case]


async def test_what_may_change_something_is_not_sent_twice_on_a_connection_that_was_cut(
    hostile: Hostile,
) -> None:
    async with client(hostile) as api:
        await api.request_json("POST", "json-echo", json={})
        with pytest.raises(NetError):
            await api.request_json("POST", "close-at-once", json={})
    assert hostile.requests == ["json-echo", "close-at-once"]


async def test_a_key_in_the_name_of_a_host_is_redacted_in_the_error(hostile: Hostile) -> None:
    async with client(hostile, headers={"X-Api-Key": "canary"}, secrets=["canary"]) as api:
        with pytest.raises(NetError, match=r"\*\*\*\.example") as caught:
            await api.request_json("GET", "redirect-with-key")
    assert "canary" not in str(caught.value)


async def test_a_deadline_holds(hostile: Hostile) -> None:
    async with client(hostile, seconds=0.1) as api:
        with pytest.raises(NetError) as caught:
            await api.request_json("GET", "silent")
    assert caught.value.code == "timeout"


@pytest.mark.parametrize(
    "url", ["", "service.example/v1", "ftp://service.example/", "https://me:canary@x.example/"]
)
def test_a_base_url_that_is_none_says_how_to_write_one(url: str) -> None:
    with pytest.raises(BadSettings, match=r"https://api\.example\.com/v1") as caught:
        ApiClient(url, NetSettings(), tls=TLS)
    assert "canary" not in str(caught.value)


def test_a_key_with_a_line_break_is_refused_without_showing_it() -> None:
    with pytest.raises(BadSettings, match=r"x\.example.*line break") as caught:
        ApiClient("https://x.example", NetSettings(), headers={"Authorization": "Bearer canary\n"}, tls=TLS)
    assert "canary" not in str(caught.value)


async def test_a_length_with_thousands_of_zeros_is_a_length(hostile: Hostile) -> None:
    async with client(hostile) as api:
        assert (await api.request_json("GET", "length-zeros")).text_head == "ok"


async def test_a_deadline_holds_for_all_hops_of_a_redirect_together(hostile: Hostile) -> None:
    async with client(hostile, seconds=0.5) as api:
        with pytest.raises(NetError) as caught:
            await api.request_json("GET", "redirect-slowly")
    assert caught.value.code == "timeout"
    assert len(hostile.requests) <= 2
