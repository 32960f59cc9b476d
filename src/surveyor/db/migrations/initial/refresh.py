"""Refresh: when a domain was crawled to its end, and what its sitemaps are worth."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

TABLES = ("domain_refresh",)


def tables() -> None:
    _domain_refresh()


def _domain_refresh() -> None:
    op.create_table(
        "domain_refresh",
        sa.Column("domain_no", types.BigId, autoincrement=False, nullable=False),
        sa.Column("exhausted_at", types.UtcTime()),
        sa.Column("lastmod_right", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lastmod_wrong", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("questioned_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("domain_no", name=op.f("pk_domain_refresh")),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_domain_refresh_domain_no"), ondelete="CASCADE"
        ),
    )
