"""The example of a plugin, installed beside the wheel in an environment of its own, shows up everywhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from surveyor.smallweb import in_thread
from tests.support.cli_help import environment
from tests.web.api.program import Program
from tests.web.serving import Visitor
from tools.reference.sources import ROOT

# One process makes the environment once for both.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("plugins")]
_HOST = "harbor-shelter.example"
_PROFILE = """name = "shelters"
title = "Shelters"
description = "Places to sleep."
languages = ["en"]
records = ["shelter", "service"]

[judges]
keywords = 1.0
shelter_name = 3.0

[keywords.shelter]
strength = "strong"
words.en = ["shelter"]
"""
_BROKEN = "[surveyor.judges]\nlost = no_such_package:judge\n[surveyor.records]\nservice = json:loads\n"


class Place:
    """An environment with the wheel and the example, and a workspace made there."""

    def __init__(self, python: Path, workspace: Path, settings: dict[str, str]) -> None:
        self.python, self.workspace = python, workspace
        self._settings = environment(**settings)

    def run(self, *arguments: str, code: int = 0, stdin: str = "") -> str:
        command = [self.python, "-m", "surveyor", "--workspace", str(self.workspace), *arguments]
        ran = subprocess.run(
            command, env=self._settings, cwd=self.python.parent, input=stdin, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert ran.returncode == code, (arguments, ran.stdout, ran.stderr)
        return ran.stdout

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code))

    @contextmanager
    def served(self) -> Iterator[str]:
        command = [self.python, "-m", "surveyor", "--workspace", str(self.workspace), "serve", "--port", "0"]
        process = subprocess.Popen(
            command, env=self._settings, cwd=self.python.parent, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if line.startswith("serving "):
                    yield line.removeprefix("serving ").strip().rstrip("/")
                    return
            raise AssertionError("it does not serve")
        finally:
            process.terminate()
            process.wait(30)
            process.stderr.close()


def _install(folder: Path) -> None:
    """An environment with both wheels; what they depend on is found where the tests have it."""
    for source in (ROOT, ROOT / "examples" / "shelters"):
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "wheels")]
        subprocess.run(build, cwd=source, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    for wheel in (folder / "wheels").glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(site)
    # As an installer does: a reader of pages may write no file, not even compiled modules.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(site)], check=True)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")


@contextmanager
def _directory() -> Iterator[str]:
    """What the plugged provider asks."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            entry = {
                "link": f"http://{_HOST}/",
                "name": "Harbor Night Shelter",
                "about": "A bed for the night.",
            }
            body = json.dumps(
                {"entries": [entry] if self.path.startswith("/v1/find?words=") else None}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with both wheels."""
    folder = tmp_path_factory.mktemp("plugins")
    _install(folder)
    return folder / "env" / "bin" / "python"


@pytest.fixture
def place(python: Path, tmp_path: Path) -> Iterator[Place]:
    with in_thread() as web, _directory() as directory:
        settings = web.environment(delay_seconds=0.01) | {
            "SURVEYOR_PROVIDERS__OPEN_DIRECTORY__BASE_URL": directory,
            "SHELTERS_APPROVALS": str(tmp_path / "approvals.txt"),
        }
        made = Place(python, tmp_path / "work", settings)
        made.workspace.mkdir()
        (made.workspace / "shelters.toml").write_text(_PROFILE)
        (made.workspace / "surveyor.toml").write_text('profile = "shelters.toml"\n')
        made.run("db", "upgrade")
        yield made


def test_a_provider_a_judge_and_a_kind_of_records_show_up_everywhere(place: Place, tmp_path: Path) -> None:
    listed = {(one["group"], one["name"]): one for one in place.json("plugins") if not one["built_in"]}
    assert {name for _, name in listed} == {
        "open_directory", "shelter_name", "shelter", "markdown", "approvals", "log_file",
    }  # fmt: skip
    assert {one["package"] for one in listed.values()} == {"surveyor-shelters"}
    assert not [one for one in listed.values() if one["error"]]

    assert "open_directory" in {one["provider"] for one in place.json("providers")}
    place.run("search", "night shelter", "--provider", "open_directory")
    place.run("judge")
    (candidate,) = place.json("candidates")
    assert (candidate["domain"], candidate["status"]) == (_HOST, "pending_crawl")
    assert "the title says shelter" in candidate["reasoning"]

    place.run("webhooks", "--send", "--once")  # a new listener hears what comes from now on
    place.run("approve", _HOST)
    place.run("crawl")
    (record,) = place.json("records", "--all", "--kind", "shelter")
    assert (record["capacity"], record["unit"], record["domain"]) == (60, "beds", _HOST)
    assert "sixty beds" in record["sources"]["capacity"]["quote"]

    exported = tmp_path / "records.md"
    place.run("export", "records", "--all", "--out", str(exported))
    header, _, *rows = exported.read_text().splitlines()
    assert " capacity | unit " in header and any("| 60 | beds |" in row for row in rows)

    place.run("webhooks", "--send", "--once")
    assert (tmp_path / "approvals.txt").read_text().endswith(f" {_HOST}\n")

    place.run("user", "add", "ada", "--role", "admin", stdin="a long password\n")
    token = place.json("token", "create", "ada", "--label", "test")["token"]
    with place.served() as url:
        answer = Program(url, token).get("/records?all=true&kind=shelter").json
        assert [one["capacity"] for one in answer["items"]] == [60]
        visitor = Visitor(url)
        visitor.log_in("ada", "a long password")
        page = visitor.get("/records?view=all&kind=shelter").text
        assert "Emergency shelter, every night" in page and ">shelter<" in page


@pytest.fixture
def _half_done(python: Path) -> Iterator[None]:
    """A package whose plugins cannot be loaded lies there too."""
    (site,) = (python.parents[1] / "lib").glob("python*/site-packages")
    folder = site / "half_done-0.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: half-done\nVersion: 0.1\n")
    (folder / "entry_points.txt").write_text(_BROKEN)
    yield
    shutil.rmtree(folder)


@pytest.mark.usefixtures("_half_done")
def test_broken_ones_are_named_and_the_rest_goes_on(place: Place) -> None:
    broken = {one["name"]: one["error"] for one in place.json("plugins", code=1) if one["error"]}
    assert "No module named 'no_such_package'" in broken["lost"]
    assert broken["service"] == "the name service is taken"
    (place.workspace / "shelters.toml").write_text(
        _PROFILE.replace("keywords = 1.0", "keywords = 1.0\nlost = 2.0")
    )
    line = {"url": f"http://{_HOST}/", "title": "Harbor Night Shelter", "description": "A bed for the night."}
    judged = json.loads(place.run("judge", "--file", "-", stdin=json.dumps(line)))
    assert {one["judge"] for one in judged["judges"]} == {"FundingKeywordJudge", "shelter_name"}
