"""The tables that can be imported: what others call them and their columns; data.

The names are those of the registers this one descends from, and our own. Other names are mapped with
`--map theirs=ours`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from surveyor.backfill.rows import Headings, squashed
from surveyor.errors import UsageError
from surveyor.extract.kinds import ALL_FIELDS


class Kind(StrEnum):
    """What a table keeps; they are read in this order, so that each finds what it names."""

    PEOPLE = "people"  # who an id stands for
    SESSIONS = "sessions"  # discovery sessions with their figures
    DOMAINS = "domains"  # with who decided, when and why
    CANDIDATES = "candidates"  # judged possibilities and what was decided on them
    RESULTS = "results"  # what search providers gave
    PAGES = "pages"  # contents of pages, which extraction reads
    EXTRACTIONS = "extractions"  # what others read on pages: records of a kind


TABLES: Mapping[Kind, tuple[str, ...]] = {
    Kind.PEOPLE: ("admin_user", "admin_users", "members", "users"),
    Kind.SESSIONS: ("discovery_session", "discovery_sessions", "sessions"),
    Kind.DOMAINS: ("domain", "domains"),
    Kind.CANDIDATES: ("funding_source_candidate", "funding_source_candidates", "candidate", "candidates"),
    Kind.RESULTS: ("search_result", "search_results", "results"),
    Kind.PAGES: ("page_snapshots", "page_snapshot", "snapshots"),
    Kind.EXTRACTIONS: ("extractions", "extraction"),
}

Columns = Mapping[str, Sequence[str]]
_SESSION = ("discovery_session_id", "first_discovery_session_id", "first_session_id")

COLUMNS: Mapping[Kind, Columns] = {
    Kind.PEOPLE: {"id": ("user_id", "member_id"), "name": ("username", "full_name", "display_name", "email")},
    Kind.SESSIONS: {
        "id": ("session_id",),
        "type": ("session_type",),
        "status": (),
        "started_by": ("created_by",),
        "started_at": (),
        "completed_at": ("ended_at", "finished_at"),
        "queries_executed": ("total_queries_executed",),
        "results_found": ("total_results_found",),
        "new_domains": ("new_domains_discovered",),
        "duplicates_skipped": ("duplicate_domains_skipped",),
        "spam_filtered": ("spam_results_filtered",),
        "error_message": (),
        "brave": ("brave_search_results",),
        "searxng": ("searxng_results",),
        "serper": ("serper_results",),
        "tavily": ("tavily_results",),
        "perplexity": ("perplexity_results",),
        "browserbase": ("browserbase_results",),
    },
    Kind.DOMAINS: {
        "domain": ("domain_name", "domain_url", "host", "hostname", "site", "website", "web", "url"),
        "id": ("domain_id",),
        "status": ("state", "decision"),
        "review_status": (),
        "quality_status": (),
        "crawl_status": (),
        "source": (),
        "seed_rank": ("rank",),
        "first_seen_at": ("discovered_at", "first_discovered_at", "created_at"),
        "last_seen_at": (),
        "total_occurrences": (),
        "session": _SESSION,
        "submitted_by": (),
        "submitter_type": (),
        "submission_context": ("context", "description"),
        "reviewed_by": ("approved_by", "decided_by"),
        "reviewed_at": ("approved_at", "decided_at"),
        "rejection_reason": ("reason",),
        "is_trusted": ("is_trusted_domain", "trusted"),
        "active": (),
        "processing_count": (),
        "last_processed_at": (),
        "best_confidence": ("best_confidence_score", "confidence", "confidence_score"),
        "average_confidence": (),
        "high_quality_count": ("high_quality_candidate_count", "high_quality_candidates"),
        "low_quality_count": ("low_quality_candidate_count", "low_quality_candidates"),
        "blacklisted": ("is_blacklisted",),
        "blacklisted_by": (),
        "blacklisted_at": (),
        "blacklist_reason": (),
        "no_funds_year": (),
        "failure_reason": (),
        "failure_count": (),
        "retry_after": (),
        "notes": ("note", "comment", "comments"),
        "max_crawl_depth": (),
        "crawl_delay_seconds": ("crawl_rate_limit_seconds",),
        "max_pages_per_run": (),
        "scrape_frequency_hours": (),
        "last_crawled_at": ("last_scraped_at",),
        "pages_discovered": (),
        "pages_crawled": (),
        "images_found": (),
        "images_stored": (),
        "total_error_count": (),
        "block_reason_code": (),
        "block_reason": (),
        "updated_at": (),
    },
    Kind.CANDIDATES: {
        "id": ("candidate_id",),
        "domain": ("domain_name",),
        "domain_id": (),
        "session": _SESSION,
        "url": ("source_url", "website", "page_url"),
        "title": ("page_title", "name"),
        "organisation_name": ("organization_name", "extracted_organization_name"),
        "program_name": ("programme_name", "extracted_program_name"),
        "confidence": ("confidence_score", "metadata_confidence"),
        "threshold": (),
        "status": (),
        "reasoning": ("validation_notes",),
        "assigned_to": ("assigned_reviewer_id", "assigned_reviewer"),
        "decided_by": ("approved_by", "rejected_by", "reviewed_by"),
        "decided_at": ("approved_at", "rejected_at", "reviewed_at"),
        "decision_reason": ("rejection_reason",),
        "notes": ("review_notes",),
        "created_at": ("discovered_at",),
        "updated_at": ("last_updated_at",),
    },
    Kind.RESULTS: {
        "session": (*_SESSION, "session_id"),
        "provider": ("search_engine", "engine"),
        "query": ("search_query",),
        "language": (),
        "position": ("rank_position",),
        "url": (),
        "title": (),
        "description": ("snippet",),
        "domain": (),
        "found_at": ("discovered_at",),
        "is_duplicate": (),
    },
    Kind.PAGES: {
        "id": ("page_snapshot_id", "snapshot_id"),
        "url": ("page_url",),
        "html": ("raw_html", "body"),
        "markdown": ("content", "text"),
        "content_type": (),
        "crawled_at": ("fetched_at", "seen_at", "created_at"),
    },
    # Beside these, the fields of every kind of records.
    Kind.EXTRACTIONS: {
        "url": ("page_url", "source_url"),
        "page": ("page_snapshot_id", "snapshot_id", "page_id"),
        "kind": ("type", "record_type", "extraction_type", "entity_type"),
        "data": ("fields", "extracted_data", "content", "payload", "json"),
        "seen_at": ("extracted_at", "crawled_at", "created_at"),
    },
}
# What others call fields of records.
_FIELDS: Columns = {
    "name": ("title",),
    "organisation": ("organization",),
    "phone": ("telephone", "phone_number"),
    "email": ("email_address",),
    "hours": ("opening_hours",),
}

# A row without these says nothing: one of each tuple must be among the columns.
NEEDED: Mapping[Kind, tuple[tuple[str, ...], ...]] = {
    Kind.PEOPLE: (("id",), ("name",)),
    Kind.SESSIONS: (("id",), ("started_at",)),
    Kind.DOMAINS: (("domain",),),
    Kind.CANDIDATES: (("domain", "domain_id", "url"), ("confidence",), ("status",)),
    Kind.RESULTS: (("session",), ("url",), ("query",)),
    Kind.PAGES: (("url",), ("html", "markdown")),
    Kind.EXTRACTIONS: (("url", "page"), ("kind",), ("data", "name")),
}


def field_columns(names: Iterable[str]) -> Columns:
    return {name: _FIELDS.get(name, ()) for name in names}


def columns_of(kind: Kind) -> Columns:
    """The columns that such a table may have; those of records are known once the profile is."""
    if kind is not Kind.EXTRACTIONS:
        return COLUMNS[kind]
    fields = field_columns(name for names in ALL_FIELDS.values() for name in names)
    return {**COLUMNS[kind], **{name: theirs for name, theirs in fields.items() if name not in COLUMNS[kind]}}


def kind_by_name(name: str, *, exactly: bool = False) -> Kind | None:
    """Of a table, or of a file that is called like one: `search_result-2025.csv`."""
    plain = squashed(name)
    exact = next((kind for kind, names in TABLES.items() if plain in map(squashed, names)), None)
    if exact is not None or exactly:
        return exact
    # The longest name wins: a domain may be part of another table's name.
    begun = [(len(one), kind) for kind, names in TABLES.items() for one in names if squashed(one) in plain]
    return max(begun)[1] if begun else None


def missing(kind: Kind, headings: Headings) -> list[str]:
    """What the table lacks, in words for a person."""
    return [" or ".join(any_of) for any_of in NEEDED[kind] if not headings.ours.keys() & set(any_of)]


def kind_by_columns(columns: Sequence[str], said: Sequence[str]) -> Kind | None:
    """The kind that has what it needs and knows most of the columns; several alike: none."""
    fits: dict[Kind, int] = {}
    for kind, known in COLUMNS.items():
        if kind is Kind.EXTRACTIONS:
            continue  # a list of organisations has a name, a type and an address too
        try:
            headings = Headings.of(columns, known, said)
        except UsageError:
            continue  # what is mapped is no column of this kind
        if not missing(kind, headings):
            fits[kind] = len(headings.ours)
    best = [kind for kind, count in fits.items() if count == max(fits.values())]
    return best[0] if len(best) == 1 else None
