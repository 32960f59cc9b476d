"""Column types with one meaning on both engines.

SQLite has no time and no exact decimal. Times are kept there as UTC text with
milliseconds, which sorts as it reads; confidences as whole hundredths.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

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

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone has no place in the register")
        value = value.astimezone(UTC)
        if dialect.name == "postgresql":
            return value
        return value.replace(tzinfo=None).isoformat(sep=" ", timespec="milliseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None or isinstance(value, datetime):
            return value
        return datetime.fromisoformat(value).replace(tzinfo=UTC)


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
