"""Alembic's entry: runs the migrations on the connection that `db.schema` hands over."""

from __future__ import annotations

from alembic import context

from surveyor.db.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    # One transaction for the whole journey: a killed migration leaves what was before.
    transaction_per_migration=False,
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
    compare_server_default=False,
)
context.run_migrations()
