"""A charity's workbook of 500 organisations, as a new user would bring it."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from tests.support.cli_help import surveyor

HEADINGS = ("No.", "Organisation", "Contact", "E-mail", "Web", "Last called", "Notes")


def _spelled(number: int) -> str:
    name = f"org-{number}.example"
    return (
        name,
        f"www.{name}",
        f"http://{name}",
        f"https://www.{name}/",
        f"HTTP://WWW.{name.upper()}",
        f" {name} ",
        f"https://{name}/about-us",
        f"see www.{name} (new!)",
    )[number % 8]


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Title row, merged cells, two rows of headings, regions in between, notes below, a sheet beside."""
    book = Workbook()
    notes = book.active
    assert notes is not None
    notes.title = "Read me"
    notes["A1"] = "Kept by Mary, see www.our-own-site.example"
    sheet = book.create_sheet("Members")
    sheet.append(["Members of the network, spring 2026"])
    sheet.merge_cells("A1:G1")
    sheet.append(["", "", "Reach them at", "", "", "", ""])
    sheet.merge_cells("C2:E2")
    sheet.append(HEADINGS)
    for number in range(500):
        if number % 100 == 0:
            sheet.append([f"Region {number // 100}"])
            sheet.merge_cells(start_row=sheet.max_row, end_row=sheet.max_row, start_column=1, end_column=7)
        mail = f"info@mail-{number}.example"
        sheet.append(
            [number, f"Org {number} e.V.", "Mr.Smith", mail, _spelled(number), 46000.0, "ok, see PDF"]
        )
    sheet.append([500, "Without one", "", "", "n/a"])
    sheet.append(["", "Total: 500", "", "", "500"])
    path = tmp_path_factory.mktemp("sheets") / "Members 2026.xlsx"
    book.save(path)
    return path


def test_a_workbook_of_500_organisations_becomes_500_domains_with_one_command(
    tmp_path: Path, workbook: Path
) -> None:
    folder = tmp_path / "ws"
    assert surveyor("init", folder).code == 0
    tried = surveyor("ingest-seeds", workbook, "--dry-run", workspace=folder)
    assert "500 new domains approved" in tried.err
    assert "nothing was changed" in tried.err
    brought = surveyor("ingest-seeds", workbook, "--context", "Organisation", "--json", workspace=folder)
    assert brought.code == 0, brought.err
    found = {
        name: brought.json[name] for name in ("new", "known", "pages", "column", "without_address", "bad")
    }
    assert found == {"new": 500, "known": 0, "pages": 62, "column": "Web", "without_address": 6, "bad": 1}
    assert [line["text"] for line in brought.json["bad_lines"]] == ["500"]
    listed = surveyor("domain-status", "--limit", "1000", "--json", workspace=folder).json
    assert {row["domain"] for row in listed} == {f"org-{number}.example" for number in range(500)}
    assert {row["submission_context"] for row in listed if row["domain"] == "org-7.example"} == {
        "Organisation: Org 7 e.V."
    }
    again = surveyor("ingest-seeds", workbook, "--json", workspace=folder)
    assert (again.json["new"], again.json["known"], again.json["pages"]) == (0, 500, 0)


def test_a_sheet_without_addresses_gets_one_line_with_its_columns(tmp_path: Path, workbook: Path) -> None:
    folder = tmp_path / "ws"
    assert surveyor("init", folder).code == 0
    file = tmp_path / "phones.csv"
    file.write_text("Name;Phone\nA;1\nB;2\n")
    refused = surveyor("ingest-seeds", file, workspace=folder)
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "columns: A “Name”, B “Phone”; name the right one, such as --column A" in refused.err
    wrong = surveyor("ingest-seeds", workbook, "--sheet", "Nope", workspace=folder)
    assert "there are “Read me”, “Members”" in wrong.err


def test_a_pasted_mail_is_queued_for_review(tmp_path: Path) -> None:
    surveyor("init", tmp_path / "w")
    mail = "Look at https://first-fund.org/grants and second-fund.org.\nMaria <m@city.example>\n"
    refused = surveyor("ingest-seeds", "-", workspace=tmp_path / "w", stdin=mail)
    assert refused.code == 2 and "--format links" in refused.err and refused.err.count("\n") == 1
    done = surveyor("ingest-seeds", "-", "--format", "links", workspace=tmp_path / "w", stdin=mail)
    assert "2 addresses: 2 new domains queued for review" in done.err
    waiting = surveyor("review", "--json", workspace=tmp_path / "w").json
    assert {one["domain"] for one in waiting} == {"first-fund.org", "second-fund.org"}
    empty = surveyor("ingest-seeds", "-", "--format", "links", workspace=tmp_path / "w", stdin="Dear all,\n")
    assert empty.code == 2 and "no address in it" in empty.err
