"""Every provider in one suite: what is sent, what comes back, and what each of its failures is called."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator

import pytest

from surveyor.discover.adapters import Hit, SearchQuery
from surveyor.discover.errors import ProviderFailed, Trouble
from surveyor.discover.provider import Provider
from surveyor.settings import NetSettings
from tests.contract.discover.conftest import TLS
from tests.support.searchweb import CANARY, NAMES, SearchWeb, key_of

QUERY = SearchQuery("grants & löwen", "de")


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def provider(
    name: str, searchweb: SearchWeb, request: pytest.FixtureRequest
) -> AsyncIterator[Provider]:
    """Short of patience only where slowness is what is tested."""
    params = getattr(request.node, "callspec", None)
    seconds = 0.5 if params and params.params.get("mood") == "slow" else 10.0
    found = Provider(searchweb.account(name, total_seconds=seconds, results=2), NetSettings(), TLS)
    yield found
    await found.close()


async def test_a_query_goes_out_as_documented_and_its_results_come_back_in_order(
    provider: Provider, name: str, searchweb: SearchWeb
) -> None:
    answer = await provider.search(QUERY)
    told = "" if name == "browserbase" else "A text."
    assert answer.hits == tuple(
        Hit(f"https://grants & löwen-{place}.example/{name}", f"Title {place}", told, place + 1)
        for place in range(2)
    )
    (seen,) = searchweb.requests
    assert (seen.method, seen.path) == {
        "brave": ("GET", "web/search"),
        "searxng": ("GET", "search"),
        "browserbase": ("POST", "v1/search"),
    }.get(name, ("POST", "search"))
    asked = {
        "brave": {"q": QUERY.text, "count": "2", "search_lang": "de", "text_decorations": "false"},
        "searxng": {"q": QUERY.text, "format": "json", "language": "de", "locale": "en"},
        "serper": {"q": QUERY.text, "num": 2, "hl": "de"},
        "tavily": {"query": QUERY.text, "max_results": 2, "search_depth": "basic", "include_usage": True},
        "perplexity": {
            "query": QUERY.text,
            "max_results": 2,
            "search_context_size": "low",
            "search_language_filter": ["de"],
        },
        "browserbase": {"query": QUERY.text, "numResults": 2},
    }
    assert seen.asked == asked[name]


async def test_what_a_call_cost_is_taken_from_the_answer_where_it_tells(
    provider: Provider, name: str
) -> None:
    answer = await provider.search(QUERY)
    assert answer.millicredits == {"serper": 2_000, "tavily": 1_000}.get(name)


async def test_a_query_without_results_is_no_failure(provider: Provider, searchweb: SearchWeb) -> None:
    searchweb.rows = lambda name, query: []
    assert (await provider.search(QUERY)).hits == ()


TROUBLES = {
    "bad_key": Trouble.BAD_KEY,
    "no_credit": Trouble.OUT_OF_QUOTA,
    "rate_limited": Trouble.RATE_LIMITED,
    "captcha": Trouble.CAPTCHA,
    "server_error": Trouble.SERVER,
    "not_json": Trouble.MALFORMED,
    "no_frame": Trouble.MALFORMED,
    "slow": Trouble.UNREACHABLE,
    "elsewhere": Trouble.MALFORMED,
}


@pytest.mark.parametrize("mood", TROUBLES)
async def test_each_failure_has_its_class_and_no_message_holds_the_key(
    provider: Provider, name: str, mood: str, searchweb: SearchWeb
) -> None:
    searchweb.moods[name] = mood
    with pytest.raises(ProviderFailed) as failure:
        await provider.search(QUERY)
    assert failure.value.trouble is TROUBLES[mood]
    assert failure.value.provider == name
    told = f"{failure.value} {failure.value!r} {failure.value.detail} {provider!r} {provider.account!r}"
    assert CANARY not in told
    assert "\n" not in str(failure.value)


async def test_the_time_a_provider_asks_for_is_read(
    provider: Provider, name: str, searchweb: SearchWeb
) -> None:
    searchweb.moods[name], searchweb.retry_after = "rate_limited", "77"
    with pytest.raises(ProviderFailed) as failure:
        await provider.search(QUERY)
    assert failure.value.retry_after == 77


async def test_a_redirect_to_another_host_does_not_take_the_key_along(
    provider: Provider, name: str, searchweb: SearchWeb
) -> None:
    searchweb.moods[name] = "elsewhere"
    with pytest.raises(ProviderFailed):
        await provider.search(QUERY)
    assert searchweb.asked(name) == 1
    assert searchweb.strangers == []


async def test_the_key_is_shown_to_the_provider_and_to_nobody_else(
    provider: Provider, name: str, searchweb: SearchWeb
) -> None:
    await provider.search(QUERY)
    holders = [header for header, value in searchweb.requests[0].headers.items() if CANARY in value]
    expected = {"brave": "X-Subscription-Token", "serper": "X-API-KEY", "browserbase": "x-bb-api-key"}
    assert holders == [expected.get(name, "Authorization")]
    assert key_of(name) not in str(searchweb.requests[0].asked)


async def test_a_provider_that_is_not_there_is_unreachable(name: str, searchweb: SearchWeb) -> None:
    gone = Provider(searchweb.account(name, base_url="http://127.0.0.1:9"), NetSettings(), TLS)
    with pytest.raises(ProviderFailed) as failure:
        await gone.search(QUERY)
    await gone.close()
    assert failure.value.trouble is Trouble.UNREACHABLE


async def test_a_plan_of_brave_that_is_used_up_is_left_alone_until_its_month_ends(
    searchweb: SearchWeb,
) -> None:
    searchweb.moods["brave"] = "no_credit"
    brave = Provider(searchweb.account("brave"), NetSettings(), TLS)
    with pytest.raises(ProviderFailed) as failure:
        await brave.search(QUERY)
    await brave.close()
    assert failure.value.retry_after == 1_419_704


@pytest.mark.parametrize(
    ("engines", "trouble"),
    [
        ([["google", "Suspended: CAPTCHA"], ["startpage", "CAPTCHA"]], Trouble.CAPTCHA),
        ([["google", "Suspended: CAPTCHA"], ["brave", "Suspended: too many requests"]], Trouble.RATE_LIMITED),
        ([["google", "timeout"], ["brave", "Suspended: too many requests"]], Trouble.SERVER),
    ],
    ids=["riddles", "limits", "mixed"],
)
def test_an_empty_page_of_blocked_engines_is_a_failure_of_searxng(engines: object, trouble: Trouble) -> None:
    from surveyor.discover.adapters import searxng
    from surveyor.net.api import ApiResponse

    answer = ApiResponse(200, 0.1, {}, {"results": [], "unresponsive_engines": engines}, "")
    diagnosis = searxng.trouble_of(answer)
    assert diagnosis is not None and diagnosis.trouble is trouble


async def test_a_searxng_without_a_key_that_forbids_json_says_what_to_set(searchweb: SearchWeb) -> None:
    searchweb.moods["searxng"] = "bad_key"
    account = dataclasses.replace(searchweb.account("searxng"), key="")
    asked = Provider(account, NetSettings(), TLS)
    with pytest.raises(ProviderFailed, match="add `json` to `search: formats:`") as failure:
        await asked.search(QUERY)
    await asked.close()
    assert failure.value.trouble is Trouble.NOT_SET_UP


async def test_a_language_that_brave_refuses_is_left_out_from_then_on(searchweb: SearchWeb) -> None:
    searchweb.refused_languages = {"el"}
    asked = Provider(searchweb.account("brave"), NetSettings(), TLS)
    for text in ("a", "b"):
        assert len((await asked.search(SearchQuery(text, "el"))).hits) > 0
    await asked.close()
    assert [seen.asked.get("search_lang") for seen in searchweb.requests] == ["el", None, None]
