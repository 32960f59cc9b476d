"""The requests that docs/api.md shows are answered as it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from surveyor.people import Scope
from tests.web.api.conftest import add_people, token
from tests.web.api.program import Program
from tests.web.serving import serve
from tools.reference.sources import ROOT

_SHOWN = re.compile(r"```http\n(?P<line>[^\n]+)\n(?P<rest>.*?)```\s+```json\n(?P<answer>.*?)```", re.DOTALL)


def holds(shown: Any, real: Any) -> bool:
    """What is shown is there; the rest of an answer may be left out."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(k in real and holds(v, real[k]) for k, v in shown.items())
    if isinstance(shown, list):
        return len(shown) == len(real) and all(map(holds, shown, real))
    return bool(shown == real)


def test_every_request_is_answered_as_shown(sqlite_template: Path, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    shown = list(_SHOWN.finditer(text))
    assert len(shown) == text.count("```http\n") >= 7
    (tmp_path / "surveyor.toml").write_text('profile = "funding"\n')
    (tmp_path / "surveyor.db").write_bytes(sqlite_template.read_bytes())
    with serve(tmp_path) as served:
        served.run(add_people)
        rita = Program(served.url, served.run(lambda w: token(w, "rita", Scope.REVIEW)))
        for one in shown:
            method, path = one["line"].split()
            headers, _, body = one["rest"].partition("\n\n")
            assert headers.strip() == "Authorization: Bearer svy_…"
            real = rita.ask(method, path, body.strip().encode() or None)
            assert holds(json.loads(one["answer"]), real.json), f"{one['line']}: {real.text}"


def test_a_difference_is_seen() -> None:
    assert holds({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}], "d": 3})
    for real in ({"a": []}, {"a": [{"b": 2}]}, {}, {"a": [{"b": 1}, {"b": 1}]}):
        assert not holds({"a": [{"b": 1}]}, real)
