"""Values nobody writes on purpose, through the real commits: cleaned where they enter, they stop no stage.

`OUTSIDE` names every column that text or numbers from outside reach, `OURS` the rest of these tables. A new
column of text or numbers belongs to one of the two, or the first test fails.
"""

from __future__ import annotations

import hashlib
import html
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Boolean, LargeBinary, Uuid, select
from sqlalchemy.sql.type_api import TypeEngine

from surveyor.crawl.images.commit import ImageCommits
from surveyor.crawl.images.outbox import Sighting
from surveyor.crawl.page_process import PageReader
from surveyor.crawl.pages.response import ResponseReader
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageResult
from surveyor.db import Database, tables
from surveyor.db.types import UtcTime
from surveyor.discover import usage
from surveyor.discover.adapters import serper
from surveyor.discover.provider import Account
from surveyor.discover.results import accept_all, sort_hits
from surveyor.discover.session import SessionType
from surveyor.discover.store import results, sessions
from surveyor.discover.store.results import Batch
from surveyor.errors import SurveyorError
from surveyor.extract import child
from surveyor.extract.reading import Reader
from surveyor.extract.worker import ExtractWorker, Plan
from surveyor.ids import new_id
from surveyor.names import DEFAULT_RULES, DomainName, parse_url, url_key
from surveyor.net.response_parser import Headers
from surveyor.net.transport import Response
from surveyor.settings import ProviderSettings
from tests.contract.frontier.world import World, committer, new_world
from tests.support import extract_help
from tests.support.registry_help import add_domain
from tests.support.review_help import STAFF, name_it
from tests.support.size import size

# Table -> columns that something from outside reaches.
OUTSIDE: Mapping[str, str] = {
    "domains": "start_url submission_context",
    "domain_crawl": "block_reason robots_crawl_delay bytes_fetched images_found language",
    "pages": "target etag last_modified status",
    "page_snapshots": "content_type title description language bytes links images reasons",
    "crawl_log": "url status bytes ms images_found",
    "robots": "status",
    "image_urls": "target status etag last_modified detail",
    "images": "width height format bytes copyright creator licence data_mining signals",
    "image_sightings": "alt",
    "provenance": "url alt",
    "discovery_sessions": "provider_errors error_message",
    "search_results": "url title description position",
    "spam_verdicts": "url title description reasons",
    "provider_suspensions": "detail",
    "provider_usage": "millicredits",
    "candidates": "url title organisation_name program_name scores reasoning",
    "contacts": "value name role quote source_url",
    "records": "name fields",
    "record_sources": "fields",
    "record_changes": "old new",
    "model_answers": "answer why",
    "model_rests": "detail",
    "write_failures": "error",
}
# Columns of the same tables that our own words and counts alone reach.
OURS: Mapping[str, str] = {
    "domains": "no domain source seed_rank total_occurrences review_status submitted_by submitter_type"
    " reviewed_by rejection_reason quality_status processing_count best_confidence average_confidence"
    " high_quality_count low_quality_count blacklisted_by blacklist_reason no_funds_year failure_reason"
    " failure_count notes max_crawl_depth crawl_delay_seconds max_pages_per_run scrape_frequency_hours"
    " render version parent_domain",
    "domain_crawl": "no crawl_status pages_discovered pages_crawled images_stored records_stored"
    " crawl_depth_reached frontier_checkpoint_id frontier_size run_pages run_bytes run_seconds stopped_by"
    " total_error_count consecutive_error_count block_reason_code block_count priority_key claimed_by"
    " lease_epoch attempts robots_verdict",
    "pages": "attempts depth found_on key kind rank reason seq state suspect taken_epoch",
    "page_snapshots": "archive extract_by extract_error extract_state extract_tries extractor_version"
    " unchanged_since id key relevance simhash text_hash",
    "crawl_log": "id lease_epoch reason",
    "robots": "body_hash origin reason verdict",
    "image_urls": "attempts hops image_id key reason state taken_epoch",
    "images": "dhash file id",
    "image_sightings": "discovery_type key page_key",
    "provenance": "discovery_type image_id page_key",
    "discovery_sessions": "type status started_by worker queries_planned queries_executed results_found"
    " new_domains duplicates_skipped spam_filtered blacklisted_skipped invalid provider_results judging",
    "search_results": "confidence id judge_version language provider query",
    "spam_verdicts": "domain provider score verdicts",
    "provider_suspensions": "account error provider strikes",
    "provider_usage": "calls day failures new_domains provider query results",
    "candidates": "confidence threshold judge_version status assigned_to decided_by decision_reason notes",
    "contacts": "confidence id kind source",
    "records": "kind",
    "record_sources": "key snapshot_id",
    "record_changes": "field id snapshot_id",
    "model_answers": "model prompt",
    "model_rests": "account strikes trouble",
    "write_failures": "kind key tries",
}
# Tables that nothing from outside reaches, but for bytes that nobody reads as text.
OUR_TABLES = frozenset(
    [
        "api_tokens",
        "jobs",  # what its command printed, without what a terminal would obey
        "record_corrections",  # what people typed, through the checks of forms and API
        "saved_items",
        "asset_hosts",
        "contact_sources",
        "crawl_ends",
        "crawl_runs",
        "domain_aliases",  # names that were in `domains`
        "domain_refresh",
        "event_feed",
        "events",
        "followers",  # an address that was parsed
        "outbox",  # our own texts around canonical names
        "listener_cursors",
        "model_usage",
        "page_links",
        "parts",
        "register",
        "scrapy_requests",  # JSON in ASCII
        "tries",
        "users",
        "web_sessions",
        "workers",
    ]
)


def _columns(type_names: Mapping[str, str]) -> set[tuple[str, str]]:
    return {(table, column) for table, names in type_names.items() for column in names.split()}


def _is_value(kind: TypeEngine[Any]) -> bool:
    """Text and numbers; what is bytes, a time, an id or a yes cannot be hostile in this way."""
    return not isinstance(kind, LargeBinary | UtcTime | Uuid | Boolean)


def test_every_column_that_something_from_outside_may_reach_is_classified() -> None:
    known = _columns(OUTSIDE) | _columns(OURS)
    there = {
        (name, column.name)
        for name in OUTSIDE
        for column in getattr(tables, name).c
        if _is_value(column.type) and not column.name.endswith("_no")
    }
    assert there - known == set(), "say for each whether something from outside reaches it"
    assert known - there == set(), "these are no columns any more"
    assert set(tables.metadata.tables) == OUTSIDE.keys() | OUR_TABLES, "say what reaches a new table"


SURROGATE, NUL = "half \ud83d a character", "a \x00 in it"
TEXTS = st.sampled_from(
    [
        SURROGATE,
        NUL,
        "\ufeff\u202e",
        "x" * 1_000_000,
        "\udcff" * 50,
        "-1",
        "0001-01-01",
        str(10**30),
        "\x1b[2J",
        "",
        "'",
    ]
) | st.text(st.characters(), max_size=40)
NUMBERS = st.sampled_from([0, -1, 2**15, 2**31, 2**63, -(2**63) - 1, 10**30])
BYTES = TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")[:200_000]) | st.binary(max_size=60)
_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_EXAMPLES = settings(max_examples=size(15, 200))
SERPER = Account(serper.ADAPTER, ProviderSettings(), "")


# --- a crawl: headers, pages, links, images


@pytest.fixture
async def world(db: Database) -> AsyncIterator[World]:
    async with new_world(db, None) as made:
        yield made


@pytest.fixture
async def page_reader() -> AsyncIterator[PageReader]:
    """One for all examples: each would start a child of its own."""
    made = PageReader()
    yield made
    await made.close()


@pytest.mark.slow
@_EXAMPLES
@given(
    raw=st.dictionaries(
        st.sampled_from([b"ETag", b"Last-Modified", b"Content-Type", b"Location", b"X-Robots-Tag"]), BYTES
    ),
    texts=st.lists(TEXTS, min_size=4, max_size=4),
    status=st.sampled_from([200, 200, 200, 301, 404, 999]),
)
async def test_whatever_a_site_sends_is_stored_and_stops_nobody(
    world: World, page_reader: PageReader, raw: dict[bytes, bytes], texts: list[str], status: int
) -> None:
    name = f"s{new_id().hex}.example"
    visit = await world.visit(await world.domain(name))
    visit.add("/")
    await visit.take(1)
    response = _response(name, raw, _page(*texts), status)
    scope = Scope(DomainName(name), images=True)
    reader = ResponseReader(scope, DEFAULT_RULES, "surveyor", True, False, page_reader)
    url = parse_url(f"https://{name}/")
    answer = await reader.read(url, visit.hand.pop("/"), response, _MOMENT)
    visit.outbox.results.append(answer.result)
    visit.add(*answer.result.links, on="/")
    if answer.facts is not None:
        for image in answer.facts.images:
            place = parse_url(image.url)
            host = None if place.domain == name else place.domain
            seen = Sighting(
                host, url_key(place.target), place.target, image.url, url_key("/"), image.alt, _MOMENT
            )
            visit.outbox.images.sightings.append(seen)
    of_images = ImageCommits(world.run, approve_assets=False)
    visit.committer = committer(world, visit.frontier, visit.lease.worker, of_images)
    await visit.committer.commit(visit.member)
    assert visit.committer.failure is None and not visit.is_lost, "nothing was refused"
    assert (await world.row(visit.no, "/")).state in ("done", "ended")


def _response(name: str, raw: dict[bytes, bytes], body: bytes, status: int) -> Response:
    sent = tuple(raw.items())
    found = Headers(sent)
    return Response(
        f"https://{name}/",
        status,
        found,
        body,
        None,
        False,
        len(body),
        0.1,
        0.1,
        "192.0.2.1",
        "1.1",
        "OK",
        sent,
    )


def _page(title: str, alt: str, href: str, value: str) -> bytes:
    """A page that says these in its title, an image, a link and its data; escaped, so that each arrives."""
    data = {"@context": "https://schema.org", "@type": "Grant", "name": value, "description": value}
    data |= {"url": value, "amount": {"@type": "MonetaryAmount", "value": value, "currency": "EUR"}}
    data |= {"email": value, "telephone": value, "startDate": value, "validThrough": "0001-01-01T00:00:00Z"}
    escaped = [html.escape(text).encode("utf-8", "surrogatepass") for text in (title, alt, href)]
    return (
        b"<!doctype html><html lang='en'><title>%s</title><meta name='description' content='%s'>"
        b"<script type='application/ld+json'>%s</script><h1>A grant of 1000000000000000000000000 EUR</h1>"
        b"<p>Apply by 1 January 0001, or until 31 December 9999.</p>"
        b"<a href='/%s'>more</a><img src='/a.png' alt='%s'><img src='https://b.example/b.png' alt='%s'>"
        b"<a href='mailto:%s@site.example'>write</a><p>grant funding programme apply deadline</p>"
    ) % (*escaped[:2], json.dumps(data).encode(), escaped[2], escaped[1], escaped[1], escaped[2])


# --- extraction: what a page says, and what a reader makes of it


class _RealReader:
    """The reader of the child without the child."""

    job = extract_help.JOB

    def __init__(self) -> None:
        self._reader = Reader(extract_help.GROUND)

    async def ask(self, question: bytes) -> bytes:
        return child.answer(self._reader, question)

    async def close(self) -> None:
        """There is nothing to end."""


@settings(max_examples=size(8, 100))
@given(texts=st.lists(TEXTS.map(lambda text: text[:20_000]), min_size=4, max_size=4))
async def test_whatever_a_page_says_is_read_and_written(
    db: Database, tmp_path: Path, texts: list[str]
) -> None:
    no = (await add_domain(db, f"s{new_id().hex}.example")).no
    body = _page(*texts)
    result = PageResult(url_key("/"), "https://site.example/", "/", 1, "done", _MOMENT)
    result.content_hash, result.bytes = hashlib.sha256(body).digest(), len(body)
    result.content_type, result.body = "text/html; charset=utf-8", zlib.compress(body)
    await extract_help._commit(db, no, result)
    worker = ExtractWorker(db, _RealReader(), tmp_path, Plan(version="1", yields="records", only=(no,)))
    await worker.run()
    s = tables.page_snapshots.c
    async with db.read() as tx:
        state, why = (
            await tx.execute(select(s.extract_state, s.extract_error).where(s.domain_no == no))
        ).one()
    assert state in ("done", "unchanged", "unchanged"), why


@_EXAMPLES
@given(value=TEXTS | NUMBERS, text=TEXTS)
async def test_what_a_reader_makes_of_a_page_costs_that_page_at_most(
    db: Database, tmp_path: Path, value: str | int, text: str
) -> None:
    """Told directly, past everything that cleans: refused by the row or not, the neighbour is read."""
    no = (await add_domain(db, f"s{new_id().hex}.example")).no
    odd = extract_help.record(text, amount=value, deadline=text)
    await extract_help.see(
        db, no, "/odd", title=text, records=[odd], contacts=[extract_help.contact(text or "a")]
    )
    await extract_help.see(db, no, "/plain", title="A page", records=[extract_help.record("A grant")])
    await extract_help.extract(db, tmp_path, only=(no,))
    s = tables.page_snapshots.c
    async with db.read() as tx:
        found = await tx.execute(select(s.key, s.extract_state).where(s.domain_no == no))
        states = {row.key: row.extract_state for row in found}
    assert states[url_key("/plain")] == "done"
    assert states[url_key("/odd")] != "waiting", "it is read or quarantined, and never tried for ever"


# --- people and providers


@_EXAMPLES
@given(text=TEXTS, context=TEXTS, depth=NUMBERS)
async def test_a_submission_is_taken_or_refused_in_one_line(
    db: Database, text: str, context: str, depth: int
) -> None:
    for named in (text, f"https://s{new_id().hex}.example/{text}"):
        try:
            await name_it(db, named, STAFF, context=context, depth=depth)
        except SurveyorError as error:
            assert "\n" not in str(error)


@_EXAMPLES
@given(texts=st.lists(TEXTS, min_size=3, max_size=3), number=st.integers(-5, 5) | NUMBERS)
async def test_whatever_a_provider_answers_is_kept_or_counted_as_invalid(
    db: Database, texts: list[str], number: int
) -> None:
    title, snippet, path = texts
    odd = {"link": f"https://s{new_id().hex}.example/{path}", "title": title, "snippet": snippet}
    plain = {"link": f"https://g{new_id().hex}.example/", "title": "A grant", "position": 1}
    answer = serper.read({"organic": [odd | {"position": number}, plain], "credits": number})
    found = sort_hits(answer.hits, DEFAULT_RULES, accept_all)
    session, invalid = new_id(), sum(found.refused.values())
    async with db.write() as tx:
        await sessions.start(tx, session, SessionType.MANUAL_SEARCH, "ada", "w", 1, ["serper"])
        batch = Batch(session, "serper", "q", None, found.results, found.spam, invalid)
        counts = await results.write(tx, batch, "ada")
        brought = (counts.results_found, counts.new_domains, answer.millicredits)
        await usage.succeeded(tx, SERPER, "q", *brought)
    assert counts.results_found == 2 and counts.new_domains >= 1
