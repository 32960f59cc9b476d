"""Lists of records: indexes over those that are given to everybody, and over those that are gone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_GIVEN, _GONE = "published AND gone_at IS NULL", "gone_at IS NOT NULL"
_INDEXES = {
    "ix_records_given": (["id"], _GIVEN),
    "ix_records_kind_given": (["kind", "id"], _GIVEN),
    "ix_records_gone": (["id"], _GONE),
}


def upgrade() -> None:
    for name, (columns, where) in _INDEXES.items():
        condition = sa.text(where)
        op.create_index(name, "records", columns, postgresql_where=condition, sqlite_where=condition)


def downgrade() -> None:
    for name in reversed(_INDEXES):
        op.drop_index(name, "records")
