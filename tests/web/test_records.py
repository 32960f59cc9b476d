"""Records, versions and contacts as pages: what is shown, page by page, and what leads nowhere."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, update

from surveyor.bootstrap.workspace import Workspace
from surveyor.cli.records import _said_in_line
from surveyor.db import now
from surveyor.db.tables import contacts, page_snapshots, records
from surveyor.extract.queries import RecordRow
from surveyor.ids import first_id, new_id
from surveyor.registry.store import rows
from surveyor.web.record_view import in_line, said
from tests.web.serving import Served, Visitor
from tests.web.world import World

pytestmark = pytest.mark.xdist_group("web records")
_NEXT = re.compile(r'<a class="next" rel="next" href="([^"]+)"')


def followed(visitor: Visitor, path: str, link: str) -> list[list[str]]:
    """What `link` finds on each page of a list, from the first to the last."""
    found: list[list[str]] = []
    for _ in range(20):
        html = visitor.get(path).text
        found.append(re.findall(link, html))
        following = _NEXT.search(html)
        if following is None:
            return found
        path = following[1].replace("&amp;", "&")
    raise AssertionError("the pages do not end")


async def _many_records(workspace: Workspace) -> None:
    async with workspace.db.write() as tx:
        no = await rows.find_no(tx, "fund.example")
        for number in range(120):
            name = {"value": f"Shop {number}", "source": "text", "quote": ""}
            times = dict.fromkeys(("first_seen_at", "last_seen_at", "updated_at"), now())
            what = {"kind": "business", "identity": b"%d" % number, "name": f"Shop {number}"}
            values = what | times | {"fields": {"name": name}, "published": number % 2 == 0}
            await tx.execute(insert(records).values(id=new_id(), domain_no=no, **values))


@pytest.fixture(scope="module")
def shops(place: Served) -> None:
    place.run(_many_records)


@pytest.mark.usefixtures("shops")
def test_a_list_of_records_is_paged_and_counted(admin: Visitor) -> None:
    link = r'<td data-label="Record"><a href="/records/([0-9a-f-]{36})"'
    for view, count in (("published", 60), ("all", 120)):
        pages = followed(admin, f"/records?kind=business&view={view}", link)
        assert [len(page) for page in pages[:-1]] == [50] * (len(pages) - 1)
        names = [name for page in pages for name in page]
        assert len(names) == len(set(names)) == count
        assert f"<small>{count}" in admin.get(f"/records?kind=business&view={view}").text
    for unknown in ("kind=nonsense", "view=nonsense"):
        assert admin.get(f"/records?{unknown}").status == 400, "a wrong filter shows nothing, not everything"


@pytest.mark.usefixtures("shops")
def test_records_are_searched_sorted_and_taken_as_a_file(admin: Visitor) -> None:
    path = "/records?kind=business&q=shop+11"
    link = r'<td data-label="Record"><a href="/records/[0-9a-f-]{36}">([^<]+)<'
    found = re.findall(link, admin.get(path + "&sort=name").text)
    assert set(found) == {"Shop 110", "Shop 112", "Shop 114", "Shop 116", "Shop 118"}
    assert found == sorted(found)
    assert re.findall(link, admin.get(path + "&sort=-name").text) == found[::-1]
    lines = admin.get(path.replace("/records?", "/records.csv?")).text.splitlines()
    assert len(lines) == 1 + len(found) and all(any(name in line for line in lines) for name in found)
    assert "No record is published among these" in admin.get("/records?q=nobody+is+called+so").text
    assert admin.get("/records?sort=colour").status == 400
    assert admin.get("/records.csv?view=changed").status == 400


def test_candidates_are_searched_sorted_and_taken_as_a_file(there: World, admin: Visitor) -> None:
    listed = admin.get("/candidates?status=all&sort=-confidence").text
    confidences = re.findall(r'data-label="Confidence" class="n">([0-9.]+)', listed)
    assert confidences == sorted(confidences, reverse=True) and confidences
    assert str(there.candidate) in admin.get(f"/candidates?status=all&q={there.domain.upper()}").text
    assert "has “zzz” in its name" in admin.get("/candidates?status=all&q=zzz").text
    rows = admin.get(f"/candidates.jsonl?status=all&q={there.domain}").text.splitlines()
    assert rows and all(there.domain in row for row in rows)


@pytest.mark.parametrize(
    "path",
    [
        "/domains",
        "/domains?stage=awaiting_review",
        "/domains?review=approved&quality=discovered&sort=-crawled",
        "/domains?q=FUND&suffix=example",
        "/domains?source=submission&language=en",
        "/domains?decided_by=ada&reason=dns",
        "/candidates",
        "/candidates?status=all&sort=-confidence",
        "/records",
        "/records?domain=fund.example",
    ],
)
def test_the_link_to_the_api_has_exactly_the_rows_of_the_list(admin: Visitor, path: str) -> None:
    listed, _, query = path.partition("?")
    rows = [json.loads(line)["id"] for line in admin.get(f"{listed}.jsonl?{query}").text.splitlines()]
    link = re.search(r'<a href="([^"]+)">API</a>', admin.get(path).text)
    if link is None:
        assert rows == [], "an empty list has no links"
        return
    answer = json.loads(admin.get(f"{html.unescape(link[1])}{'&' if '?' in link[1] else '?'}limit=500").text)
    assert answer["next"] is None and sorted(row["id"] for row in answer["items"]) == sorted(rows)


def test_events_are_filtered_and_kept_as_a_list(admin: Visitor) -> None:
    of_one = admin.get("/events?kind=DomainApproved")
    kinds = set(re.findall(r"<b>([\w ]+)</b>", of_one.text))
    assert kinds == {"Domain approved"}
    rows = admin.get("/events.jsonl?kind=DomainApproved").text.splitlines()
    assert rows and all(json.loads(row)["kind"] == "DomainApproved" for row in rows)
    assert "Nothing like that has happened" in admin.get("/events?domain=nobody.example").text
    assert admin.get("/events?kind=Nonsense").status == 400
    address = "/events?kind=DomainApproved"
    admin.post("/saved", kind="view", name="What was approved", value=address, back=address)
    assert 'aria-current="true">What was approved' in admin.get(address).text
    assert "What was approved" not in admin.get("/domains").text, "each kind of list has its own"


async def _many_contacts(workspace: Workspace) -> None:
    """Seventy, the last ten of them gone."""
    async with workspace.db.write() as tx:
        no = await rows.find_no(tx, "fund.example")
        for number in range(70):
            value = {
                "kind": "email",
                "value": f"a{number}@fund.example",
                "source_url": "https://fund.example/",
            }
            gone_at = now() if number >= 60 else None
            await tx.execute(insert(contacts).values(domain_no=no, found_at=now(), gone_at=gone_at, **value))


def test_all_contacts_of_a_domain_can_be_reached(place: Served, admin: Visitor) -> None:
    place.run(_many_contacts)
    for query, counts in (("", [50, 10]), ("?gone=1", [50, 20])):
        pages = followed(admin, f"/domains/fund.example/contacts{query}", r"(a\d+@fund\.example)")
        assert [len(page) for page in pages] == counts
    first = admin.get("/domains/fund.example").text
    assert len(re.findall(r"a\d+@fund\.example", first)) == 20
    assert 'href="/domains/fund.example/contacts"' in first


@pytest.mark.parametrize(
    "path",
    [
        "/records/nothing",
        f"/records/{new_id()}",
        "/records?after=x",
        "/records?view=changed&after=x",
        "/snapshots/x",
        "/snapshots/99999999999999999999",
        f"/snapshots/{2**63}",
        "/snapshots/-",
        "/snapshots/-5",
        "/snapshots/987654321",
        "/snapshots/987654321/raw",
        "/snapshots/1/987654321",
        "/quarantine?after=x",
        "/domains/rila.example/contacts?after=x",
        "/domains/rila.example/pages/x",
        "/domains/nowhere.example/contacts",
    ],
    ids=lambda path: re.sub(r"[0-9a-f-]{36}", "unknown", path),
)
def test_what_is_not_there_is_a_page_that_says_so(path: str, admin: Visitor) -> None:
    assert admin.get(path).status == 404


async def _not_read(workspace: Workspace) -> None:
    async with workspace.db.write() as tx:
        await tx.execute(update(page_snapshots).values(markdown=None, extract_state="waiting"))


async def _not_kept(workspace: Workspace) -> None:
    async with workspace.db.write() as tx:
        await tx.execute(update(page_snapshots).values(archive=None))


def test_versions_are_compared_by_what_is_kept_of_them(place: Served, admin: Visitor, there: World) -> None:
    path = f"/snapshots/{there.older}/{there.newer}"
    assert "<ins>June</ins>" in admin.get(path).text
    place.run(_not_read)
    raw = admin.get(path).text
    assert "as they were fetched" in raw and "+Until June: 8,000" in raw
    assert "It was not read yet" in admin.get(f"/snapshots/{there.newer}").text
    story = admin.get(f"/records/{there.found.record}").text
    assert "was not kept" in story
    place.run(_not_kept)
    refused = admin.get(path)
    assert refused.status == 404 and "was not kept" in refused.text
    assert "not kept: only its hash" in admin.get(f"/domains/{there.domain}/pages/{there.key}").text


@pytest.mark.parametrize(
    ("value", "told"),
    [(8000, "8,000"), (0.5, "0.5"), (["a", 1], "a, 1"), (None, "nothing"), ("x", "x"), (True, "True")],
)
def test_a_value_is_written_as_people_write_it(value: object, told: str) -> None:
    assert said(value) == told


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"deadline": "2026-06-30", "amount_max": 8000, "currency": "EUR"}, "until 2026-06-30, 8,000 EUR"),
        ({"amount_min": 5}, "5"),
        ({"phone": "+1", "hours": "Mo 9", "address": "x", "website": "w"}, "Mo 9, +1, x"),
        ({"phone": "", "address": None}, ""),
    ],
    ids=["grant", "amount", "service", "nothing"],
)
def test_a_line_of_a_list_says_what_matters(values: dict[str, object], told: str) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    fields = {name: {"value": value} for name, value in values.items()}
    row = RecordRow(new_id(), 1, "a.example", "service", "x", fields, True, moment, moment, None, moment)
    assert in_line(row) == told


def test_a_line_of_a_list_says_what_a_kind_of_ones_own_declares() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    values = {
        "name": "Werkraum",
        "tools": [],
        "hall": None,
        "machines": ["saw", "lathe"],
        "day_ticket": 15,
        "places": 8,
        "since": 2014,
    }
    fields = {name: {"value": value} for name, value in values.items()}
    row = RecordRow(new_id(), 1, "a.example", "workshop", "x", fields, True, moment, moment, None, moment)
    assert in_line(row) == "machines saw, lathe, day ticket 15, places 8"
    assert _said_in_line(row) == "machines saw, lathe, day_ticket 15, places 8, since 2014"


def test_the_first_id_of_a_moment_is_smaller_than_any_made_since() -> None:
    before = new_id()
    moment = datetime.now(UTC)
    assert first_id(moment) <= new_id()
    assert before.int >> 80 <= first_id(datetime.now(UTC)).int >> 80
    assert first_id(moment.replace(year=moment.year + 1)) > new_id()
