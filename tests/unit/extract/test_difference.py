"""What two versions differ in can be read, whatever they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.difference import Change, Part, difference

OLD = "# Seed grants\n\nGrants of 3,000 euros.\n\nDeadline: 29 January 2027\n\nOne\n\nTwo\n\nThree"


def test_the_same_text_has_no_difference() -> None:
    found = difference(OLD, OLD)
    assert found.is_empty
    assert [line.change for line in found.lines] == [Change.SKIPPED]


def test_changed_words_are_marked_within_their_line() -> None:
    found = difference(OLD, OLD.replace("29 January", "26 February"))
    (changed,) = [line for line in found.lines if line.change is Change.CHANGED]
    assert Part(Change.REMOVED, "29") in changed.parts
    assert Part(Change.ADDED, "February") in changed.parts
    assert (found.added, found.removed) == (1, 1)


def test_lines_are_added_and_removed() -> None:
    found = difference("a\nb\nc", "a\nc\nd")
    assert [(line.change, line.text) for line in found.lines if line.change is not Change.SKIPPED] == [
        (Change.SAME, "a"),
        (Change.REMOVED, "b"),
        (Change.SAME, "c"),
        (Change.ADDED, "d"),
    ]


def test_lines_with_nothing_in_common_are_not_called_changed() -> None:
    found = difference("Grants of 3,000 euros", "Call us tomorrow, please")
    assert [line.change for line in found.lines] == [Change.REMOVED, Change.ADDED]


def test_a_terminal_shows_signs_and_marks() -> None:
    shown = list(difference(OLD, OLD.replace("3,000", "4,000")).marked())
    assert shown == [
        "  # Seed grants",
        "~ Grants of [-3-]{+4+},000 euros.",
        "  Deadline: 29 January 2027",
        "  … 3 lines that did not change",
    ]


def test_long_texts_are_compared_as_far_as_anybody_reads() -> None:
    old = "\n".join(f"line {number}" for number in range(100_000))
    new = "\n".join(f"zeile {number * 7 % 100_003}" for number in range(100_000))
    found = difference(old, new)
    assert found.is_cut
    assert len(found.lines) <= 4_001


def test_one_change_in_a_long_text_is_found() -> None:
    lines = [f"line {number}" for number in range(100_000)]
    found = difference("\n".join(lines), "\n".join([*lines[:50_000], "new", *lines[50_000:]]))
    assert (found.added, found.removed, found.is_cut) == (1, 0, False)


def test_long_lines_end_soon() -> None:
    found = difference("a b " * 100_000, "b a " * 100_000)
    assert [line.change for line in found.lines] == [Change.REMOVED, Change.ADDED]


_LINES = st.lists(st.sampled_from(["a b c", "a b d", "x", "y z", ""]), max_size=12).map("\n".join)


@given(_LINES, _LINES)
def test_both_texts_can_be_put_together_again(old: str, new: str) -> None:
    found = difference(old, new, context=100)
    if found.is_empty:
        assert [*filter(None, old.splitlines())] == [*filter(None, new.splitlines())]
        return
    for text, gone in ((old, Change.ADDED), (new, Change.REMOVED)):
        lines = [
            "".join(part.text for part in line.parts if part.change is not gone)
            for line in found.lines
            if line.change is not gone
        ]
        assert lines == [line for line in text.splitlines() if line]
