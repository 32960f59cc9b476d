"""Tables of judging: candidates, each a judged possibility that a person decides on, and contacts found.

A status that contradicts the confidence is refused here, whoever writes it; so is a second open candidate
of one domain. The arrows of the status are kept by triggers, which the migration creates.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from surveyor.db.tables.base import confidence, metadata, one_of, partial
from surveyor.db.types import BigId, UtcTime

candidates = Table(
    "candidates",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("domain_no", BigInteger, ForeignKey("domains.no", ondelete="CASCADE"), nullable=False),
    Column("session_id", Uuid, ForeignKey("discovery_sessions.id", ondelete="SET NULL")),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("organisation_name", Text),
    Column("program_name", Text),
    confidence("confidence", nullable=False),
    # The profile's at the time of judging: what is low follows from it.
    confidence("threshold", nullable=False, default=Decimal("0.60")),
    Column("scores", JSON(none_as_null=True), nullable=False),  # judge, score, weight, explanation
    Column("reasoning", Text, nullable=False),
    Column("judge_version", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("assigned_to", Text),
    Column("decided_by", Text),
    Column("decided_at", UtcTime),
    Column("decision_reason", Text),
    Column("notes", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    one_of(
        "status",
        "pending_crawl",
        "pending_review",
        "in_review",
        "approved",
        "rejected",
        "skipped_low_confidence",
    ),
    CheckConstraint(
        "(status = 'skipped_low_confidence') = (confidence < threshold)", name="status_follows_confidence"
    ),
    CheckConstraint("status <> 'in_review' OR assigned_to IS NOT NULL", name="in_review_names_who"),
    CheckConstraint(
        "(status IN ('approved', 'rejected')) = (decided_by IS NOT NULL AND decided_at IS NOT NULL)",
        name="decision_says_who_and_when",
    ),
    CheckConstraint(
        "status <> 'rejected' OR (decision_reason IS NOT NULL AND trim(decision_reason) <> '')",
        name="rejection_has_a_reason",
    ),
)
OPEN = "status IN ('pending_crawl', 'pending_review', 'in_review')"
partial("uq_candidates_one_open", candidates.c.domain_no, where=OPEN, unique=True)
Index("ix_candidates_status", candidates.c.status, candidates.c.id)
Index("ix_candidates_domain_no", candidates.c.domain_no, candidates.c.id)

contacts = Table(
    "contacts",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("domain_no", BigInteger, ForeignKey("domains.no", ondelete="CASCADE"), nullable=False),
    Column("candidate_id", Uuid, ForeignKey("candidates.id", ondelete="SET NULL")),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("name", Text),
    Column("role", Text),
    Column("source_url", Text, nullable=False),  # the page it was found on
    confidence("confidence"),
    Column("found_at", UtcTime, nullable=False),
    Column("source", Text),  # how the page says it: json_ld, structure, text and so on
    Column("quote", Text),  # the words it was read from
    Column("last_seen_at", UtcTime),
    Column("gone_at", UtcTime),  # since it stands on no page
    one_of("kind", "person", "email", "phone", "address", "form"),
    CheckConstraint("value <> ''", name="value_is_there"),
    UniqueConstraint("domain_no", "kind", "value"),
)
Index("ix_contacts_candidate_id", contacts.c.candidate_id)
