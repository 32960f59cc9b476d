"""What a page may ask for while it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.render.policy import MOST_REQUESTS, RequestVerdict, decide, is_tracker

PAGE = "http://fund.example/"
RESOURCES = ["document", "stylesheet", "image", "media", "font", "script", "xhr", "fetch", "eventsource"]
RESOURCES += ["texttrack", "websocket", "manifest", "ping", "prefetch", "other"]


def verdict(url: str, resource: str = "fetch", method: str = "GET", **given: object) -> RequestVerdict:
    said = {"main_frame": False, "navigates": False, "asked": 1} | given
    return decide(url, method, resource, **said).verdict  # type: ignore[arg-type]


def test_the_page_itself_is_answered_once_and_leads_nowhere_else() -> None:
    first = {"main_frame": True, "navigates": True, "asked": 0}
    assert verdict(PAGE, "document", **first) is RequestVerdict.PAGE
    assert verdict(PAGE, "document", **(first | {"asked": 1})) is RequestVerdict.REFUSE
    assert verdict(PAGE + "?q=%27", "document", **first) is RequestVerdict.PAGE, "in the browser's spelling"
    assert verdict(PAGE, "document", **(first | {"main_frame": False})) is RequestVerdict.REFUSE, "a frame"


@pytest.mark.parametrize("resource", RESOURCES)
def test_scripts_and_data_are_asked_for_styles_are_empty_the_rest_is_refused(resource: str) -> None:
    expected = {
        "script": RequestVerdict.ASK,
        "xhr": RequestVerdict.ASK,
        "fetch": RequestVerdict.ASK,
        "stylesheet": RequestVerdict.EMPTY,
    }
    assert verdict("http://fund.example/x", resource) is expected.get(resource, RequestVerdict.REFUSE)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_is_sent_to_a_site(method: str) -> None:
    assert verdict("http://fund.example/api", method=method) is RequestVerdict.REFUSE


def test_whether_a_page_may_ask_another_site_is_answered_here() -> None:
    assert verdict("http://other.example/api", method="OPTIONS") is RequestVerdict.PREFLIGHT
    assert verdict("http://other.example/api", "image", method="OPTIONS") is RequestVerdict.REFUSE


def test_styles_are_asked_for_when_a_screenshot_is_taken() -> None:
    assert verdict("http://fund.example/x", "stylesheet", styles=True) is RequestVerdict.ASK
    assert verdict("http://fund.example/x", "stylesheet") is RequestVerdict.EMPTY


@pytest.mark.parametrize("resource", ["image", "font", "media"])
def test_images_fonts_and_media_are_not_asked_for_in_any_case(resource: str) -> None:
    assert verdict("http://fund.example/x", resource, styles=True) is RequestVerdict.REFUSE


def test_requests_of_a_page_are_counted() -> None:
    assert verdict(PAGE + "a", asked=MOST_REQUESTS - 1) is RequestVerdict.ASK
    assert verdict(PAGE + "a", asked=MOST_REQUESTS) is RequestVerdict.REFUSE


def test_trackers_are_told_by_whole_labels() -> None:
    assert is_tracker("www.google-analytics.com") and is_tracker("X.com")
    assert not is_tracker("fox.com") and not is_tracker("google-analytics.com.fund.example")


@given(st.text(max_size=60), st.sampled_from(RESOURCES), st.sampled_from(["GET", "HEAD"]))
def test_only_http_is_ever_asked_for(url: str, resource: str, method: str) -> None:
    if verdict(url, resource, method) is RequestVerdict.ASK:
        assert url.lower().lstrip().startswith(("http:", "https:"))
