"""What plugins are promised is there."""

from __future__ import annotations

import pytest

from surveyor import plugins


@pytest.mark.parametrize("name", plugins.__all__)
def test_every_name_that_plugins_may_use_can_be_had(name: str) -> None:
    assert getattr(plugins, name) is not None
