"""The receiver's half that the docs show checks what we sign."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from standardwebhooks import WebhookVerificationError

from surveyor.listeners.webhooks import ID, SIGNATURE, TIMESTAMP, key_of, sign
from tools.reference.sources import ROOT

SECRET, OTHER = (f"whsec_{base64.b64encode(letter * 32).decode()}" for letter in (b"a", b"b"))
BODY = '{"events":["ä"]}'.encode()


def shown() -> Callable[[str, dict[str, str], bytes], list[Any]]:
    text = (ROOT / "docs" / "listening.md").read_text(encoding="utf-8")
    (snippet,) = [
        block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "standardwebhooks" in block
    ]
    names: dict[str, Any] = {}
    exec(snippet, names)
    found: Callable[[str, dict[str, str], bytes], list[Any]] = names["events_of"]
    return found


def signed(at: int, message: str = "evt_1_2") -> dict[str, str]:
    return {ID: message, TIMESTAMP: str(at), SIGNATURE: sign(key_of(SECRET), message, at, BODY)}


def test_what_we_sign_is_believed() -> None:
    assert shown()(SECRET, signed(int(time.time())), BODY) == ["ä"]


def test_nothing_else_is_believed() -> None:
    events_of, now = shown(), int(time.time())
    good = signed(now)
    for secret, headers, body in (
        (OTHER, good, BODY),
        (SECRET, good, BODY + b" "),
        (SECRET, good | {TIMESTAMP: str(now + 1)}, BODY),
        (SECRET, good | {ID: "evt_1_3"}, BODY),
        (SECRET, signed(now - 400), BODY),
    ):
        with pytest.raises(WebhookVerificationError):
            events_of(secret, headers, body)
