"""What is watched exists: every metric, label and command that the files in ops/ name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from prometheus_client.metrics import MetricWrapperBase

from surveyor.cli.commands import COMMANDS
from surveyor.registry.domain import Stage
from surveyor.web import metrics
from tools.reference.sources import ROOT

RULES = yaml.safe_load((ROOT / "ops" / "prometheus-rules.yml").read_text(encoding="utf-8"))
BOARD = json.loads((ROOT / "ops" / "grafana-dashboard.json").read_text(encoding="utf-8"))
_NAMED = re.compile(r"\bsurveyor_(\w+)(?:\{([^}]*)\})?")
# What a label can be; `job` and `instance` are Prometheus's own.
_VALUES = {
    "stage": {stage.value for stage in Stage},
    "state": {"live", "expired", "working", "silent", "stalled"},
    "result": {"ok", "error"},
    "status": {"2xx", "3xx", "4xx", "5xx"},
}


def rules() -> list[dict[str, Any]]:
    return [rule for group in RULES["groups"] for rule in group["rules"]]


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    yield from (target["expr"] for panel in BOARD["panels"] for target in panel["targets"])
    yield from (one["query"] for one in BOARD["templating"]["list"] if one["type"] == "query")


def answered() -> dict[str, tuple[str, ...]]:
    """What the admin's process itself answers, with its labels: workers count in processes of their own."""
    found = {}
    for collector in vars(metrics).values():
        if isinstance(collector, MetricWrapperBase):
            (metric,) = collector.describe()
            name = f"{metric.name}_total" if metric.type == "counter" else metric.name
            found[name] = tuple(collector._labelnames)
    return found


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_what_is_asked_for_is_answered(expression: str) -> None:
    known = answered()
    for name, chosen in _NAMED.findall(expression):
        labels = known[f"surveyor_{name}"]
        for label, value in re.findall(r'(\w+)=~?"([^"]*)"', chosen):
            assert label in (*labels, "job", "instance"), expression
            assert label not in _VALUES or value in _VALUES[label], expression


def test_everything_that_the_register_tells_is_on_the_dashboard() -> None:
    shown = " ".join(target["expr"] for panel in BOARD["panels"] for target in panel["targets"])
    assert [name for name in answered() if name not in shown] == []


def test_an_alert_says_what_to_do_with_commands_that_exist() -> None:
    alerts = [rule for rule in rules() if "alert" in rule]
    assert len(alerts) == len({rule["alert"] for rule in alerts}) >= 8
    commands = {command.name for command in COMMANDS}
    for rule in alerts:
        told = rule["annotations"]
        assert told["summary"] and told["what_to_do"]
        named = re.findall(r"`surveyor ([a-z-]+)", told["what_to_do"])
        assert set(named) <= commands, rule["alert"]


def test_recorded_names_are_used() -> None:
    for name in (rule["record"] for rule in rules() if "record" in rule):
        assert any(name in rule["expr"] for rule in rules() if "alert" in rule)


def test_panels_stand_beside_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells


def test_the_guide_lists_every_alert() -> None:
    guide = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (Surveyor\w+) \|", guide, re.MULTILINE) == [
        rule["alert"] for rule in rules() if "alert" in rule
    ]
