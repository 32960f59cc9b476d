"""Logistic regression over signs that are there or not, by Newton's method; exact, without libraries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from surveyor.extract.scoring import chance

# How strongly weights are drawn to nothing or to those known before, most steps, a step that changes nothing,
# digits kept.
_DRAWN, _STEPS, _STILL, _DIGITS = 2.0, 12, 1e-4, 3
_TINY: Final = 1e-6


class Row(NamedTuple):
    signs: tuple[str, ...]
    is_right: bool
    weight: float = 1.0


def learn(rows: Sequence[Row], known: Mapping[str, float] = MappingProxyType({})) -> dict[str, float]:
    """A weight per sign, and `bias`.

    Weights are drawn to those known before, so that what older pages showed stays where new ones say nothing
    else; a sign that is new is drawn to nothing.
    """
    names = ["bias", *sorted({*known, *(sign for row in rows for sign in row.signs)} - {"bias"})]
    number = {name: place for place, name in enumerate(names)}
    grouped: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:  # pages with the same signs count together
        grouped[0, *sorted(number[sign] for sign in set(row.signs))][row.is_right] += row.weight
    home = [known.get(name, 0.0) for name in names]
    found = list(home)
    for _ in range(_STEPS):
        step = _solved(*_slope_and_curve(grouped, found, home))
        found = [value + change for value, change in zip(found, step, strict=True)]
        if max(map(abs, step)) < _STILL:
            break
    return {name: round(value, _DIGITS) for name, value in zip(names, found, strict=True)}


def _slope_and_curve(
    grouped: dict[tuple[int, ...], list[float]], found: list[float], home: list[float]
) -> tuple[list[list[float]], list[float]]:
    size = len(found)
    drawn = [
        _DRAWN if any(home) else _TINY,
        *[_DRAWN] * (size - 1),
    ]
    slope = [force * (there - value) for force, there, value in zip(drawn, home, found, strict=True)]
    curve = [[0.0] * size for _ in range(size)]
    for place, force in enumerate(drawn):
        curve[place][place] = force
    for signs, (wrong, right) in grouped.items():
        likely = chance(sum(found[sign] for sign in signs))
        error, spread = right - (right + wrong) * likely, (right + wrong) * likely * (1 - likely)
        for one in signs:
            slope[one] += error
            row = curve[one]
            for other in signs:
                row[other] += spread
    return curve, slope


def _solved(matrix: list[list[float]], wanted: list[float]) -> list[float]:
    """The solution of a symmetric positive system, by elimination."""
    size = len(wanted)
    rows = [[*row, value] for row, value in zip(matrix, wanted, strict=True)]
    for i in range(size):
        for j in range(i + 1, size):
            if factor := rows[j][i] / rows[i][i]:
                below, above = rows[j][i:], rows[i][i:]
                rows[j][i:] = [one - factor * other for one, other in zip(below, above, strict=True)]
    found = [0.0] * size
    for i in range(size - 1, -1, -1):
        known = sum(rows[i][j] * found[j] for j in range(i + 1, size))
        found[i] = (rows[i][size] - known) / rows[i][i]
    return found
