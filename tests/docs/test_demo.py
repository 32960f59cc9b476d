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


def test_the_demo_shows_what_it_promises(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    arguments = [sys.executable, "-m", "tools.demo", "--once", "--keep", str(kept)]
    ran = subprocess.run(arguments, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    after = re.search(r"after the decision: (\d+)", ran.stdout)
    assert after is not None
    assert int(after[1]) <= 1
    assert "robots.txt forbids it: Disallow: /private/ (line 2)" in ran.stdout
    assert surveyor("db", "check", workspace=kept).code == 0
    found = surveyor("domain-status", "--json", workspace=kept).json
    stages = {domain["domain"]: (domain["stage"], domain["block_reason_code"]) for domain in found}
    assert stages.pop("danube.example") == ("suspended", None)
    assert stages.pop("thrace.example") == ("blocked", "forbidden")
    assert stages.pop("aegean.example") == ("blocked", "robots_denied")
    assert set(stages.values()) == {("crawled", None)}
    # What robots.txt forbids is a topic of its own elsewhere: six pages more.
    pages = {domain["domain"]: domain["pages_crawled"] for domain in found}
    assert (pages["lom.example"], pages["rila.example"]) == (41, 47)


def test_the_demo_runs_again_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert demo.main([]) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        demo.main(["--keep", str(tmp_path)])
    assert "exists; name a folder that does not" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
