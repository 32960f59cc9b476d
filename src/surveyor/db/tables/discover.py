"""Tables of discovery: sessions with their statistics, search results, spam, and providers' usage.

Two rules of a session need more than a CHECK, and triggers which the migration creates keep
them: the counts in `provider_results` add up to `results_found` at every moment, and a status
follows its arrows (running, then one of the three ends, for good).
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
    text,
)

from surveyor.db.tables.base import confidence, count, metadata, one_of, partial
from surveyor.db.types import BigId, UtcTime


def _judging_adds_up() -> list[CheckConstraint]:
    """Every result judged is one of three, as `judge.statistics` says; in the words of each engine."""
    parts = ("created", "skipped_low_confidence", "known_domain")
    sqlite = [f"json_extract(judging, '$.{name}')" for name in ("processed", *parts)]
    postgresql = [f"(judging ->> '{name}')\\:\\:integer" for name in ("processed", *parts)]
    return [
        CheckConstraint(f"{total} = {' + '.join(others)}", name="judging_adds_up").ddl_if(dialect=dialect)
        for dialect, (total, *others) in (("sqlite", sqlite), ("postgresql", postgresql))
    ]


discovery_sessions = Table(
    "discovery_sessions",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("type", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("started_by", Text, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("completed_at", UtcTime),
    # The process that runs it: by its lock or its silence others know that it is gone.
    Column("worker", Text, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    # statistics; every result found is exactly one of new, duplicate, spam, blacklisted, invalid
    Column("queries_planned", Integer, nullable=False),
    count("queries_executed"),  # queries that at least one provider answered, not calls
    count("results_found"),
    count("new_domains"),
    count("duplicates_skipped"),
    count("spam_filtered"),
    count("blacklisted_skipped"),
    count("invalid"),
    Column("provider_results", JSON(none_as_null=True), nullable=False),  # provider -> results found
    Column("provider_errors", JSON(none_as_null=True), nullable=False),  # provider -> what went wrong
    Column("error_message", Text),
    Column("judging", JSON(none_as_null=True)),  # statistics of judging its results, once that was done
    one_of("type", "nightly_discovery", "weekly_deep_crawl", "manual_search"),
    one_of("status", "running", "completed", "partial_success", "failed"),
    CheckConstraint("(status = 'running') = (completed_at IS NULL)", name="ended_has_a_time"),
    CheckConstraint("completed_at >= started_at", name="ends_after_its_start"),
    CheckConstraint("new_domains + duplicates_skipped <= results_found", name="found_before_counted"),
    CheckConstraint(
        "new_domains >= 0 AND duplicates_skipped >= 0 AND spam_filtered >= 0"
        " AND blacklisted_skipped >= 0 AND invalid >= 0 AND queries_executed >= 0",
        name="counts_not_negative",
    ),
    *_judging_adds_up(),
)
Index("ix_discovery_sessions_started_at", discovery_sessions.c.started_at, discovery_sessions.c.id)
partial("ix_discovery_sessions_running", discovery_sessions.c.id, where="status = 'running'")

search_results = Table(
    "search_results",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("session_id", Uuid, ForeignKey("discovery_sessions.id", ondelete="CASCADE"), nullable=False),
    Column("domain_no", BigInteger, ForeignKey("domains.no", ondelete="CASCADE"), nullable=False),
    Column("provider", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("language", Text),  # of the query, where it is known
    Column("position", Integer, nullable=False),  # from 1, as the provider ranked it
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("is_duplicate", Boolean, nullable=False),  # its domain was known already
    Column("found_at", UtcTime, nullable=False),
    # empty until it was judged
    confidence("confidence"),
    Column("judge_version", Text),
    Column("judged_at", UtcTime),
    CheckConstraint("position >= 1", name="position_from_one"),
    CheckConstraint("length(url) BETWEEN 1 AND 2000", name="url_length"),
    CheckConstraint("length(title) <= 500 AND length(description) <= 1000", name="text_length"),
    CheckConstraint("title <> '' OR description <> ''", name="says_something"),
    CheckConstraint(
        "(judged_at IS NULL) = (confidence IS NULL) AND (judged_at IS NULL) = (judge_version IS NULL)",
        name="judgment_is_whole",
    ),
)
Index("ix_search_results_session_id", search_results.c.session_id, search_results.c.id)
Index("ix_search_results_domain_no", search_results.c.domain_no, search_results.c.id)
partial("ix_search_results_to_judge", search_results.c.id, where="judged_at IS NULL")

# One row per accused domain: how often, and the latest result as the sample. It need not be
# in the register; spam alone brings no domain there.
spam_verdicts = Table(
    "spam_verdicts",
    metadata,
    Column("domain", Text, primary_key=True),
    count("verdicts"),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Column("session_id", Uuid, nullable=False),
    Column("provider", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("score", Double, nullable=False),
    Column("reasons", JSON(none_as_null=True), nullable=False),
    CheckConstraint("verdicts >= 1", name="verdicts_positive"),
)
Index("ix_spam_verdicts_verdicts", spam_verdicts.c.verdicts, spam_verdicts.c.domain)

# Usage: what each query cost at each provider on each UTC day, and what it brought.
provider_usage = Table(
    "provider_usage",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("query", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    count("calls"),
    count("failures"),
    count("results"),
    count("new_domains"),
    count("millicredits", BigInteger),  # thousandths of a credit: whole, so that sums are exact
    CheckConstraint("failures BETWEEN 0 AND calls", name="failures_are_calls"),
    CheckConstraint("new_domains BETWEEN 0 AND results", name="new_domains_are_results"),
    CheckConstraint("millicredits >= 0", name="millicredits_not_negative"),
)
Index("ix_provider_usage_day", provider_usage.c.day)

# Providers that are left alone for a while, by every process that shares this database.
provider_suspensions = Table(
    "provider_suspensions",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("error", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("suspended_at", UtcTime, nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("strikes", Integer, nullable=False, server_default=text("1")),  # failures in a row
    # Marks the key and address that failed; with others the provider is tried at once.
    Column("account", Text, nullable=False),
    CheckConstraint("until >= suspended_at", name="ends_after_its_start"),
    CheckConstraint("strikes >= 1", name="strikes_positive"),
)
