"""The database: one schema on SQLite and PostgreSQL, and the only way to it.

A driver is named nowhere else; the differences between the two engines are in
`dialect`. Statements live in `registry.store`, `frontier.sql` and each stage's
own store module.
"""

from surveyor.db import without_orm  # before anything else loads SQLAlchemy

assert without_orm  # imported for what it does

from surveyor.db.dialect import current_time, earlier, later, now  # noqa: E402
from surveyor.db.engine import Database  # noqa: E402

__all__ = ["Database", "current_time", "earlier", "later", "now"]
