"""Marks in the texts of pages that become dates, so that calls are open whenever the small web is started.

    {in:45d}          45 days from today, as the page's language writes it
    {ago:10d:short}   ten days ago in figures
    {in:45d:iso}      2026-12-31
    {in:45d:year}     2026

and three that are another text at every request, as such things are on real pages:

    {visits}          a visitor counter
    {now}             a line with the time
    {advert}          one of several advertisements
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

_DATED = re.compile(r"\{(in|ago):(\d{1,5})d(?::(long|short|iso|year))?\}")
LIVELY = ("{visits}", "{now}", "{advert}")

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου "
    "Νοεμβρίου Δεκεμβρίου",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "en-us": "January February March April May June July August September October November December",
}
_LONG = {
    "en": "{d} {m} {y}", "bg": "{d} {m} {y} г.", "de": "{d}. {m} {y}", "fr": "{d} {m} {y}",
    "ro": "{d} {m} {y}", "el": "{d} {m} {y}", "es": "{d} de {m} de {y}", "en-us": "{m} {d}, {y}",
    "it": "{d} {m} {y}",
}  # fmt: skip
_SHORT = {
    "en": "%d/%m/%Y", "bg": "%d.%m.%Y г.", "de": "%d.%m.%Y", "fr": "%d/%m/%Y", "ro": "%d.%m.%Y",
    "el": "%d/%m/%Y", "es": "%d/%m/%Y", "en-us": "%m/%d/%Y", "it": "%d/%m/%Y",
}  # fmt: skip
_ADVERTS = (
    "Garden chairs, now with four legs. Visit the Lindgren warehouse.",
    "Fresh coffee every morning at the corner of Mill Street.",
    "Learn to sail on the lake: three evenings, no boat needed.",
    "Second-hand pianos, tuned and delivered to your door.",
    "The night train runs again. Sleep here, wake up there.",
)


def dated(text: str, today: date, language: str) -> str:
    """The text with its dates written out."""

    def write(mark: re.Match[str]) -> str:
        days = timedelta(days=int(mark[2]))
        return written(today + days if mark[1] == "in" else today - days, language, mark[3] or "long")

    return _DATED.sub(write, text)


def day_of(mark: str, today: date) -> date | None:
    """The day that a single mark means; None if the text is none."""
    found = _DATED.fullmatch(mark)
    return date.fromisoformat(dated(f"{{{found[1]}:{found[2]}d:iso}}", today, "en")) if found else None


def written(day: date, language: str, form: str) -> str:
    if form == "iso":
        return day.isoformat()
    if form == "year":
        return str(day.year)
    if form == "short":
        return day.strftime(_SHORT[language])
    return _LONG[language].format(d=day.day, m=_MONTHS[language].split()[day.month - 1], y=day.year)


def is_lively(text: str) -> bool:
    """Whether the text is another one at every request."""
    return any(mark in text for mark in LIVELY)


def enlivened(text: str, visit: int, now: datetime) -> str:
    """The text as it is at this request, the `visit`-th to its page."""
    if not is_lively(text):
        return text
    tags = {
        "{visits}": f"{18_204 + 7 * visit:,}".replace(",", " "),
        "{now}": now.strftime("%H:%M:%S"),
        "{advert}": _ADVERTS[visit % len(_ADVERTS)],
    }
    for mark, value in tags.items():
        text = text.replace(mark, value)
    return text
