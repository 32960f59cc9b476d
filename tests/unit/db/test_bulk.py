"""Lists in statements: of few lengths, and nothing in them that was not given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.db.bulk import in_few_sizes


@given(st.lists(st.integers(), unique=True))
def test_a_list_has_one_of_few_lengths_and_the_same_members(values: list[int]) -> None:
    found = in_few_sizes(values)
    assert list(dict.fromkeys(found)) == values
    assert len(found) in (0, *(1 << bits for bits in range(20)))
    assert len(found) < 2 * max(1, len(values))
