"""A new design is told from a new owner."""

from __future__ import annotations

import pytest

from surveyor.crawl.detect.similarity import Version, is_alike, is_comparable

OLD = Version("Grants for young people | Rila Foundation", ["/", "/grants", "/people", "/apply", "/about"])
CASES = {
    "the same": (OLD, "", True),
    "new words, old addresses": (Version("Funding", ["/grants", "/people", "/x"]), "", True),
    "new addresses, the name in the title": (Version("RILA: funding", ["/en/1", "/en/2"]), "", True),
    "new addresses, the name in the text": (Version("Start", ["/en/1"]), "Welcome to the Rila office", True),
    "another language": (Version("Фондация", ["/bg/1"]), "Rila Foundation, София", True),
    "another owner": (Version("Lucky Slots", ["/play", "/bonus"]), "Spin and win tonight", False),
    "another owner with one address by chance": (
        Version("Slots", ["/about", *(f"/p/{n}" for n in range(9))]),
        "",
        False,
    ),
    "another owner of the same system": (
        Version("Slots", ["/about", "/apply", *(f"/p/{n}" for n in range(30))]),
        "",
        True,
    ),
    "nothing at all": (Version("", []), "", False),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_who_stands_behind_a_page(case: str) -> None:
    new, text, alike = CASES[case]
    assert is_alike(OLD, new, text) is alike


def test_a_version_that_says_nothing_is_not_held_against_anybody() -> None:
    assert is_comparable(OLD)
    assert not is_comparable(Version("Home", ["/", "/a"]))
    assert is_comparable(Version("Home", ["/", "/a", "/b", "/c"]))
    assert not is_comparable(Version("", []))
