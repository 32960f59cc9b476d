"""Images: what was stored, where it was seen, URLs of images, hosts that only have images."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "images",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("dhash", sa.BigInteger(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("copyright", sa.Text(), nullable=True),
        sa.Column("creator", sa.Text(), nullable=True),
        sa.Column("licence", sa.Text(), nullable=True),
        sa.Column("data_mining", sa.Text(), nullable=True),
        sa.Column("signals", sa.Text(), nullable=True),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_images")),
        sa.UniqueConstraint("sha256", name=op.f("uq_images_sha256")),
    )
    op.create_table(
        "image_urls",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("hops", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("taken_epoch", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("image_id", sa.BigInteger(), nullable=True),
        sa.Column("fetched_at", types.UtcTime(), nullable=True),
        sa.CheckConstraint(
            "state <> 'ended' OR reason IS NOT NULL", name=op.f("ck_image_urls_ended_has_a_reason")
        ),
        sa.CheckConstraint(
            "state <> 'taken' OR taken_epoch IS NOT NULL", name=op.f("ck_image_urls_taken_names_its_epoch")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'taken', 'done', 'ended')", name=op.f("ck_image_urls_state_known")
        ),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_image_urls")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_image_urls_taken",
        "image_urls",
        ["domain_no"],
        postgresql_where=sa.text("state = 'taken'"),
        sqlite_where=sa.text("state = 'taken'"),
    )
    op.create_index(
        "ix_image_urls_waiting",
        "image_urls",
        ["domain_no", "attempts", "key"],
        postgresql_where=sa.text("state = 'waiting'"),
        sqlite_where=sa.text("state = 'waiting'"),
    )
    op.create_table(
        "image_sightings",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("discovery_type", sa.Text(), nullable=False),
        sa.Column("alt", sa.Text(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(
            "discovery_type IN ('discovery', 'refresh')",
            name=op.f("ck_image_sightings_discovery_type_known"),
        ),
        sa.PrimaryKeyConstraint("domain_no", "key", "page_no", "page_key", name=op.f("pk_image_sightings")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "provenance",
        sa.Column("image_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("discovery_type", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("alt", sa.Text(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(
            "discovery_type IN ('discovery', 'refresh')", name=op.f("ck_provenance_discovery_type_known")
        ),
        sa.PrimaryKeyConstraint("image_id", "domain_no", "page_key", name=op.f("pk_provenance")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_provenance_page", "provenance", ["domain_no", "page_key"])
    op.create_table(
        "asset_hosts",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("host_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("approved_at", types.UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("domain_no", "host_no", name=op.f("pk_asset_hosts")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_asset_hosts_host_no", "asset_hosts", ["host_no"])


def downgrade() -> None:
    for table in ("asset_hosts", "provenance", "image_sightings", "image_urls", "images"):
        op.drop_table(table)
