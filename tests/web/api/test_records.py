"""What was found, over the API: published unless asked for all, page by page, with its sources."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import update

from surveyor.bootstrap.workspace import Workspace
from surveyor.db.tables import records
from tests.support.extract_help import contact, extract, record, see
from tests.support.registry_help import add_domain
from tests.web.api.program import Program
from tests.web.serving import Served


async def _found(workspace: Workspace, archive: Path) -> None:
    no = (await add_domain(workspace.db, "site.example")).no
    other = (await add_domain(workspace.db, "other.example")).no
    grants = [record(f"Grant of {name}", deadline="2026-12-01") for name in ("spring", "summer", "autumn")]
    fund = record("The Fund", kind="organisation")
    people = [contact("office@site.example"), contact("+359212345", kind="phone", name="Mila", role="chair")]
    await see(workspace.db, no, "/", text="# Grants", relevant=True, records=[*grants, fund], contacts=people)
    await see(workspace.db, other, "/", text="# Other", relevant=True, records=[record("Hidden Grant")])
    await extract(workspace.db, archive)
    later = [record("Grant of spring", deadline="2027-02-01"), *grants[1:]]
    await see(workspace.db, no, "/", hours=2, text="# Now", relevant=True, records=later, contacts=people[:1])
    await extract(workspace.db, archive)
    async with workspace.db.write() as tx:
        await tx.execute(update(records).where(records.c.domain_no == other).values(published=False))


def names(program: Program, path: str) -> list[str]:
    """Over all pages of two."""
    found: list[str] = []
    link = f"{path}{'&' if '?' in path else '?'}limit=2"
    for _ in range(20):
        answer = program.get(link)
        assert answer.status == 200, answer.text
        found += [row["name"] for row in answer.json["items"]]
        if answer.json["next"] is None:
            return found
        link = answer.headers["link"].partition(">")[0].removeprefix("<")
    raise AssertionError("the pages do not end")


def test_records_are_given_when_published_and_all_of_them_on_demand(
    served: Served, reviewer: Program, tmp_path: Path
) -> None:
    served.run(lambda workspace: _found(workspace, tmp_path))
    grants = {"Grant of spring", "Grant of summer", "Grant of autumn"}
    assert sorted(names(reviewer, "/records")) == sorted(grants)
    assert set(names(reviewer, "/records?all=true")) == grants | {"Hidden Grant"}
    assert set(names(reviewer, "/records?gone=true")) == grants | {"The Fund"}
    assert names(reviewer, "/records?gone=true&kind=organisation") == ["The Fund"]
    assert set(names(reviewer, "/records?domain=site.example")) == grants
    assert set(names(reviewer, "/domains/www.site.example/records")) == grants
    assert names(reviewer, "/domains/other.example/records") == []
    assert names(reviewer, "/domains/other.example/records?all=true") == ["Hidden Grant"]
    for query in ("kind=nonsense", "after=x", "limit=0", "all=maybe"):
        assert reviewer.get(f"/records?{query}").status == 422, query
    assert reviewer.get("/records?domain=unknown.example").status == 404

    (spring,) = [row for row in reviewer.get("/records").json["items"] if row["name"] == "Grant of spring"]
    assert (spring["domain"], spring["kind"], spring["deadline"]) == (
        "site.example",
        "funding_program",
        "2027-02-01",
    )
    assert spring["sources"]["deadline"]["quote"] == "deadline: 2027-02-01"
    story = reviewer.get(f"/records/{spring['id']}").json
    assert [(page["url"], page["gone_at"]) for page in story["pages"]] == [("https://site.example/", None)]
    assert story["pages_counted"] == 1 and "markdown" not in story["pages"][0]
    (change,) = story["changes"]
    assert (change["field"], change["old"], change["new"]) == ("deadline", "2026-12-01", "2027-02-01")
    changed = reviewer.get("/record-changes").json["items"]
    assert [(row["record_id"], row["name"], row["new"]) for row in changed] == [
        (spring["id"], "Grant of spring", "2027-02-01")
    ]
    assert reviewer.get("/record-changes?domain=other.example").json["items"] == []
    (office,) = reviewer.get("/domains/site.example/contacts").json["items"]
    assert (office["value"], office["confidence"], office["pages"]) == ("office@site.example", 0.8, 1)
    every = reviewer.get("/domains/site.example/contacts?gone=true").json["items"]
    assert [(row["value"], row["role"]) for row in every] == [
        ("office@site.example", None),
        ("+359212345", "chair"),
    ]
    (page,) = reviewer.get("/domains/site.example/pages").json["items"]
    assert (page["target"], page["state"], type(page["key"])) == ("/", "done", str)
    assert reviewer.get("/domains/site.example/pages?state=waiting").json["items"] == []
    told = reviewer.get(f"/domains/site.example/pages/{page['key']}/text").json
    assert told["text"] == "# Now" and len(told["versions"]) == 2
    assert {one["name"] for one in told["records"]} >= {"Grant of summer", "Grant of autumn"}
    assert told["has_screenshot"] is False
    assert reviewer.get(f"/domains/site.example/pages/{page['key']}/screenshot").status == 404
    assert reviewer.get("/domains/site.example/pages/17/text").status == 404
    assert reviewer.get("/domains/site.example/pages/first/text").status == 422
