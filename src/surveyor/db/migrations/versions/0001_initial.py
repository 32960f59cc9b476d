"""The first schema, put together from its areas."""

from __future__ import annotations

from alembic import op

from surveyor.db.migrations import guards
from surveyor.db.migrations.initial import (
    crawl,
    discover,
    extract,
    images,
    judge,
    listen,
    notify,
    operations,
    people,
    refresh,
    register,
)

revision = "0001_initial"
down_revision = None
branch_labels = None
depends_on = None

# Those that others refer to first.
AREAS = (register, people, discover, judge, crawl, images, extract, refresh, listen, notify, operations)


def upgrade() -> None:
    _tables()
    _indexes()
    _guards()
    register.plan()


def _tables() -> None:
    for area in AREAS:
        area.tables()


def _indexes() -> None:
    for area in (register, people, discover, judge, crawl, images, extract, notify, operations):
        area.indexes()


def _guards() -> None:
    for area in (register, discover, judge, operations):
        area.guard()


def downgrade() -> None:
    for area in reversed(AREAS):
        for table in reversed(area.TABLES):
            guards.drop_all(table)
            op.drop_table(table)
    guards.drop_functions()
