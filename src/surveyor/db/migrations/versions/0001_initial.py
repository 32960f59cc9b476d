"""The first schema: the tables as `db.tables` has them, and what guards them.

Until the first release this revision is made anew with every change, and a database keeps from which
build it is (`db.schema`). docs/releasing.md says how it is frozen with the release.
"""

from __future__ import annotations

from alembic import op

from surveyor.db.migrations import first_guards, guards
from surveyor.db.tables import metadata

revision = "0001_initial"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    metadata.create_all(op.get_bind(), checkfirst=False)
    first_guards.guard()
    if op.get_bind().dialect.name == "postgresql":
        # How many rows are ready changes faster than anybody counts. A planner that counts on "none" would
        # sort them all for every claim; without a figure it walks the index that is in order.
        op.execute("ALTER TABLE domain_crawl ALTER COLUMN ready SET STATISTICS 0")


def downgrade() -> None:
    for table in reversed(metadata.sorted_tables):
        guards.drop_all(table.name)
        op.drop_table(table.name)
    guards.drop_functions()
