"""Words around names of people, from `wordlists/extract/people.toml`: roles, titles, how to turn to them."""

from __future__ import annotations

from typing import Final

from surveyor.extract.lexicon import alternatives, words
from surveyor.words.patterns import Phrases, any_case

_ROLES: Final = Phrases(rf"(?<!\w){alternatives('people', 'role')}")
_ENDINGS: Final = Phrases(alternatives("people", "role_ending"))


def has_role(text: str) -> bool:
    """Whether a text says what somebody does."""
    lowered = text.lower()
    return _ROLES.are_in_small(lowered) or _ENDINGS.are_in_small(lowered)


def begins_with_role(word: str) -> bool:
    return _ROLES.begin(word) or _ENDINGS.are_in(word.partition("-")[0])


CONTACT_LABEL: Final = any_case(alternatives("people", "contact_label"))
TURN_TO: Final = any_case(rf"(?<!\w){alternatives('people', 'turn_to')}(?!\w)")
TITLES: Final = frozenset(words("people", "title"))
COURTESY: Final = frozenset(words("people", "courtesy"))
PARTICLES: Final = frozenset(words("people", "particle"))
NO_NAME: Final = Phrases(alternatives("people", "no_name"))
SAYS: Final = any_case(rf"\b{alternatives('people', 'says')}\s*$")
