"""Stages: indexes for lists of domains that wait for their first crawl, or for another one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_domain_crawl_pending_due": "crawl_status = 'pending' AND due_at IS NOT NULL",
    "ix_domain_crawl_pending_again": "crawl_status = 'pending' AND last_crawled_at IS NOT NULL",
}


def upgrade() -> None:
    for name, where in _INDEXES.items():
        condition = sa.text(where)
        op.create_index(name, "domain_crawl", ["no"], postgresql_where=condition, sqlite_where=condition)


def downgrade() -> None:
    for name in reversed(_INDEXES):
        op.drop_index(name, "domain_crawl")
