"""The how-to pages can be followed as they are written, to their end."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from mcp import Client, StdioServerParameters

from surveyor import workspaces
from surveyor.smallweb import in_thread
from tests.support import servers
from tests.support.cli_help import Ran, environment, surveyor
from tools.reference.sources import ROOT

pytestmark = pytest.mark.slow
FOLDER = ROOT / "docs" / "how-to"


def typed(page: str) -> Iterator[str]:
    """The lines of the blocks that are to be run, in their order."""
    text = (FOLDER / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield from block.splitlines()


class Shell:
    """Runs what a page shows: commands within this process, and the two lines that need a server as given."""

    def __init__(self, servers_at: dict[str, str], settings: dict[str, str]) -> None:
        self._servers, self._settings = servers_at, dict(settings)
        self.ran: dict[str, Ran] = {}

    def type(self, line: str) -> None:
        words = shlex.split(line)
        if words[0] == "export":
            name, _, shown = words[1].partition("=")
            assert shown.startswith(("postgresql://", "redis://"))
            self._settings[name] = self._servers[name]
        elif words[0] == "createdb":
            assert words[1:] == ["surveyor"]
        else:
            assert words[0] == "surveyor", line
            self.ran[line] = ran = surveyor(*words[1:], **self._settings)
            assert ran.code == 0, (line, ran.err)


@pytest.fixture
def engine_name() -> str:
    return "postgresql"


def test_a_register_moves_to_postgresql_and_three_workers_go_on(
    empty_db_url: str, valkey: servers.Valkey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with in_thread() as web:
        settings = web.environment(delay_seconds=0.02) | {"SURVEYOR_EXTRACT__ENABLED": "false"}
        surveyor("init", "grants", "--profile", "funding", **settings)
        seeds = "rila-horizons.example\nminkultura.example\nstiftung-bruecken.example\n"
        surveyor("--workspace", "grants", "ingest-seeds", "-", stdin=seeds, **settings)
        shell = Shell(
            {"SURVEYOR_DATABASE__URL": empty_db_url, "SURVEYOR_FRONTIER__URL": valkey.url}, settings
        )
        for line in typed("move-to-postgresql.md"):
            shell.type(line)
        found = surveyor("--workspace", "shared", "domain-status", "--json", **shell._settings).json
    assert {domain["stage"] for domain in found} == {"crawled"} and len(found) == 3
    workers = shell.ran["surveyor --workspace shared workers"].out
    assert workers.count("stopped") == 3
    assert "postgresql" in shell.ran["surveyor --workspace shared doctor"].out
    assert "redis" in shell.ran["surveyor --workspace shared doctor"].out.lower()


def test_every_page_is_run_or_replayed() -> None:
    from tools import tour

    pages = {path.relative_to(ROOT).as_posix() for path in FOLDER.glob("*.md")}
    assert pages == {name for name in tour.FILES if name.startswith("docs/how-to/")} | {
        "docs/how-to/move-to-postgresql.md",
        "docs/how-to/declare-a-kind-of-record.md",
        "docs/how-to/connect-an-assistant.md",
    }


async def test_an_assistant_connects_with_what_is_printed(tmp_path: Path) -> None:
    await workspaces.make(tmp_path / "grants", "funding")
    text = (FOLDER / "connect-an-assistant.md").read_text("utf-8").replace("/home/ada", str(tmp_path))
    listed = []
    for block in re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        shown = json.loads(block)["mcpServers"]["surveyor"]
        program = Path(sys.executable).with_name(shown["command"])
        async with Client(StdioServerParameters(command=str(program), args=shown["args"])) as client:
            listed.append({tool.name for tool in (await client.list_tools()).tools})
    described = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert listed == [described, described | {"submit", "approve", "reject"}]
    (line,) = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    found = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(["sh", "-c", line], env=environment(**found), capture_output=True, timeout=120)
    assert ran.returncode == 0 and b"queue_status" in ran.stdout


_PAGE = """<html lang="es"><head><title>Visita | Refugio La Huella</title></head><body><main><h1>Visita</h1>
<p>El refugio de perros acoge animales abandonados de la provincia. Nuestra capacidad es de 80 perros.</p>
<p>Razas: galgos y podencos</p><p>Horario: sábados de 10:00 a 14:00</p>
<p>Teléfono: 949 20 11 22</p></main></body>"""


class _Shelter(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = _PAGE.encode() if self.path == "/" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def _shelter() -> Iterator[dict[str, str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shelter)
    Thread(target=server.serve_forever, daemon=True).start()
    place = f"127.0.0.1:{server.server_port}"
    try:
        yield {
            "SURVEYOR_NET__HOSTS": json.dumps({"refugio-lahuella.example": place}),
            "SURVEYOR_NET__ALLOW": '["127.0.0.0/8"]',
            "SURVEYOR_CRAWL__DELAY_SECONDS": "0.02",
        }
    finally:
        server.shutdown()
        server.server_close()


def test_a_kind_of_ones_own_is_declared_crawled_listed_and_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "declare-a-kind-of-record.md").read_text("utf-8")
    (printed,) = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert printed == (ROOT / "examples" / "dog-shelters.toml").read_text("utf-8")
    (tmp_path / "dog-shelters.toml").write_text(printed, "utf-8")
    (tmp_path / "visita.html").write_text(_PAGE, "utf-8")
    (tmp_path / "refugios.txt").write_text("http://refugio-lahuella.example/\n", "utf-8")
    with _shelter() as settings:
        shell = Shell({}, settings)
        for line in typed("declare-a-kind-of-record.md"):
            shell.type(line)
        listed = surveyor("--workspace", "perros", "records", "--all", "--json", **settings).json
    assert [(one["kind"], one["name"], one["capacity"], one["phone"]) for one in listed] == [
        ("dog_shelter", "Refugio La Huella", 80, "+34949201122")
    ]
    (row,) = csv.DictReader((tmp_path / "refugios.csv").read_text("utf-8").splitlines())
    assert row["breeds"] == "galgos y podencos" and row["opening_hours"] == "sábados de 10:00 a 14:00"


_JOBS = """name = "vagas"
title = "Vagas"
description = "Vagas de emprego."
languages = ["pt"]
records = ["vacancy"]
[judges]
keywords = 1.0
[keywords.job]
words.pt = ["vaga", "emprego"]
[geography]
phone_regions = ["PT"]
currencies = ["EUR"]
[kinds.vacancy]
words.pt = ["vaga", "oferta de emprego"]
json_ld = ["JobPosting"]
fields.salary = { type = "money", words.pt = ["salário", "remuneração"] }
fields.closes = { type = "date", words.pt = ["prazo", "candidaturas até"] }
fields.place = { words.pt = ["local", "local de trabalho"] }
"""


def test_a_portuguese_job_profile_works_and_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vagas.toml").write_text(_JOBS, "utf-8")
    page = """<html lang="pt"><title>Padeiro</title><main><h1>Oferta de emprego: padeiro em Braga</h1>
    <p>Local de trabalho: Braga</p><p>Remuneração: 1.100 €</p>
    <p>Candidaturas até: 12 de dezembro de 2026</p></main>"""
    (tmp_path / "vaga.html").write_text(page, "utf-8")
    warned = "no word list for pt"
    assert warned in surveyor("profile", "check", "vagas.toml").err
    assert warned in surveyor("init", "jobs", "--profile", "vagas.toml").err
    assert warned in surveyor("--workspace", "jobs", "doctor").out
    asked = ("--file", "vaga.html", "--url", "https://padaria.example/vaga", "--json")
    (record,) = surveyor("--workspace", "jobs", "extract", *asked).json["records"]
    assert record["fields"] | {"salary": 1100, "closes": "2026-12-12", "place": "Braga"} == record["fields"]
    assert "  salary_currency  EUR  (" in surveyor("--workspace", "jobs", "extract", *asked[:-1]).out
