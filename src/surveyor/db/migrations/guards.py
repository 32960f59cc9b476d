"""Triggers that keep the lifecycles, names and stamps, in the words of each engine.

A status may stay as it is or follow one of its arrows; a new row begins in one of
the first states. Whoever writes, by hand or by program, is held to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from alembic import op

_NOW = {"sqlite": "strftime('%Y-%m-%d %H:%M:%f', 'now')", "postgresql": "statement_timestamp()"}
_YEAR = {
    "sqlite": "CAST(strftime('%Y', 'now') AS INTEGER)",
    "postgresql": "extract(year FROM statement_timestamp() AT TIME ZONE 'UTC')",
}
_FUNCTION = "surveyor_refuse"
_SUM = "surveyor_sum"
_STAMP = "surveyor_stamp"
_WWW_TWIN = "surveyor_www_twin"
_BY_HAND = "surveyor_pending_by_hand"


def arrows(table: str, column: str, allowed: Mapping[str, Sequence[str]], first: Sequence[str]) -> None:
    pairs = " OR ".join(
        f"(OLD.{column} = '{source}' AND NEW.{column} IN ({_listed(targets)}))"
        for source, targets in allowed.items()
    )
    _refuse(
        f"{table}_{column}_arrow",
        table,
        f"UPDATE OF {column}",
        f"NEW.{column} <> OLD.{column} AND NOT ({pairs})",
        f"{column} has no such arrow",
    )
    _refuse(
        f"{table}_{column}_first",
        table,
        "INSERT",
        f"NEW.{column} NOT IN ({_listed(first)})",
        f"{column} does not begin there",
    )


def too_early(name: str, table: str, column: str, when: str, says: str) -> None:
    dialect = op.get_bind().dialect.name
    condition = when.format(now=_NOW[dialect], year=_YEAR[dialect])
    _refuse(f"{name}_early", table, f"UPDATE OF {column}", condition, says)


def adds_up(table: str, parts: str, total: str) -> None:
    """The numbers in the JSON object `parts` add up to the column `total`, at every moment."""
    if op.get_bind().dialect.name == "sqlite":
        summed = f"(SELECT coalesce(sum(value), 0) FROM json_each(NEW.{parts}))"  # noqa: S608 - our names
    else:
        # The condition of a trigger may hold no query here, but it may call a function that does.
        op.execute(
            f"CREATE FUNCTION {_SUM}(json) RETURNS numeric LANGUAGE sql IMMUTABLE AS "  # noqa: S608
            "$$ SELECT coalesce(sum(value::numeric), 0) FROM json_each_text($1) $$"
        )
        summed = f"{_SUM}(NEW.{parts})"
    says = f"{parts} do not add up to {total}"
    for action, name in (("INSERT", "first"), (f"UPDATE OF {parts}, {total}", "later")):
        _refuse(f"{table}_{parts}_{name}", table, action, f"{summed} <> NEW.{total}", says)


def stamped(table: str, key: str, column: str = "updated_at") -> None:
    """A row that changes says when, also if whoever writes does not."""
    name = f"{table}_{column}_moves"
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER {name} AFTER UPDATE ON {table} WHEN NEW.{column} IS OLD.{column} BEGIN "  # noqa: S608
            f"UPDATE {table} SET {column} = {_NOW['sqlite']} WHERE {key} = NEW.{key}; END"
        )
        return
    op.execute(
        f"CREATE OR REPLACE FUNCTION {_STAMP}() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN NEW.{column} = {_NOW['postgresql']}; RETURN NEW; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} FOR EACH ROW "
        f"WHEN (NEW.{column} IS NOT DISTINCT FROM OLD.{column}) EXECUTE FUNCTION {_STAMP}()"
    )


def no_www_twin(table: str, column: str) -> None:
    """A name with `www.` in front is refused beside the same name without: they are one domain."""
    says = f"{table}: this {column} without www. is there already"
    is_www = f"substr(NEW.{column}, 1, 4) = 'www.'"
    twin = f"EXISTS (SELECT 1 FROM {table} WHERE {column} = substr(NEW.{column}, 5))"  # noqa: S608
    sqlite = op.get_bind().dialect.name == "sqlite"
    if not sqlite:
        op.execute(
            f"CREATE FUNCTION {_WWW_TWIN}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {twin} THEN "
            f"RAISE EXCEPTION '{says}' USING ERRCODE = '23514'; END IF; RETURN NEW; END $$"
        )
    for action, when in (("INSERT", "first"), (f"UPDATE OF {column}", "later")):
        begin = f"CREATE TRIGGER {table}_{column}_www_{when} BEFORE {action} ON {table}"
        if sqlite:
            op.execute(f"{begin} WHEN {is_www} AND {twin} BEGIN SELECT RAISE(ABORT, '{says}'); END")
        else:
            op.execute(f"{begin} FOR EACH ROW WHEN ({is_www}) EXECUTE FUNCTION {_WWW_TWIN}()")


def due_by_hand(failed: Sequence[str]) -> None:
    """Whoever sets an approved domain back to pending by hand makes it due, as `domain-reset` does.

    The program itself sets a due date along with that status, or holds a lease.
    """
    dialect = op.get_bind().dialect.name
    same = "IS" if dialect == "sqlite" else "IS NOT DISTINCT FROM"
    when = (
        "OLD.crawl_status <> 'pending' AND NEW.crawl_status = 'pending' AND NEW.claimed_by IS NULL"
        f" AND NEW.due_at {same} OLD.due_at"
    )
    allowed = (
        "EXISTS (SELECT 1 FROM domains WHERE domains.no = NEW.no AND review_status = 'approved'"
        " AND quality_status <> 'blacklisted')"
    )
    over = (
        "domain_no = NEW.no AND ((target = '/' AND state IN ('done', 'ended'))"
        f" OR (state = 'ended' AND reason IN ({_listed(failed)})))"
    )
    body = (
        f"UPDATE domain_crawl SET due_at = {_NOW[dialect]}, ready = false,"  # noqa: S608 - our names
        f" frontier_size = frontier_size + (SELECT count(*) FROM pages WHERE {over})"
        f" WHERE no = NEW.no AND {allowed}; "
        f"UPDATE pages SET state = 'waiting', attempts = 0, suspect = 0 WHERE {over} AND {allowed}; "
        f"UPDATE domain_refresh SET exhausted_at = NULL WHERE domain_no = NEW.no AND {allowed};"
    )
    name = "domain_crawl_pending_by_hand"
    event = f"CREATE TRIGGER {name} AFTER UPDATE OF crawl_status ON domain_crawl"
    if dialect == "sqlite":
        op.execute(f"{event} WHEN ({when}) BEGIN {body} END")
        return
    whole = f"$$ BEGIN {body} RETURN NULL; END $$"
    op.execute(f"CREATE FUNCTION {_BY_HAND}() RETURNS trigger LANGUAGE plpgsql AS {whole}")
    op.execute(f"{event} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {_BY_HAND}()")


def append_only(table: str) -> None:
    _refuse(f"{table}_no_update", table, "UPDATE", None, f"{table} is append-only")
    _refuse(f"{table}_no_delete", table, "DELETE", None, f"{table} is append-only")


def drop_all(table: str) -> None:
    """SQLite drops a table's triggers with it; so does PostgreSQL. Kept as one place to look."""
    if op.get_bind().dialect.name == "sqlite":
        # A trigger that refuses DELETE would refuse the implicit one of DROP TABLE.
        names = op.get_bind().exec_driver_sql(
            f"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}'"  # noqa: S608
        )
        for (name,) in names.fetchall():
            op.execute(f"DROP TRIGGER {name}")


def drop_functions() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"DROP FUNCTION {_FUNCTION}()")
        op.execute(f"DROP FUNCTION {_SUM}(json)")
        op.execute(f"DROP FUNCTION {_STAMP}()")
        op.execute(f"DROP FUNCTION {_WWW_TWIN}()")
        op.execute(f"DROP FUNCTION {_BY_HAND}()")


def _refuse(name: str, table: str, action: str, when: str | None, says: str) -> None:
    condition = f"WHEN ({when})" if when else ""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {action} ON {table} {condition} "
            f"BEGIN SELECT RAISE(ABORT, '{table}: {says}'); END"
        )
        return
    _ensure_function()
    op.execute(
        f"CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW {condition} "
        f"EXECUTE FUNCTION {_FUNCTION}('{says}')"
    )


def _ensure_function() -> None:
    # 23514 is check_violation: to a driver, a broken arrow is a broken constraint.
    op.execute(
        f"CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = '23514'; END $$"
    )


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)
