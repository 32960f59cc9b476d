"""What the doctor says of the machine around a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor import doctor


async def test_a_proxy_of_the_environment_is_said_to_be_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in doctor._PROXIES:
        monkeypatch.delenv(name, raising=False)
    assert "proxy" not in {check.name for check in await doctor.examine(tmp_path)}
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.internal:3128")
    [said] = [check for check in await doctor.examine(tmp_path) if check.name == "proxy"]
    assert said.result == "warn" and said.message.startswith("HTTPS_PROXY is set and not used")


async def test_a_folder_that_is_no_workspace_is_said_to_be_none_and_stays_empty(tmp_path: Path) -> None:
    last = (await doctor.examine(tmp_path))[-1]
    assert (last.name, last.result) == ("workspace", "fail") and "`surveyor init`" in last.message
    assert list(tmp_path.iterdir()) == []
