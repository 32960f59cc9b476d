"""The README of the example project, followed command by command, with each phase taken back once."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from tests.journey.scrapy.conftest import PATIENCE, PROJECT
from tests.support.cli_help import environment
from tests.support.site import SiteGraph, SiteProcess, SiteSpec, plain_host

GRAPH = SiteGraph(seed=8, hosts=3, pages_per_host=16, depth=2, strangers=0, images=1)
HOST = GRAPH.names[0]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
SETUP, TRACKING, BUDGETS, ITEMS, CLAIMS, REFRESH = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
# What *Back* says to type, of phases A to D; the items between them have no command of their own.
BACK = [
    "\n".join(re.findall(r"`((?:export|unset|surveyor) [^`]+)`", back))
    for back in re.findall(r"^\*Back:\*(.*?)$", README, re.DOTALL | re.MULTILINE)
]
HEADLINES = "scrapy crawl headlines -a start=https://your-site.example/\n"
PARSE = "scrapy parse --spider headlines -a start=https://your-site.example/ https://your-site.example/\n"
SEEDS = "scrapy crawl discovery -a seeds=partners.xlsx\n"


class Reader:
    """Somebody who types what the README says into one shell, and what they see at each step."""

    def __init__(self, folder: Path, site: SiteProcess) -> None:
        self._project, self._site = folder / "scrapy-project", site
        shutil.copytree(PROJECT, self._project)
        with (self._project / "newsroom" / "settings.py").open("a") as settings:
            settings.write("DOWNLOAD_DELAY = 0\n")
        self._exports = folder / "exports.sh"
        self._exports.write_text("pip() { echo installed; }\n")
        proxy = {"http_proxy": f"http://127.0.0.1:{site.port}", "no_proxy": ""}
        # The site has no TLS, and some of its links say https.
        patient = {"SURVEYOR_CRAWL__MAX_DOMAIN_ERRORS": "50", "SURVEYOR_EXTRACT__ENABLED": "false"}
        self._env = environment(**site.environment, **proxy, **patient)
        self._env["PATH"] = f"{Path(sys.executable).parent}:{self._env['PATH']}"

    def types(self, commands: str) -> str:
        """What is exported stays for the next step, as in a shell."""
        typed = commands.replace("https://your-site.example", f"http://{HOST}").replace(
            "your-site.example", HOST
        )
        script = f". {self._exports}\nset -e\n{typed}\nset +e\n(export -p; declare -f) > {self._exports}\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self._project,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE * 3,
        )
        assert done.returncode == 0, done.stdout
        assert "site-packages/surveyor" not in done.stdout and "src/surveyor" not in done.stdout, done.stdout
        assert "[aiosqlite]" not in done.stdout and "[PIL" not in done.stdout, "the log is for people"
        return done.stdout

    def domains(self) -> dict[str, dict[str, Any]]:
        return {row["domain"]: row for row in json.loads(self.types("surveyor domain-status --json"))}

    def asked(self) -> Counter[str]:
        return Counter(plain_host(one.host) for one in self._site.log() if one.target != "/robots.txt")


def _write_files_of_a_charity(project: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Partner", "Web"])
    for name in GRAPH.names:
        sheet.append([name.title(), f"http://{name}/"])
    book.save(project / "partners.xlsx")
    with sqlite3.connect(project / "old.db") as old:
        old.execute("CREATE TABLE crawl_log (domain, page_url, status, images_found, crawled_at)")
        row = ("old.example", "http://www.old.example/", 200, 3, "2024-05-01 10:00:00")
        old.execute("INSERT INTO crawl_log VALUES (?, ?, ?, ?, ?)", row)
    old.close()


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
def test_the_readme_leads_from_nothing_to_the_last_phase_and_back_from_each(
    tmp_path: Path, engine_name: str
) -> None:
    with SiteProcess(SiteSpec(GRAPH, validators=True), tmp_path / "requests.log") as site:
        reader = Reader(tmp_path, site)
        _write_files_of_a_charity(tmp_path / "scrapy-project")
        reader.types(SETUP)

        assert HOST in reader.types(TRACKING)
        tracked = reader.domains()
        assert tracked[HOST]["crawl_status"] == "exhausted" and list(tracked) == [HOST]
        before = reader.asked()
        reader.types(f"{BACK[0]}\n{HEADLINES}unset ENABLE_DOMAIN_TRACKING")
        assert reader.domains() == tracked and reader.asked()[HOST] > before[HOST], "as without a register"

        assert GRAPH.names[1] in reader.types(BUDGETS)
        budgeted = reader.domains()
        assert all(budgeted[name]["frontier_size"] > 0 for name in GRAPH.names)
        reader.types(f"{BACK[1]}\n{SEEDS}unset ENABLE_PER_DOMAIN_BUDGET")
        kept = reader.domains()
        assert all(kept[name]["frontier_size"] == budgeted[name]["frontier_size"] for name in GRAPH.names)

        reader.types(ITEMS)

        claims = reader.types(CLAIMS)
        assert "nothing was changed" in claims and "old.example" not in reader.asked()
        claimed = reader.domains()
        assert {claimed[name]["crawl_status"] for name in GRAPH.names} == {"exhausted"}, claims
        assert {row["claimed_by"] for row in claimed.values()} == {None}
        reader.types(f"{BACK[2]}\n{SEEDS}")

        before = reader.asked()
        reader.types(REFRESH)
        assert reader.asked().keys() == before.keys()
        assert {name for name in GRAPH.names if reader.asked()[name] > before[name]} == {HOST}
        assert "ENABLE_REFRESH_MODE is off" in reader.types(f"{BACK[3]}\nscrapy crawl refresh")


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
def test_tools_for_one_page_leave_nothing_and_wrong_arguments_get_one_line(
    tmp_path: Path, engine_name: str
) -> None:
    with SiteProcess(SiteSpec(GRAPH), tmp_path / "requests.log") as site:
        reader = Reader(tmp_path, site)
        reader.types(SETUP)
        parsed = reader.types(PARSE)
        assert f"<GET http://{HOST}/part1/page1.html>" in parsed and "ERROR" not in parsed, parsed
        assert "200" in reader.types("scrapy shell -c response.status https://your-site.example/")
        assert reader.domains() == {}

        for arguments, said in (
            ("", "name a list: -a seeds=FILE"),
            ("-a seeds=no.csv", "no.csv does not exist"),
            ("-a seeds=no.csv -a max_pages=ten", "max_pages is “ten”; write a number"),
        ):
            shown = reader.types(f"scrapy crawl discovery {arguments}")
            assert f"not started: {said}" in shown and shown.count("ERROR") == 1, shown
        assert reader.asked().keys() == {HOST}, "the site was asked by the tools alone"
