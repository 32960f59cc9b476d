"""The fetcher among servers that mean it ill: every case ends with a reason, in time, in little memory."""

from __future__ import annotations

import asyncio
import time

import pytest

from surveyor.errors import NetError
from surveyor.net.fetcher import Fetcher
from surveyor.net.sniff import Kind, kind
from tests.journey.net.conftest import SITE, MakeFetcher
from tests.support.hostile import CASES, MIB, PAGE, Hostile

URL = f"http://{SITE}"

REFUSED = {
    "too_large": """
        gzip-bomb deflate-bomb br-bomb zstd-bomb raw-deflate-bomb twice-packed-bomb endless-chunked
        endless-body length-huge""",
    "decompress_error": """
        gzip-cut gzip-many-members gzip-lie br-lie br-cut zstd-lie zstd-cut deflate-lie zstd-window
        packed-thrice""",
    "bad_response": """
        endless-trailers endless-tiny-chunks endless-extension endless-zeros extensions
        length-digits length-blank length-too-big length-negative length-twice
        transfer-gzip chunk-size-bad chunk-size-huge chunked-cut long-header long-status
        many-headers many-cookies nul-header nul-in-nameless garbage smtp no-status-number ancient
        switch-protocols endless-interim endless-head redirect-long""",
    "connection_reset": """
        reset-in-body reset-until-close reset-in-head reset-at-once close-in-head close-at-once""",
}
CODES = {case: code for code, cases in REFUSED.items() for case in cases.split()}
PAGES = "page stale unasked chunked until-close gzip-garbage gzip-members packed-twice odd-encoding"
SMALL = """
    interim bare-lf two-answers folded-header odd-bytes-header odd-bytes-kept length-zeros chunked-twice
    length-too-small length-too-small-last chunks-and-more length-again length-and-chunked
    length-and-identity transfer-identity nameless-header returns-in-head odd-version
    interim-and-nameless"""
BAD_BODIES = {
    "redirect-bomb": 302,
    "redirect-lie": 301,
    "redirect-cut": 302,
    "error-bomb": 404,
    "error-lie": 404,
    "error-cut": 503,
}
SLOW = "silent slow-head stall-in-body slow-body slow-error"
OTHERS = """
    large large-chunked tiny-chunks echo json-echo error-echo escaped-echo deep-json not-modified
    not-modified-with-body empty-gzip pdf-as-html zip-as-html png-as-html"""


def test_every_case_of_the_server_has_its_place_here() -> None:
    named = {
        *CODES,
        *PAGES.split(),
        *SLOW.split(),
        *SMALL.split(),
        *BAD_BODIES,
        *OTHERS.split(),
        *(case for case in CASES if case.startswith("redirect-")),
    }
    assert named == set(CASES)


@pytest.mark.parametrize("case", CODES)
async def test_a_hostile_answer_ends_with_its_reason(fetcher: Fetcher, hostile: Hostile, case: str) -> None:
    with pytest.raises(NetError) as caught:
        await fetcher.get(f"{URL}/{case}")
    assert caught.value.code == CODES[case]
    assert hostile.sent[case] < 16 * MIB  # what the sockets hold besides is a few megabytes
    assert hostile.requests == [case]
    async with asyncio.timeout(3):
        await hostile.all_hung_up()


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("silent", "timeout"),
        ("slow-head", "timeout"),
        ("stall-in-body", "too_slow"),
        ("slow-body", "too_slow"),
        ("slow-error", "too_slow"),
    ],
)
async def test_a_slow_answer_is_waited_for_until_the_deadline(
    make_fetcher: MakeFetcher, case: str, code: str
) -> None:
    fetcher = make_fetcher(total_seconds=0.3, min_bytes_per_second=0)
    started = time.monotonic()
    with pytest.raises(NetError) as caught:
        await fetcher.get(f"{URL}/{case}")
    assert caught.value.code == code
    assert 0.29 < time.monotonic() - started < 10


@pytest.mark.parametrize("case", ["stall-in-body", "slow-body", "slow-error"])
async def test_a_body_below_the_least_rate_is_given_up_after_the_grace(
    make_fetcher: MakeFetcher, case: str
) -> None:
    started = time.monotonic()
    with pytest.raises(NetError) as caught:
        await make_fetcher(grace=0.2).get(f"{URL}/{case}")
    assert caught.value.code == "too_slow"
    assert 0.19 < time.monotonic() - started < 10


@pytest.mark.parametrize("case", PAGES.split())
async def test_an_odd_but_honest_answer_is_read(fetcher: Fetcher, case: str) -> None:
    answer = await fetcher.get(f"{URL}/{case}")
    assert (answer.status, answer.body) == (200, PAGE)


@pytest.mark.parametrize("case", SMALL.split())
async def test_a_small_odd_answer_is_read(fetcher: Fetcher, case: str) -> None:
    assert (await fetcher.get(f"{URL}/{case}")).body == b"ok"


@pytest.mark.parametrize(("case", "status"), BAD_BODIES.items())
async def test_a_redirect_or_an_error_counts_whatever_its_body_is(
    fetcher: Fetcher, hostile: Hostile, case: str, status: int
) -> None:
    answer = await fetcher.get(f"{URL}/{case}")
    assert (answer.status, answer.body) == (status, b"")
    assert answer.location == (f"{URL}/new" if case in ("redirect-lie", "redirect-cut") else answer.location)
    assert hostile.sent[case] < 16 * MIB
    async with asyncio.timeout(3):
        await hostile.all_hung_up()


async def test_a_page_that_did_not_change_may_come_with_a_body(fetcher: Fetcher) -> None:
    answer = await fetcher.get(f"{URL}/not-modified-with-body")
    assert (answer.status, answer.body) == (304, b"")


@pytest.mark.parametrize("case", ["nameless-header", "length-and-chunked", "length-again"])
async def test_a_connection_with_an_odd_head_serves_no_other_request(
    fetcher: Fetcher, hostile: Hostile, case: str
) -> None:
    for _ in range(2):
        assert (await fetcher.get(f"{URL}/{case}")).body == b"ok"
    assert hostile.connections == 2


@pytest.mark.parametrize("case", ["large", "large-chunked"])
async def test_a_body_larger_than_all_buffers_comes_whole(
    fetcher: Fetcher, hostile: Hostile, case: str
) -> None:
    for _ in range(2):
        assert (await fetcher.get(f"{URL}/{case}")).body == PAGE * 100
    assert hostile.connections == 1


async def test_an_empty_body_needs_no_unpacking(fetcher: Fetcher) -> None:
    assert (await fetcher.get(f"{URL}/empty-gzip")).body == b""


async def test_a_hundred_thousand_chunks_of_one_byte_are_a_body(fetcher: Fetcher) -> None:
    assert (await fetcher.get(f"{URL}/tiny-chunks")).body == b"x" * 100_000


@pytest.mark.parametrize(
    ("case", "expected"),
    [("pdf-as-html", Kind.PDF), ("zip-as-html", Kind.OTHER), ("png-as-html", Kind.PNG), ("page", Kind.HTML)],
)
async def test_a_false_content_type_is_seen_through(fetcher: Fetcher, case: str, expected: Kind) -> None:
    answer = await fetcher.get(f"{URL}/{case}")
    assert kind(answer.body, answer.content_type) is expected


async def test_a_deadline_of_its_own_holds(fetcher: Fetcher) -> None:
    with pytest.raises(NetError) as caught:
        await fetcher.get(f"{URL}/silent", deadline=0.1)
    assert (caught.value.code, caught.value.detail) == ("timeout", f"{SITE}: no answer in the time allowed")


@pytest.mark.parametrize("banner", [b"", b"220 mail.example ESMTP\r\n"])
async def test_a_server_that_speaks_or_hangs_up_before_it_is_asked_is_not_listened_to(
    make_fetcher: MakeFetcher, banner: bytes
) -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(banner)
        writer.close()

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        fetcher = make_fetcher(hosts={SITE: f"127.0.0.1:{server.sockets[0].getsockname()[1]}"})
        for _ in range(20):
            with pytest.raises(NetError) as caught:
                await fetcher.get(f"{URL}/")
            assert caught.value.code in ("connection_reset", "bad_response")


async def test_fifty_bad_servers_at_once_do_not_hold_up_a_good_one(make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(min_bytes_per_second=0)
    bad = ["silent", "slow-head", "slow-body", "stall-in-body", "silent"] * 10
    asking = [asyncio.create_task(fetcher.get(f"{URL}/{case}")) for case in bad]
    await asyncio.sleep(0.1)
    for _ in range(20):
        assert (await fetcher.get("http://other.example/page")).ok
    assert not any(task.done() for task in asking)
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


async def test_a_validator_with_odd_bytes_is_text_here_and_the_same_bytes_there(fetcher: Fetcher) -> None:
    answer = await fetcher.get(f"{URL}/odd-bytes-kept")
    kept = (*answer.validators, answer.content_type)
    assert kept == ('W/"caf\xe9"', "\xff\xfe", "text/html; charset=\xffutf-8")
    sent = {"If-None-Match": kept[0], "If-Modified-Since": kept[1]}
    echo = (await fetcher.get(f"{URL}/echo", headers=sent)).body  # type: ignore[arg-type]
    assert b'If-None-Match: W/"caf\xe9"\r\nIf-Modified-Since: \xff\xfe\r\n' in echo


async def test_a_location_keeps_the_bytes_it_was_written_with(fetcher: Fetcher) -> None:
    assert (await fetcher.get(f"{URL}/redirect-latin")).location == f"{URL}/caf%E9?%E9=1"


async def test_what_nobody_expected_is_an_error_of_ours_too_and_is_logged(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("surveyor.net.transport._location", broken)
    with pytest.raises(NetError) as caught:
        await make_fetcher().get(f"{URL}/redirect-self")
    assert (caught.value.code, caught.value.detail) == ("bad_response", f"{SITE}: a mistake")
    written = capsys.readouterr()
    assert "ZeroDivisionError" in written.out + written.err
