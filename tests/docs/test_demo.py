"""The demo runs to its end, shows what it promises, and leaves nothing behind."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.cli_help import environment, surveyor
from tools import demo
from tools.reference.sources import ROOT


def holders(part: str) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for worker, domain, epoch in re.findall(r"^  (\w+) holds (\S+) +epoch (\d+)$", part, re.MULTILINE):
        found.setdefault(worker, set()).add((domain, epoch))
    return found


def test_the_demo_shows_what_it_promises(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    arguments = [sys.executable, "-m", "tools.demo", "--once", "--keep", str(kept)]
    ran = subprocess.run(arguments, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    _, _, _, claims, death, decision, *_ = re.split(r"^\d  .* ─+$", ran.stdout, flags=re.MULTILINE)
    first = holders(claims)
    assert {name: len(taken) for name, taken in first.items()} == {"anna": 3, "bert": 3}
    assert first["anna"].isdisjoint(first["bert"])
    assert {(domain, "2") for domain, _ in first["anna"]} <= holders(death)["bert"]
    assert "anna is refused" in death
    assert "bert is refused" in decision
    assert "DomainSuspended approved → suspended" in ran.stdout
    assert surveyor("db", "check", workspace=kept).code == 0
    stages = [domain["stage"] for domain in surveyor("domain-status", "--json", workspace=kept).json]
    assert {"suspended", "active", "crawled", "pending_crawl"} == set(stages)


def test_the_demo_runs_again_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert demo.main([]) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        demo.main(["--keep", str(tmp_path)])
    assert "exists; name a folder that does not" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
