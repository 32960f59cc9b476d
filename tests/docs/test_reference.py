"""The generated pages are those the code makes today, and nothing in them is without a description."""

from __future__ import annotations

import re
from enum import Enum

import pytest

from surveyor.cli import runtime
from surveyor.cli.commands import COMMANDS
from surveyor.errors import SurveyorError
from surveyor.metrics import REGISTRY
from surveyor.settings import Section, Settings
from surveyor.web.metrics import SHARED
from tools import reference
from tools.reference import errors, lifecycle, sources
from tools.reference.sources import ROOT, Undescribed, described


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return reference.pages()


@pytest.mark.parametrize("name", reference.FILES)
def test_a_generated_page_is_up_to_date(name: str, made: dict[str, str]) -> None:
    path = ROOT / name
    assert path.exists() and path.read_text(encoding="utf-8") == made[name], (
        "run `.venv/bin/python -m tools.reference` and look at what changed"
    )


def test_no_page_is_left_from_something_that_is_gone() -> None:
    present = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "reference").iterdir()}
    assert present == {name for name in reference.FILES if name.startswith("docs/reference/")}


@pytest.mark.parametrize("name", reference.FILES)
def test_no_entry_lacks_its_description(name: str, made: dict[str, str]) -> None:
    assert re.findall(r"^.*\| *\|$", made[name], re.MULTILINE) == []


class Fruit(Enum):
    APPLE = 1  # behind it
    PEAR = 2
    """below it."""
    PLUM = 3


def test_a_member_is_described_behind_it_or_below_it() -> None:
    found = described(Fruit, {"PLUM": "elsewhere", "PEAR": "not taken"})
    assert list(found.values()) == ["behind it", "below it", "elsewhere"]


def test_a_member_without_a_description_is_named() -> None:
    with pytest.raises(Undescribed, match=r"Fruit\.PLUM has no description; write one sentence"):
        described(Fruit)


def test_the_drawn_trees_of_errors_are_the_real_ones() -> None:
    kinds = {kind.__name__: kind for kind in sources.defined(SurveyorError)}
    for module in sources.modules():
        above: list[tuple[int, str]] = []
        for line in errors.DRAWN.finditer(module.__doc__ or ""):
            if line["name"] in kinds:
                depth = len(line["branch"])
                above = [*[(deep, name) for deep, name in above if deep < depth], (depth, line["name"])]
                parent = above[-2][1] if len(above) > 1 else None
                bases = {base.__name__ for base in kinds[line["name"]].__bases__}
                assert parent is None or parent in bases, f"{module.__name__} draws {line['name']} wrongly"


def test_every_error_of_the_common_tree_is_drawn_in_it() -> None:
    import surveyor.errors

    drawn = {line["name"] for line in errors.DRAWN.finditer(surveyor.errors.__doc__ or "")}
    ours = {kind.__name__ for kind in sources.defined(SurveyorError) if kind.__module__ == "surveyor.errors"}
    assert ours - {"SurveyorError"} <= drawn


def test_every_exit_code_is_explained() -> None:
    told = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    explained = {int(code) for code in re.findall(r"^\| (\d+) \| \w", told, re.MULTILINE)}
    raised = {kind.exit_code for kind in sources.defined(SurveyorError)}  # type: ignore[attr-defined]
    assert {0, runtime.FAILED, runtime.USAGE, runtime.INTERRUPTED} | raised == explained


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_has_an_entry_with_its_options(name: str) -> None:
    told = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    entries = re.findall(
        rf"^### `surveyor {name}(?: [\w-]+)?`\n\n.+?(?=^##|\Z)", told, re.DOTALL | re.MULTILINE
    )
    assert entries and all("| name | takes | default | meaning |" in entry for entry in entries)


def test_every_setting_and_every_metric_has_an_entry() -> None:
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    for section, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            for name in field.annotation.model_fields:
                assert f"`{section}.{name}" in settings or f"[{section}.{name}]" in settings, (section, name)
    told = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    for registry in (REGISTRY, SHARED):
        for metric in registry.collect():
            assert f"`{metric.name}" in told, metric.name


def test_a_lifecycle_page_without_its_marks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "FILE", "docs/glossary.md")
    with pytest.raises(ValueError, match=r"must mark each of review_status, quality_status"):
        lifecycle.text()
