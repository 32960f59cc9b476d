"""Quotes of names in titles: those around the whole go, those within stay in pairs."""

from __future__ import annotations

import pytest

from surveyor.judge.titles import _bare


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ('Фондация "Рила"', 'Фондация "Рила"'),
        ("Stiftung „Morgen“", "Stiftung „Morgen“"),
        ('"Small grants"', "Small grants"),
        (" “Small grants”. ", "Small grants"),
        ('The "A" and "B" fund', 'The "A" and "B" fund'),
        ('"A" and "B"', '"A" and "B"'),
        ('Rila fund"', "Rila fund"),
        ("People's fund…", "People's fund"),
    ],
)
def test_a_name_keeps_its_closing_quote(part: str, kept: str) -> None:
    assert _bare(part) == kept
