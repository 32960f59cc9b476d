"""No cell is run by a spreadsheet, and every cell can be read back."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surveyor.export.cells import bare, cell, guarded, plain

# Texts made of what matters, far more often than chance would have it.
HOSTILE = st.text(
    alphabet=st.sampled_from("=+-@＝＋－＠﹣'\"` ;,\t\r\n\x00\u200b\u202e\ufeff05.ab"), max_size=12
)


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+359 2 123 456",
        "+35921234567",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\ttext",
        "  =1",
        '"=1"',
        "'=1",
        "`=1",
        "＝1+1",
        "＋1",
        "－1",
        "＠x",
        "﹦1",
        "\ufeff=1",
        "\u200b=1",
        "\u202e=1",
        "\u00a0=1",
        "\u3000=1",
        "\x00=1",
        "\x85=1",
        "\u00ad=1",
        "-",
        "=",
    ],
)
def test_what_would_be_a_formula_has_an_apostrophe(text: str) -> None:
    found = guarded(text)
    assert found.startswith("'") and bare(found) == text


@pytest.mark.parametrize(
    "text", ["", "a=b", "Tom's", "'tis", "1 - 2", "-5", "-5.25", "-5,25", "info@x.example", "≤ 3", "–", "− 5"]
)
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert guarded(text) == bare(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a;=1", "a;'=1"),
        ("a; -1", "a;' -1"),
        ("a\n=1", "a\n'=1"),
        ("a\r\n=1", "a\r\n'=1"),
        ('a\t"@x', "a\t'\"@x"),
        ("a;b;c", "a;b;c"),
        ("\n\n=1", "'\n\n'=1"),
        ("a\n\n=1", "a\n\n'=1"),
        ("-5;-6", "'-5;'-6"),
    ],
)
def test_no_part_that_another_separator_would_make_a_cell_is_a_formula(text: str, shown: str) -> None:
    assert guarded(text) == shown and bare(shown) == text


@given(st.one_of(HOSTILE, st.text()))
@example("''=")
@example("'\t")
@example("\n'\n=")
def test_a_text_comes_back(text: str) -> None:
    assert bare(guarded(text)) == text


@given(HOSTILE)
def test_no_cell_begins_a_formula_whatever_parts_it(text: str) -> None:
    parts = [guarded(text)]
    for separator in ";\t\r\n":
        parts = [part for one in parts for part in one.split(separator)]
    for part in parts:
        seen = part.lstrip('" `\x00\u200b\u202e\ufeff')  # an apostrophe is what keeps it from being one
        assert not seen.startswith(tuple("=+@＝＋－＠﹣")), (text, part)
        assert not seen.startswith("-") or guarded(text) == text


def test_a_million_signs_take_no_time_to_speak_of() -> None:
    for sign in ("\t", "'", ";", "\n'", "; '"):
        text = sign * 300_000
        assert bare(guarded(text)) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "true"),
        (False, "false"),
        (-5, "-5"),
        (-0.5, "-0.5"),
        (10**30, "1" + "0" * 30),
        (Decimal("0.70"), "0.70"),
        (datetime(2026, 11, 1, 12, 30, 5, 999_000, UTC), "2026-11-01 12:30:05"),
        (UUID("01a1e2a2-082e-735c-9baa-889e1fc644e5"), "01a1e2a2-082e-735c-9baa-889e1fc644e5"),
        (["food", "clothes"], "food; clothes"),
        (["=1", "-2"], "'=1;' -2"),
        ([], ""),
        ([{"judge": "keywords", "score": "0.91"}], '[{"judge": "keywords", "score": "0.91"}]'),
        ({"=": 1}, '{"=": 1}'),
    ],
)
def test_values_have_one_form(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_formats_that_nothing_runs_get_no_apostrophes() -> None:
    assert (plain("=1"), plain(["=1", "-2"])) == ("=1", "=1; -2")
