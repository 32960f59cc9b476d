"""Requests of Scrapy as text: what is kept comes back as it was, what cannot be kept is named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import FormRequest, Request, Spider
from scrapy.http import Response

from surveyor.contrib.scrapy.requests import PAGE, Unkeepable, is_plain_get, pack, priority_of, unpack

URL = "https://a.example/x"
_texts = st.text(max_size=12)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)


class Kiosk(Spider):
    name = "kiosk"

    def parse(self, response: Response) -> None: ...
    def article(self, response: Response, issue: int = 0) -> None: ...
    def sold_out(self, failure: Any) -> None: ...


SPIDER = Kiosk()


@given(
    st.sampled_from([None, "parse", "article"]),
    st.dictionaries(_texts.filter(lambda name: name != PAGE), _json, max_size=3),
    st.integers(-100, 100),
    st.integers(0, 9),
)
def test_callback_priority_depth_meta_and_headers_come_back(
    callback: str | None, meta: dict[str, Any], priority: int, depth: int
) -> None:
    asked = Request(
        URL,
        callback=getattr(SPIDER, callback) if callback else None,
        errback=SPIDER.sold_out,
        headers={"Accept-Language": "de"},
        cookies={"a": "b"},
        meta=meta | {"depth": depth},
        priority=priority,
        cb_kwargs={"issue": 7},
        flags=["late"],
    )
    text = pack(asked, SPIDER)
    assert text is not None and text.isascii()
    assert priority_of(text) == priority
    back = unpack(text, URL, depth, SPIDER)
    known, found = asked.to_dict(spider=SPIDER), back.to_dict(spider=SPIDER)
    for each in (known, found):
        each["callback"] = each["callback"] or "parse"
        each["meta"].pop("download_timeout", None), each["meta"].pop("download_slot", None)
        each["meta"].pop("download_latency", None), each["meta"].pop("is_start_request", None)
    assert (found["callback"] or "parse") == known["callback"]
    assert found == known | {"callback": found["callback"]}


def test_a_plain_request_needs_no_text() -> None:
    assert pack(Request(URL, meta={"depth": 3}), SPIDER) is None
    assert pack(Request(URL, callback=SPIDER.parse), SPIDER) is None
    assert unpack(None, URL, 3, SPIDER).meta == {"depth": 3}


def test_a_start_url_stays_one_that_is_asked_for_though_it_is_offsite() -> None:
    text = pack(Request(URL, meta={"is_start_request": True}, dont_filter=True), SPIDER)
    assert unpack(text, URL, 0, SPIDER).dont_filter, "Scrapy drops what is offsite, but for these"


def test_a_closure_as_callback_is_refused_by_its_name() -> None:
    def later(response: Response) -> None: ...

    for called, name in ((later, "later"), (lambda response: None, "<lambda>"), (Kiosk().article, "article")):
        with pytest.raises(
            Unkeepable, match=f"the callback “{name}” of {URL} is no method of the spider “kiosk”"
        ):
            pack(Request(URL, callback=called), SPIDER)
    with pytest.raises(Unkeepable, match="the errback “later”"):
        pack(Request(URL, errback=later), SPIDER)


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        (
            {"page": [1, {"of": object()}]},
            r"meta\['page'\]\[1\]\['of'\] of .* it is a object",
        ),
        ({"bytes": b"x"}, r"meta\['bytes'\] of .* it is a bytes"),
        ({"n": {1: "x"}}, r"meta\['n'\]\[1\] of .* its key is not a text"),
    ],
)
def test_meta_that_no_text_keeps_is_named(meta: dict[str, Any], said: str) -> None:
    with pytest.raises(Unkeepable, match=said):
        pack(Request(URL, meta=meta), SPIDER)


def test_a_method_that_is_gone_is_named() -> None:
    with pytest.raises(Unkeepable, match=f"{URL} was queued for something that is gone"):
        unpack('{"callback": "renamed"}', URL, 0, SPIDER)


def test_forms_are_not_named_by_their_url() -> None:
    assert is_plain_get(Request(URL))
    assert not is_plain_get(FormRequest(URL, formdata={"user": "ada"}))
    assert not is_plain_get(Request(URL, body=b"{}"))
