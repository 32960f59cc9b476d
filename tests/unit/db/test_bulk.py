"""Lists in statements: of few lengths, and nothing in them that was not given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.db.bulk import in_few_sizes


@given(st.integers(0, 600))
def test_a_list_has_one_of_few_lengths_and_the_same_members(count: int) -> None:
    found = in_few_sizes(range(count))
    assert list(dict.fromkeys(found)) == list(range(count))
    assert len(found) in (0, 8, 64, 512) or len(found) == count > 512
