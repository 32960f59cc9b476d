"""A list is shown whole, or says how to see the rest, to people and to programs."""

from __future__ import annotations

import shlex
from typing import NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.cli import runtime
from surveyor.cli.listing import Column, Listing, number


class Thing(NamedTuple):
    name: str
    size: int


THINGS: Listing[Thing] = Listing(
    (Column("NAME", lambda thing: thing.name), number("SIZE", lambda thing: thing.size)),
    cursor=lambda thing: thing.name,
    notes=lambda thing: ["it is large"] if thing.size > 5 else [],
)
SIZES: Listing[Thing] = Listing((number("SIZE", lambda thing: thing.size),), order=lambda thing: -thing.size)
THREE = [Thing("a", 1), Thing("it's b", 2000), Thing("c", 3)]


@pytest.mark.parametrize("json", [True, False])
@pytest.mark.parametrize(
    ("limit", "said"), [(1, "more: --after a\n"), (2, "more: --after 'it'\"'\"'s b'\n"), (3, "")]
)
def test_what_is_cut_says_what_to_type_and_what_is_whole_says_nothing(
    capfd: pytest.CaptureFixture[str], limit: int, said: str, json: bool
) -> None:
    assert THINGS.print(THREE[: limit + 1], limit, json=json, empty="none") is not json
    out, err = capfd.readouterr()
    assert err == said
    if json:
        assert [row["name"] for row in orjson.loads(out)] == [thing.name for thing in THREE[:limit]]
    else:
        assert len([line for line in out.splitlines() if "└─" not in line]) == limit + 1


def test_without_a_cursor_a_larger_limit_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    SIZES.print(THREE, 2, json=False, empty="none")
    out, err = capfd.readouterr()
    assert err == "more: a larger --limit\n"
    assert out.split() == ["SIZE", "2,000", "1"], "a table has its own order"


def test_nothing_is_one_line_for_people_and_an_empty_list_for_programs(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert not THINGS.print([], 5, json=False, empty="nothing yet; `surveyor x` makes one")
    assert capfd.readouterr() == ("", "nothing yet; `surveyor x` makes one\n")
    THINGS.print([], 5, json=True, empty="nothing yet")
    assert capfd.readouterr() == ("[]\n", "")


@given(st.text(min_size=1))
def test_the_hint_can_be_pasted_whatever_the_cursor_is(name: str) -> None:
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime, "say", said.append)
        patch.setattr("surveyor.cli.show.print_json", lambda _: None)
        THINGS.print([Thing(name, 1)] * 2, 1, json=True, empty="")
    assert shlex.split(said[0].removeprefix("more: ")) == ["--after", name]
