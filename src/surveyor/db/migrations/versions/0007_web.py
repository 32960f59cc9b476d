"""Web: indexes for the review queue in both orders, and for what a submitter named."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

IN_REVIEW = "review_status = 'pending_review'"
WAITS_FOR = (
    "CASE WHEN quality_status = 'blacklisted' THEN 'blacklisted'"
    " WHEN submitter_type <> 'system' THEN 'awaiting_review'"
    " WHEN quality_status = 'no_funds_this_year' THEN 'low_confidence'"
    " WHEN high_quality_count > 0 THEN 'awaiting_review'"
    " WHEN processing_count > 0 THEN 'low_confidence'"
    " ELSE 'discovered' END"
)
UNSURE = "(-coalesce(best_confidence, 0))"
OUTSIDE = "submitter_type = 'public_user'"


def upgrade() -> None:
    _index("ix_domains_in_review", [sa.text(f"({WAITS_FOR})"), "no"], IN_REVIEW)
    _index("ix_domains_confident", [sa.text(f"({WAITS_FOR})"), sa.text(UNSURE), "no"], IN_REVIEW)
    _index("ix_domains_submitted_by", ["submitted_by", "no"], OUTSIDE)


def _index(name: str, columns: list[str | sa.TextClause], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, "domains", columns, postgresql_where=condition, sqlite_where=condition)


def downgrade() -> None:
    for name in ("ix_domains_submitted_by", "ix_domains_confident", "ix_domains_in_review"):
        op.drop_index(name, "domains")
