"""Make the table of country names that judging knows, out of the Unicode CLDR that babel carries.

python -m tools.region_names

Needs babel, of the dependency group `data`: it takes half a second and 15 MB to load, and the table 30 KB.
Run it in an environment that has babel when the CLDR changes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.toml_lists import written

TABLE = Path(__file__).parents[1] / "src/surveyor/wordlists/judge/countries.toml"
LANGUAGES = ("en", "bg", "de", "ro", "el", "fr", "es")
HEAD = """\
# Countries by their ISO 3166 code, in the languages of the built-in profiles.
# Made by `python -m tools.region_names`.
# From the Unicode CLDR, Copyright 1991-2025 Unicode, Inc., under the Unicode License v3
# (https://www.unicode.org/license.txt).

[names]
"""
# Names that are words or given names as well, and would be met where no country is meant.
AMBIGUOUS = {"chad", "jordan", "mali", "niger", "man", "cuba", "malta", "jersey", "turkey", "sierra leone"}
# No countries, or nobody lives there who offers anything.
LEFT_OUT = {
    "EU", "EZ", "UN", "QO", "AC", "AQ", "BV", "CC", "CP", "CQ", "CX", "DG", "EA", "HM", "IC", "IM", "IO",
    "JE", "NF", "PN", "SH", "TA", "TF", "UM",
}  # fmt: skip
_COUNTRY = 2  # letters of a country's code; longer ones are continents


def names_of(code: str) -> list[str]:
    from babel import Locale  # type: ignore[import-not-found]  # not a dependency: see above

    found: dict[str, None] = {}
    for language in LANGUAGES:
        name = Locale(language).territories.get(code, "").lower()
        if name and name not in AMBIGUOUS:
            found[name] = None
    return list(found)


def main() -> int:
    from babel import Locale

    codes = sorted(
        code for code in Locale("en").territories if len(code) == _COUNTRY and code.isalpha() and code < "XA"
    )
    codes += ["XK", "YE", "YT", "ZA", "ZM", "ZW"]
    lines = [written(code, names_of(code)) for code in codes if code not in LEFT_OUT]
    TABLE.write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
