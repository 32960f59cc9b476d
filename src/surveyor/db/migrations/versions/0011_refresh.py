"""Refresh: pages due by rank, when a domain was crawled to its end, what its sitemaps are worth."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

HAS_A_DATE = "next_visit_at IS NOT NULL"


def upgrade() -> None:
    op.create_table(
        "domain_refresh",
        sa.Column("domain_no", types.BigId, autoincrement=False, nullable=False),
        sa.Column("exhausted_at", types.UtcTime(), nullable=True),
        sa.Column("lastmod_right", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lastmod_wrong", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("questioned_at", types.UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("domain_no", name=op.f("pk_domain_refresh")),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_domain_refresh_domain_no"), ondelete="CASCADE"
        ),
    )
    op.execute(
        "INSERT INTO domain_refresh (domain_no, exhausted_at)"
        " SELECT no, last_crawled_at FROM domain_crawl WHERE crawl_status = 'exhausted'"
    )
    _due_by("domain_no", "rank", "next_visit_at")
    # What was fetched before is due as soon as its domain is, and of no rank in particular.
    op.execute("UPDATE pages SET next_visit_at = fetched_at, rank = 1 WHERE state = 'done'")


def _due_by(*columns: str) -> None:
    condition = sa.text(HAS_A_DATE)
    op.drop_index("ix_pages_next_visit", "pages")
    op.create_index(
        "ix_pages_next_visit", "pages", list(columns), postgresql_where=condition, sqlite_where=condition
    )


def downgrade() -> None:
    _due_by("domain_no", "next_visit_at")
    op.drop_table("domain_refresh")
