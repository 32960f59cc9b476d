"""Which word lists know a language, and which do not: what there is to fill in to add one.

python -m tools.languages LANGUAGE

A list counts if it has words in several languages; lists by country, currency or month are the same for all.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from surveyor import wordlists

_LANGUAGE = re.compile(r"[a-z]{2}")
# Languages in which a list has words before it is one that every language needs.
_FEWEST = 4


class Known(NamedTuple):
    file: str
    name: str
    words: int
    in_english: int


def known(language: str) -> Iterator[Known]:
    """Every list that has words by language, with how many it has in this one."""
    for file in wordlists.files():
        for name, by_language in wordlists.read(file).items():
            if sum(_LANGUAGE.fullmatch(key) is not None for key in by_language) >= _FEWEST:
                yield Known(file, name, len(by_language.get(language, ())), len(by_language.get("en", ())))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not _LANGUAGE.fullmatch(arguments[0]):
        print("name one language by its two letters: python -m tools.languages pt", file=sys.stderr)  # noqa: T201
        return 2
    found = list(known(arguments[0]))
    for each in found:
        print(f"{each.file + '.toml':28} {each.name:22} {each.words:5} words, {each.in_english} in English")  # noqa: T201
    print(f"{sum(not each.words for each in found)} of {len(found)} lists have none")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
