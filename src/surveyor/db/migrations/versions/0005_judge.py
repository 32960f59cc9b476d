"""Judging: candidates whose status follows their confidence, at most one open per domain, and contacts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations import guards

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATUS = {
    "pending_crawl": ("pending_review", "rejected"),
    "pending_review": ("in_review", "rejected"),
    "in_review": ("approved", "rejected", "pending_review"),
}
OPEN = "status IN ('pending_crawl', 'pending_review', 'in_review')"


def upgrade() -> None:
    _candidates()
    _contacts()
    guards.arrows("candidates", "status", STATUS, first=("pending_crawl", "skipped_low_confidence"))


def _hundredths(value: str) -> str:
    """A confidence as each engine keeps it."""
    return value if op.get_bind().dialect.name == "postgresql" else str(int(value.replace(".", "")))


def _candidates() -> None:
    zero, one, usual = map(_hundredths, ("0.00", "1.00", "0.60"))
    op.create_table(
        "candidates",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("organisation_name", sa.Text(), nullable=True),
        sa.Column("program_name", sa.Text(), nullable=True),
        sa.Column("confidence", types.Confidence(), nullable=False),
        sa.Column("threshold", types.Confidence(), server_default=sa.text(usual), nullable=False),
        sa.Column("scores", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.Column("judge_version", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("assigned_to", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", types.UtcTime(), nullable=True),
        sa.Column("decision_reason", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("updated_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(
            f"confidence BETWEEN {zero} AND {one}", name=op.f("ck_candidates_confidence_range")
        ),
        sa.CheckConstraint(f"threshold BETWEEN {zero} AND {one}", name=op.f("ck_candidates_threshold_range")),
        sa.CheckConstraint(
            "status IN ('pending_crawl', 'pending_review', 'in_review', 'approved', 'rejected', 'skipped_low_confidence')",
            name=op.f("ck_candidates_status_known"),
        ),
        sa.CheckConstraint(
            "(status = 'skipped_low_confidence') = (confidence < threshold)",
            name=op.f("ck_candidates_status_follows_confidence"),
        ),
        sa.CheckConstraint(
            "status <> 'in_review' OR assigned_to IS NOT NULL", name=op.f("ck_candidates_in_review_names_who")
        ),
        sa.CheckConstraint(
            "(status IN ('approved', 'rejected')) = (decided_by IS NOT NULL AND decided_at IS NOT NULL)",
            name=op.f("ck_candidates_decision_says_who_and_when"),
        ),
        sa.CheckConstraint(
            "status <> 'rejected' OR decision_reason IS NOT NULL",
            name=op.f("ck_candidates_rejection_has_a_reason"),
        ),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_candidates_domain_no"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["discovery_sessions.id"],
            name=op.f("fk_candidates_session_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidates")),
    )
    op.create_index(
        "uq_candidates_one_open",
        "candidates",
        ["domain_no"],
        unique=True,
        postgresql_where=sa.text(OPEN),
        sqlite_where=sa.text(OPEN),
    )
    op.create_index("ix_candidates_status", "candidates", ["status", "id"])
    op.create_index("ix_candidates_domain_no", "candidates", ["domain_no", "id"])


def _contacts() -> None:
    zero, one = map(_hundredths, ("0.00", "1.00"))
    op.create_table(
        "contacts",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("candidate_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("confidence", types.Confidence(), nullable=True),
        sa.Column("found_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(f"confidence BETWEEN {zero} AND {one}", name=op.f("ck_contacts_confidence_range")),
        sa.CheckConstraint(
            "kind IN ('person', 'email', 'phone', 'address', 'form')", name=op.f("ck_contacts_kind_known")
        ),
        sa.CheckConstraint("value <> ''", name=op.f("ck_contacts_value_is_there")),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_contacts_domain_no"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidates.id"], name=op.f("fk_contacts_candidate_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contacts")),
        sa.UniqueConstraint("domain_no", "kind", "value", name=op.f("uq_contacts_domain_no_kind_value")),
    )
    op.create_index("ix_contacts_candidate_id", "contacts", ["candidate_id"])


def downgrade() -> None:
    for table in ("contacts", "candidates"):
        guards.drop_all(table)
        op.drop_table(table)
