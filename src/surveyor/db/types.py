"""Column types with one meaning on both engines.

SQLite has no time and no exact decimal. Times are kept there as UTC text with
milliseconds, which sorts as it reads; confidences as whole hundredths.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Dialect, Integer, Numeric, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

_HUNDREDTH = Decimal("0.01")

# SQLite's rowid must be spelled INTEGER; PostgreSQL gets 64 bits.
BigId = BigInteger().with_variant(Integer(), "sqlite")


class UtcTime(TypeDecorator[datetime]):
    """A point in time, always aware and in UTC."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name != "postgresql":
            return Text()
        from sqlalchemy.dialects.postgresql import TIMESTAMP  # a start on SQLite does without

        return TIMESTAMP(timezone=True)

    # Processors of its own, not those of `TypeDecorator` around two methods: a visit reads and writes
    # a hundred times, and they would cost it more than its statements.

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any]:
        return _aware if dialect.name == "postgresql" else _to_text

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        return None if dialect.name == "postgresql" else _from_text


def _aware(value: datetime | None) -> datetime | None:
    if value is not None and value.tzinfo is None:
        raise ValueError("a time without a zone has no place in the register")
    return value


def _to_text(value: datetime | None) -> str | None:
    if value is None:
        return None
    if value.tzinfo is not UTC:
        _aware(value)
        value = value.astimezone(UTC)
    return value.isoformat(" ", "milliseconds")[: -len("+00:00")]


def _from_text(value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(f"{value}Z")
    except ValueError:  # not ours: written by another program, with its zone
        return datetime.fromisoformat(value).astimezone(UTC)


class Confidence(TypeDecorator[Decimal]):
    """0.00 to 1.00 in steps of one hundredth, never a float."""

    impl = Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return Numeric(3, 2) if dialect.name == "postgresql" else Integer()

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if not isinstance(value, Decimal):
            raise TypeError("a confidence is a Decimal; a float is not exact")
        value = value.quantize(_HUNDREDTH, ROUND_HALF_UP)
        return value if dialect.name == "postgresql" else int(value * 100)

    def process_literal_param(self, value: Decimal | None, dialect: Dialect) -> str:
        return str(self.process_bind_param(value, dialect))

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        if value is None:
            return None
        return value if isinstance(value, Decimal) else Decimal(value).scaleb(-2)


def to_json(value: Any) -> Any:
    """A value of a row that orjson has no form for, as commands, exports and assistants get it."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, UUID):  # a driver's own kind of it
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in JSON")
