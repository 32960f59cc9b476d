"""The plain form of a text has its letters at the same places, however long the text is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.lexicon import plain

_LETTERS = st.text(alphabet="aZ \n–’ÄßæǣЙйЇїіΆς漢²", max_size=20)


@given(_LETTERS)
def test_a_long_text_becomes_what_its_parts_become(part: str) -> None:
    assert plain(part * 40) == plain(part) * 40
