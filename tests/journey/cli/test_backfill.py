"""Old logs and the index of the archive, as a person types the commands."""

from __future__ import annotations

from pathlib import Path

from tests.support.cli_help import surveyor

LOG = """domain,status,images_found,crawled_at
a.example,200,3,2025-01-01 10:00:00
WWW.A.example,200,1,2025-01-02 10:00:00
b.example,403,0,2025-01-03 10:00:00
10.0.0.1,200,0,2025-01-03 10:00:00
"""


def test_a_dry_run_then_apply_then_an_index_of_an_empty_archive(tmp_path: Path) -> None:
    folder, log = tmp_path / "ws", tmp_path / "old.csv"
    log.write_text(LOG)
    assert surveyor("init", folder).code == 0
    tried = surveyor("backfill", log, workspace=folder)
    assert tried.code == 0, tried.err
    assert "4 rows of 4 hosts: 2 domains, 2 new, 0 known and filled in, 0 alive and left alone" in tried.err
    assert "left out: 1 row that name no domain" in tried.err
    assert "this was a dry run; --apply writes it" in tried.err
    assert surveyor("domain-status", "--json", workspace=folder).json == []
    done = surveyor("backfill", log, "--apply", workspace=folder)
    assert "2 of 2 domains in the register are by backfill_crawl_log" in done.err
    listed = surveyor("domain-status", "--json", workspace=folder).json
    assert [(one["domain"], one["crawl_status"], one["pages_crawled"]) for one in listed] == [
        ("a.example", "exhausted", 2),
        ("b.example", "blocked", 0),
    ]
    wrong = surveyor("backfill", log, "--map", "domain", workspace=folder)
    assert wrong.code == 2
    assert "“domain” maps no column" in wrong.err
    (folder / "archive").mkdir(exist_ok=True)
    index = surveyor("archive", "index", "--json", workspace=folder)
    assert index.code == 0, index.err
    assert Path(index.json["output"]).read_bytes() == b""
