"""The language model's books: what it was asked, what that cost per day, until when it is left alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_answers",
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("asked_at", types.UtcTime(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=True),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "until IS NULL OR (answer IS NULL AND why IS NULL)",
            name=op.f("ck_model_answers_asked_or_answered"),
        ),
        sa.CheckConstraint(
            "until IS NOT NULL OR (answer IS NULL) <> (why IS NULL)",
            name=op.f("ck_model_answers_answer_or_reason"),
        ),
        sa.PrimaryKeyConstraint("content_hash", "model", "prompt", name=op.f("pk_model_answers")),
    )
    op.create_index("ix_model_answers_domain_no", "model_answers", ["domain_no"])
    op.create_table(
        "model_usage",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint("requests >= 0 AND tokens >= 0", name=op.f("ck_model_usage_not_negative")),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_model_usage")),
    )
    op.create_table(
        "model_rests",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_model_rests")),
    )


def downgrade() -> None:
    for table in ("model_rests", "model_usage", "model_answers"):
        op.drop_table(table)
