"""What people wrote by hand is true: links lead somewhere, commands exist, the map is complete."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import surveyor
from surveyor.cli.app import app_of
from surveyor.cli.commands import COMMANDS, PANELS
from surveyor.settings import FILE_NAME, Section, Settings
from tools.reference.sources import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
)
_LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_TYPED = re.compile(
    r"(\$ )?([A-Z_]+=\S+ )?(\./dev run|surveyor)( --workspace \S+)? "
    r"(?P<command>[a-z][a-z-]+)( (?P<below>[a-z-]+))?"
)
STAGES = ("discover", "judge", "review", "crawl", "extract", "refresh")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    for link in _LINK.findall(read(name)):
        assert not link.startswith("/"), f"{link}: links are relative"
        file, _, anchor = link.partition("#")
        target = (ROOT / name).parent / file if file else ROOT / name
        assert target.exists(), f"{name} links to {link}"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{name} links to {link}"


@pytest.mark.parametrize("name", PAGES)
def test_every_command_that_is_named_exists(name: str) -> None:
    known = {command.name for command in COMMANDS}
    for code in _CODE.findall(read(name)):
        for line in code.strip("`").splitlines():
            if typed := _TYPED.match(line):
                assert typed["command"] in known, f"{name}: {line}"
                if typed["command"] == "db" and typed["below"]:
                    assert typed["below"] in app_of()["db"], f"{name}: {line}"


@pytest.mark.parametrize("name", PAGES)
def test_every_setting_that_is_named_exists(name: str) -> None:
    sections = {
        section: set(kind.model_fields)
        for section, field in Settings.model_fields.items()
        if isinstance(kind := field.annotation, type) and issubclass(kind, Section)
    }
    for section, setting in re.findall(r"`([a-z]+)\.([a-z_]+)(?: = [^`]*)?`", read(name)):
        if section in sections and f"{section}.{setting}" not in (FILE_NAME, *_MODULES):
            assert setting in sections[section], f"{name}: {section}.{setting}"


# Names of modules that look like settings.
_MODULES = ("archive.fsck", "model.py")


@pytest.mark.parametrize("name", PAGES)
def test_every_path_that_is_named_exists(name: str) -> None:
    for path in re.findall(r"`((?:[\w.]+/)+(?:[\w.-]+\.(?:py|md|toml|csv))?)`", read(name)):
        if not path.startswith(("workers/", "archive/")):  # these are folders of a workspace
            assert any(known.endswith(f"/{path}") for known in _PATHS), f"{name}: {path}"


def _known_paths() -> Iterator[str]:
    for folder in ("src", "tests", "docs", "tools", "bench", "lab", "ops", "examples"):
        yield f"/{folder}/"
        for path in (ROOT / folder).rglob("*"):
            yield f"/{path.relative_to(ROOT).as_posix()}" + ("/" if path.is_dir() else "")


_PATHS = tuple(_known_paths())


def test_the_map_of_the_code_shows_every_folder_and_module() -> None:
    package = Path(surveyor.__path__[0])
    named = " ".join(re.findall(r"`([^`\n]+)`", read("ARCHITECTURE.md")))
    for path in package.iterdir():
        shown = f"{path.name}/" if path.is_dir() else path.name
        if path.suffix in ("", ".py") and path.name not in ("__pycache__", "__init__.py"):
            assert shown in named.split(), f"{shown} has no place in ARCHITECTURE.md"


def test_the_layers_are_those_that_are_checked() -> None:
    (contract,) = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (drawn,) = re.findall(r"```text\n(.*?)```", read("ARCHITECTURE.md"), re.DOTALL)
    assert [layer.replace(" : ", ", ") for layer in contract["layers"]] == drawn.strip().splitlines()


def test_the_readme_is_honest_about_the_stages() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| ([^|]+) \|", read("README.md"), re.MULTILINE))
    for stage in STAGES:
        has_commands = stage.capitalize() in PANELS
        assert has_commands is not rows[stage].startswith("no command yet"), stage


def test_decisions_are_numbered_listed_and_whole() -> None:
    folder = ROOT / "docs" / "decisions"
    files = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    listed = re.findall(r"^- \[(.+)\]\((.+)\)$", read("docs/decisions/README.md"), re.MULTILINE)
    assert [file for _, file in listed] == files
    for title, file in listed:
        text = (folder / file).read_text(encoding="utf-8")
        assert text.startswith(f"# {title}\n")
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_the_licence_is_whole() -> None:
    text = read("LICENSE")
    assert text.lstrip().startswith("Apache License\n")
    assert "Copyright 2026 The Surveyor authors" in text
    assert "9. Accepting Warranty or Additional Liability." in text
