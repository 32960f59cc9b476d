"""Addresses of mail are read as people write them, and whatever hides them from machines is undone."""

from __future__ import annotations

import base64
import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields import emails

ADDRESS = "ana.reed@willow-trust.example"
WRITTEN = {
    "plain": "ana.reed@willow-trust.example",
    "capitals": "Ana.Reed@Willow-Trust.EXAMPLE",
    "en words": "ana.reed at willow-trust dot example",
    "en capitals": "ana.reed AT willow-trust.example",
    "brackets": "ana.reed [at] willow-trust [dot] example",
    "braces": "ana.reed{at}willow-trust{dot}example",
    "a in brackets": "ana.reed (a) willow-trust.example",
    "de": "ana.reed ät willow-trust punkt example",
    "de brackets": "ana.reed(ät)willow-trust(punkt)example",
    "fr": "ana.reed [arobase] willow-trust [point] example",
    "bg": "ana.reed кльомба willow-trust.example",
    "bg brackets": "ana.reed [маймунско а] willow-trust [точка] example",
    "ro": "ana.reed[arond]willow-trust.example",
    "ro la": "ana.reed (la) willow-trust.example",
    "el": "ana.reed[παπάκι]willow-trust.example",
    "es": "ana.reed arroba willow-trust punto example",
    "dots in words": "ana dot reed at willow-trust dot example",
    "spaces": "ana.reed @ willow-trust.example",
    "no-break spaces": "ana.reed\u00a0at\u00a0willow-trust\u00a0dot\u00a0example",
    "invisible": "ana.reed\u200b@\u200bwillow-trust.example",
    "soft hyphens": "ana.\u00adreed@willow-\u00adtrust.example",
    "said": "ana.reed, then the usual sign, then willow-trust.example",
    "full width": "ana.reed＠willow-trust.example",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_an_address_is_read_however_it_is_written(written: str) -> None:
    text = emails.unmasked(f"Please write: {written} or come by.")
    assert [one.value for one in emails.find(text)] == [ADDRESS]


@pytest.mark.parametrize(
    "text",
    [
        "Visit us at meadow.example today",
        "logo@2x.png",
        "follow @willowtrust",
        "served from host @ 2026-11-13 04:51",
        "we meet at noon. Dot the line",
        "name@example.com",
        "arts-at-work.example",
        "a@b@c.example",
        "@media screen and (max-width: 600px)",
    ],
)
def test_what_is_no_address_is_left_alone(text: str) -> None:
    assert emails.find(emails.unmasked(text)) == []


def test_an_address_written_backwards_is_turned_round() -> None:
    assert (
        emails.unmasked("write to elpmaxe.tsurt-wolliw@ana please")
        == "write to ana@willow-trust.example please"
    )


def test_a_link_may_name_several_and_a_subject() -> None:
    link = "mailto:Ana%20Reed%20%3Cana@a.example%3E,bo%40b.example?subject=c@c.example"
    assert emails.of_link(link) == ["ana@a.example", "bo@b.example"]
    assert emails.of_link("https://a.example/ana@a.example") == []


LOCALS = st.from_regex(r"[a-z][a-z0-9]{1,8}([.-][a-z0-9]{1,8})?", fullmatch=True)
HOSTS = st.from_regex(r"[a-z][a-z0-9]{1,10}(-[a-z0-9]{1,6})?\.(example|org|bg|de)", fullmatch=True)


@settings(max_examples=80, deadline=None)
@given(local=LOCALS, host=HOSTS, key=st.integers(0, 255))
def test_encodings_are_undone(local: str, host: str, key: int) -> None:
    address = f"{local}@{host}"
    if emails.valid(address) is None:  # placeholders
        return
    hexed = f"{key:02x}" + "".join(f"{byte ^ key:02x}" for byte in address.encode())
    assert emails.of_proxy(hexed) == address
    assert emails.of_attribute(base64.b64encode(address.encode()).decode()) == address
    assert emails.of_attribute(codecs.encode(f"mailto:{address}", "rot13")) == address
    assert emails.of_attribute(address) == address


@settings(max_examples=80, deadline=None)
@given(
    local=LOCALS,
    host=HOSTS,
    sign=st.sampled_from(["[at]", "(at)", "{at}", " кльомба ", " ät ", "[παπάκι]", "(arroba)"]),
    dot=st.sampled_from([".", "[dot]", " dot ", "(punkt)", " точка "]),
)
def test_an_address_in_words_is_read_back(local: str, host: str, sign: str, dot: str) -> None:
    masked = f"{local}{sign}{host.replace('.', dot)}"
    assert [one.value for one in emails.find(emails.unmasked(masked))] == [f"{local}@{host}"]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_no_text_is_too_odd(text: str) -> None:
    emails.find(emails.unmasked(text))
    emails.of_attribute(text)
    emails.of_proxy(text)
    emails.of_shifted(text)
    emails.of_link("mailto:" + text)


def test_a_shifted_link_is_moved_back() -> None:
    def moved(sign: str) -> str:
        return emails._moved(sign, 3)

    assert emails.of_shifted("".join(map(moved, f"mailto:{ADDRESS}"))) == ADDRESS


def test_an_example_is_not_turned_round_into_an_address() -> None:
    assert emails.find("acat@example.com") == []
