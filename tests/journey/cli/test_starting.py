"""What a command does not need it does not load: a list is there before one looks away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli_help import environment, surveyor

# Each takes longer to load than a list takes to print.
_HEAVY = (
    "aiohttp",
    "alembic",
    "fastapi",
    "lxml",
    "PIL",
    "phonenumbers",
    "redis",
    "rich.progress",
    "selectolax",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.orm",
    "structlog",
)
_STAGES = (
    "surveyor.bootstrap.workers",
    "surveyor.crawl.group_writer",
    "surveyor.crawl.worker",
    "surveyor.discover.spam",
    "surveyor.discover.provider",
    "surveyor.extract.worker",
    "surveyor.judge.panel",
    "surveyor.net.fetcher",
)
_CODE = """
import sys
from surveyor.cli import run
code = run(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = tmp_path_factory.mktemp("register") / "ws"
    assert surveyor("init", workspace).code == 0
    assert surveyor("submit", "a.example", "--for-review", workspace=workspace).code == 0
    return workspace


@pytest.mark.parametrize(
    "command",
    [
        ["domain-status"],
        ["review"],
        ["approve", "a.example"],
        ["events"],
        ["submit", "b.example"],
        ["sessions"],
        ["candidates"],
        ["queue-status"],
    ],
    ids=lambda command: str(command[0]),
)
def test_a_command_that_looks_up_or_decides_loads_neither_client_nor_judges(
    register: Path, command: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CODE, "--workspace", register, *command],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert "surveyor.bootstrap" in loaded
    assert loaded & {*_HEAVY, *_STAGES} == set()


def test_a_list_does_not_read_the_words_of_the_profile(tmp_path: Path) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    done = subprocess.run(
        [sys.executable, "-c", _CODE, "--workspace", tmp_path / "ws", "domain-status"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "surveyor.profiles.model" not in done.stderr.split()


def test_a_plugin_that_asks_for_a_session_of_sqlalchemy_gets_the_real_one() -> None:
    code = (
        "import surveyor.db\n"
        "from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker\n"
        "from sqlalchemy.ext.asyncio.session import AsyncSession as real\n"
        "assert AsyncSession is real and async_sessionmaker() and real().sync_session\n"
        "assert not hasattr(__import__('sqlalchemy.ext.asyncio').ext.asyncio, 'nothing')\n"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)


def test_a_crawl_with_nothing_to_do_starts_no_other_process(tmp_path: Path) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    done = surveyor("crawl", "--json", workspace=tmp_path / "ws")
    assert (done.json["pages"], done.json["extracted"]) == (0, None)


def test_an_extraction_that_goes_on_ends_once_no_page_came_for_the_time_that_it_was_given(
    tmp_path: Path,
) -> None:
    assert surveyor("init", tmp_path / "ws").code == 0
    done = surveyor("extract", "--continuous", "--until-idle", "0", "--json", workspace=tmp_path / "ws")
    assert (done.code, done.json["pages"]) == (0, 0)
    assert surveyor("extract", "--until-idle", "1", workspace=tmp_path / "ws").code == 2
