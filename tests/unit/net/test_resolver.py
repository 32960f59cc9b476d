"""Names to addresses, with a lookup that does as it is told."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

import pytest

from surveyor.errors import BadSettings, NetError
from surveyor.net import resolver as module
from surveyor.net.resolver import Endpoint, Resolver, system_lookup
from tests.support.descriptors import no_descriptors_left


class Script:
    """A lookup that gives the next answer of a list at each call, and counts the calls."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers, self.calls = list(answers), 0

    def __call__(self, host: str) -> Sequence[str]:
        self.calls += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_an_answer_is_kept_for_a_while() -> None:
    script = Script(["192.0.2.1"])
    resolver = Resolver(lookup=script)
    assert await resolver.resolve("a.example", 80) == (Endpoint("192.0.2.1", 80),)
    assert await resolver.resolve("a.example", 443) == (Endpoint("192.0.2.1", 443),)
    assert script.calls == 1


async def test_an_old_answer_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEEP_SECONDS", 0.0)
    resolver = Resolver(lookup=Script(["192.0.2.1"], ["192.0.2.2"]))
    assert (await resolver.resolve("a.example", 80))[0].address == "192.0.2.1"
    assert (await resolver.resolve("a.example", 80))[0].address == "192.0.2.2"


async def test_ipv4_comes_first_and_nothing_twice() -> None:
    resolver = Resolver(lookup=Script(["2001:db8::1", "192.0.2.1", "192.0.2.1"]))
    found = await resolver.resolve("a.example", 80)
    assert [endpoint.address for endpoint in found] == ["192.0.2.1", "2001:db8::1"]


async def test_those_who_ask_at_once_share_one_lookup() -> None:
    script = Script(["192.0.2.1"])
    resolver = Resolver(lookup=script)
    await asyncio.gather(*(resolver.resolve("a.example", 80) for _ in range(20)))
    assert script.calls == 1


async def test_one_who_gives_up_does_not_take_the_answer_from_the_others() -> None:
    go = threading.Event()

    def slow(host: str) -> Sequence[str]:
        go.wait(5)
        return ["192.0.2.1"]

    resolver = Resolver(lookup=slow)
    hasty = asyncio.create_task(resolver.resolve("a.example", 80))
    patient = asyncio.create_task(resolver.resolve("a.example", 80))
    await asyncio.sleep(0)
    hasty.cancel()
    go.set()
    assert (await patient)[0].address == "192.0.2.1"


@pytest.mark.parametrize(
    "answer", [socket.gaierror(-2, "Name or service not known"), UnicodeError("label"), [], ValueError("odd")]
)
async def test_a_name_without_an_address_is_a_dns_failure_and_not_asked_again_at_once(
    answer: Sequence[str] | Exception,
) -> None:
    script = Script(answer)
    resolver = Resolver(lookup=script)
    for _ in range(2):
        with pytest.raises(NetError) as caught:
            await resolver.resolve("gone.example", 80)
        assert caught.value.code == "dns_failure"
    assert script.calls == 1


UNASKED = socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


@pytest.mark.parametrize(
    ("before", "code"),
    [
        ([], "no_network"),
        ([["192.0.2.1"]], "dns_failure"),
        ([socket.gaierror(socket.EAI_NONAME, "Name or service not known")], "dns_failure"),
        ([UNASKED], "no_network"),
    ],
)
async def test_a_name_nobody_could_be_asked_about_is_to_blame_only_where_others_were_answered(
    before: list[Sequence[str] | Exception], code: str
) -> None:
    resolver = Resolver(lookup=Script(*before, UNASKED))
    for number in range(len(before)):
        with suppress(NetError):
            await resolver.resolve(f"other{number}.example", 80)
    with pytest.raises(NetError) as caught:
        await resolver.resolve("mute.example", 80)
    assert caught.value.code == code


async def test_an_answer_of_long_ago_does_not_prove_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = Resolver(lookup=Script(["192.0.2.1"], UNASKED))
    await resolver.resolve("other.example", 80)
    monkeypatch.setattr(module, "WITNESS_SECONDS", -60.0)  # as if a minute had gone by
    with pytest.raises(NetError) as caught:
        await resolver.resolve("mute.example", 80)
    assert caught.value.code == "no_network"


async def test_closing_lets_those_who_wait_go() -> None:
    go = threading.Event()
    resolver = Resolver(lookup=lambda host: [str(go.wait(5))])
    waiting = asyncio.create_task(resolver.resolve("a.example", 80))
    await asyncio.sleep(0.01)
    resolver.close()
    with pytest.raises(NetError, match="closed"):
        await waiting
    go.set()


async def test_the_memory_for_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KEPT", 3)
    resolver = Resolver(lookup=lambda host: ["192.0.2.1"])
    for number in range(10):
        await resolver.resolve(f"h{number}.example", 80)
    assert len(resolver._kept) == 3


async def test_addresses_need_no_lookup() -> None:
    resolver = Resolver(lookup=Script())
    assert await resolver.resolve("192.0.2.1", 80) == (Endpoint("192.0.2.1", 80),)
    assert await resolver.resolve("2001:db8::1", 80) == (Endpoint("2001:db8::1", 80),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.5", Endpoint("10.0.0.5", 443)),
        ("10.0.0.5:8080", Endpoint("10.0.0.5", 8080)),
        ("fd00::5", Endpoint("fd00::5", 443)),
        ("[fd00::5]", Endpoint("fd00::5", 443)),
        ("[fd00::5]:8080", Endpoint("fd00::5", 8080)),
    ],
)
async def test_a_mapped_host_comes_before_dns(text: str, expected: Endpoint) -> None:
    resolver = Resolver({"A.example": text}, lookup=Script())
    assert await resolver.resolve("a.example", 443) == (expected,)


@pytest.mark.parametrize(
    "text", ["", "localhost", "10.0.0.5:http", "10.0.0.5:0", "10.0.0.5:70000", "[fd00::5]x"]
)
def test_a_mapping_that_is_none_says_how_to_write_one(text: str) -> None:
    with pytest.raises(BadSettings, match=r"net\.hosts.*a\.example"):
        Resolver({"a.example": text})


def test_the_system_is_asked_for_names_it_knows() -> None:
    assert "127.0.0.1" in system_lookup("localhost")


async def test_a_process_that_may_open_nothing_more_does_not_take_names_for_unknown() -> None:
    resolver = Resolver()
    with no_descriptors_left(), pytest.raises(NetError) as caught:
        await resolver.resolve("localhost", 80)
    assert caught.value.code == "local_failure"


async def test_a_name_that_waited_for_its_turn_says_nothing_about_its_site(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LOOKUPS_AT_ONCE", 1)
    answer = threading.Event()

    def slow(host: str) -> Sequence[str]:
        answer.wait(10)
        return ["192.0.2.1"]

    resolver, since = Resolver(lookup=slow), time.monotonic()
    asking = [asyncio.ensure_future(resolver.resolve(name, 80)) for name in ("a.example", "b.example")]
    await asyncio.sleep(0.05)
    first, second = (resolver.overdue(name, since) for name in ("a.example", "b.example"))
    answer.set()
    await asyncio.gather(*asking)
    assert (first, second) == ("no_network", "local_failure")
