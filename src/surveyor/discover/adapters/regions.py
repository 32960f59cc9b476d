"""Languages and countries as each provider spells them; what it does not know is not sent.

A value outside a provider's list would have the whole query refused. Queries carry ISO codes: a language
in lower case, a country in upper case.
"""

from __future__ import annotations

from typing import Final

# Brave's `search_lang`. Most are ISO codes; those that are not, and Greek, which only part of its
# documentation lists.
_BRAVE_PLAIN: Final = frozenset(
    "ar bg bn ca cs da de el en es et eu fi fr gl gu he hi hr hu is it kn ko lt lv ml mr ms nb nl pa pl ro "  # noqa: SIM905
    "ru sk sl sr sv ta te th tr uk vi".split()
)
_BRAVE_OWN: Final = {"ja": "jp", "zh": "zh-hans", "pt": "pt-br", "no": "nb"}
_BRAVE_IN: Final = {
    ("pt", "PT"): "pt-pt",
    ("zh", "TW"): "zh-hant",
    ("zh", "HK"): "zh-hant",
    ("en", "GB"): "en-gb",
}
# Brave's `country`. Without one it takes the United States; `ALL` is for those that it does not know.
_BRAVE_COUNTRIES: Final = frozenset(
    "AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB GR HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR "  # noqa: SIM905
    "TW US ZA".split()
)
# Tavily takes a country by its English name, in lower case.
_TAVILY_COUNTRIES: Final = {
    "AL": "albania", "AR": "argentina", "AT": "austria", "AU": "australia", "BA": "bosnia and herzegovina",
    "BE": "belgium", "BG": "bulgaria", "BR": "brazil", "CA": "canada", "CH": "switzerland", "CL": "chile",
    "CN": "china", "CO": "colombia", "CY": "cyprus", "CZ": "czech republic", "DE": "germany",
    "DK": "denmark", "EE": "estonia", "EG": "egypt", "ES": "spain", "FI": "finland", "FR": "france",
    "GB": "united kingdom", "GE": "georgia", "GR": "greece", "HR": "croatia", "HU": "hungary",
    "ID": "indonesia", "IE": "ireland", "IL": "israel", "IN": "india", "IS": "iceland", "IT": "italy",
    "JP": "japan", "KE": "kenya", "KR": "south korea", "LT": "lithuania", "LU": "luxembourg", "LV": "latvia",
    "MD": "moldova", "ME": "montenegro", "MK": "north macedonia", "MT": "malta", "MX": "mexico",
    "MY": "malaysia", "NG": "nigeria", "NL": "netherlands", "NO": "norway", "NZ": "new zealand",
    "PE": "peru", "PH": "philippines", "PL": "poland", "PT": "portugal", "RO": "romania", "RS": "serbia",
    "SE": "sweden", "SI": "slovenia", "SK": "slovakia", "TR": "turkey", "UA": "ukraine",
    "US": "united states", "ZA": "south africa",
}  # fmt: skip


def brave_language(language: str | None, country: str | None) -> str | None:
    if language is None:
        return None
    own = _BRAVE_IN.get((language, country or "")) or _BRAVE_OWN.get(language)
    return own or (language if language in _BRAVE_PLAIN else None)


def brave_country(country: str | None) -> str | None:
    if country is None:
        return None
    return country if country in _BRAVE_COUNTRIES else "ALL"


def tavily_country(country: str | None) -> str | None:
    return _TAVILY_COUNTRIES.get(country or "")
