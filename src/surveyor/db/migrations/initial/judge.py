"""Judging: candidates, one open per domain, and contacts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations import guards
from surveyor.db.migrations.initial import base

TABLES = (
    "candidates",
    "contacts",
)
STATUS = {
    "pending_crawl": ("pending_review", "rejected"),
    "pending_review": ("in_review", "rejected"),
    "in_review": ("approved", "rejected", "pending_review"),
    "approved": ("in_review",),
    "rejected": ("in_review",),
}


def tables() -> None:
    _candidates()
    _contacts()


def _candidates() -> None:
    op.create_table(
        "candidates",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.Uuid()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("organisation_name", sa.Text()),
        sa.Column("program_name", sa.Text()),
        sa.Column("confidence", types.Confidence(), nullable=False),
        sa.Column(
            "threshold", types.Confidence(), server_default=sa.text(base.hundredths("0.60")), nullable=False
        ),
        sa.Column("scores", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.Column("judge_version", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("assigned_to", sa.Text()),
        sa.Column("decided_by", sa.Text()),
        sa.Column("decided_at", types.UtcTime()),
        sa.Column("decision_reason", sa.Text()),
        sa.Column("notes", sa.Text()),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("updated_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidates")),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_candidates_domain_no"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["discovery_sessions.id"],
            name=op.f("fk_candidates_session_id"),
            ondelete="SET NULL",
        ),
        *base.confidence_checks("candidates", "confidence"),
        *base.confidence_checks("candidates", "threshold"),
        sa.CheckConstraint(
            "status IN ('pending_crawl', 'pending_review', 'in_review', 'approved', 'rejected',"
            " 'skipped_low_confidence')",
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
            "status <> 'rejected' OR (decision_reason IS NOT NULL AND trim(decision_reason) <> '')",
            name=op.f("ck_candidates_rejection_has_a_reason"),
        ),
    )


def _contacts() -> None:
    op.create_table(
        "contacts",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("candidate_id", sa.Uuid()),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("role", sa.Text()),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("confidence", types.Confidence()),
        sa.Column("found_at", types.UtcTime(), nullable=False),
        sa.Column("source", sa.Text()),
        sa.Column("quote", sa.Text()),
        sa.Column("last_seen_at", types.UtcTime()),
        sa.Column("gone_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contacts")),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_contacts_domain_no"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidates.id"], name=op.f("fk_contacts_candidate_id"), ondelete="SET NULL"
        ),
        sa.UniqueConstraint("domain_no", "kind", "value", name=op.f("uq_contacts_domain_no_kind_value")),
        *base.confidence_checks("contacts", "confidence"),
        sa.CheckConstraint(
            "kind IN ('person', 'email', 'phone', 'address', 'form')", name=op.f("ck_contacts_kind_known")
        ),
        sa.CheckConstraint("value <> ''", name=op.f("ck_contacts_value_is_there")),
    )


def indexes() -> None:
    op.create_index("ix_candidates_domain_no", "candidates", ["domain_no", "id"])
    op.create_index("ix_candidates_status", "candidates", ["status", "id"])
    base.partial(
        "uq_candidates_one_open",
        "candidates",
        ["domain_no"],
        unique=True,
        where="status IN ('pending_crawl', 'pending_review', 'in_review')",
    )
    op.create_index("ix_contacts_candidate_id", "contacts", ["candidate_id"])


def guard() -> None:
    guards.arrows("candidates", "status", STATUS, first=("pending_crawl", "skipped_low_confidence"))
    guards.stamped("candidates", "id")
