"""The how-to pages can be followed as they are written, to their end."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from surveyor.smallweb import in_thread
from tests.support import servers
from tests.support.cli_help import Ran, surveyor
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
        "docs/how-to/move-to-postgresql.md"
    }
