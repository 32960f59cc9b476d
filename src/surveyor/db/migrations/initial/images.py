"""Images: what was stored, their URLs, where they were seen, and the hosts that have them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations.initial import base

TABLES = (
    "images",
    "image_urls",
    "image_sightings",
    "provenance",
    "asset_hosts",
)


def tables() -> None:
    _images()
    _image_urls()
    _image_sightings()
    _provenance()
    _asset_hosts()


def _images() -> None:
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
        sa.Column("copyright", sa.Text()),
        sa.Column("creator", sa.Text()),
        sa.Column("licence", sa.Text()),
        sa.Column("data_mining", sa.Text()),
        sa.Column("signals", sa.Text()),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_images")),
        sa.UniqueConstraint("sha256", name=op.f("uq_images_sha256")),
    )


def _image_urls() -> None:
    op.create_table(
        "image_urls",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("detail", sa.Text()),
        sa.Column("hops", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("taken_epoch", sa.BigInteger()),
        sa.Column("status", sa.SmallInteger()),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("image_id", sa.BigInteger()),
        sa.Column("fetched_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_image_urls")),
        sa.CheckConstraint(
            "state IN ('waiting', 'taken', 'done', 'ended')", name=op.f("ck_image_urls_state_known")
        ),
        sa.CheckConstraint(
            "state <> 'taken' OR taken_epoch IS NOT NULL", name=op.f("ck_image_urls_taken_names_its_epoch")
        ),
        sa.CheckConstraint(
            "state <> 'ended' OR reason IS NOT NULL", name=op.f("ck_image_urls_ended_has_a_reason")
        ),
        sqlite_with_rowid=False,
    )


def _image_sightings() -> None:
    op.create_table(
        "image_sightings",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("discovery_type", sa.Text(), nullable=False),
        sa.Column("alt", sa.Text(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", "key", "page_no", "page_key", name=op.f("pk_image_sightings")),
        sa.CheckConstraint(
            "discovery_type IN ('discovery', 'refresh')", name=op.f("ck_image_sightings_discovery_type_known")
        ),
        sqlite_with_rowid=False,
    )


def _provenance() -> None:
    op.create_table(
        "provenance",
        sa.Column("image_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("discovery_type", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("alt", sa.Text(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "image_id", "domain_no", "page_key", "discovery_type", name=op.f("pk_provenance")
        ),
        sa.CheckConstraint(
            "discovery_type IN ('discovery', 'refresh')", name=op.f("ck_provenance_discovery_type_known")
        ),
        sqlite_with_rowid=False,
    )


def _asset_hosts() -> None:
    op.create_table(
        "asset_hosts",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("host_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("approved_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("domain_no", "host_no", name=op.f("pk_asset_hosts")),
        sqlite_with_rowid=False,
    )


def indexes() -> None:
    base.partial("ix_image_urls_taken", "image_urls", ["domain_no"], where="state = 'taken'")
    base.partial(
        "ix_image_urls_waiting", "image_urls", ["domain_no", "attempts", "key"], where="state = 'waiting'"
    )
    op.create_index("ix_provenance_page", "provenance", ["domain_no", "page_key"])
    op.create_index("ix_asset_hosts_host_no", "asset_hosts", ["host_no"])
