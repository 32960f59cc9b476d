"""The receiver's half that the docs show checks what we sign."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from surveyor.listeners import sign
from surveyor.listeners.webhooks import SIGNATURE, TIMESTAMP
from tools.reference.sources import ROOT

SECRET = "sixteen characters"


def shown() -> Callable[[str, dict[str, str], bytes], bool]:
    text = (ROOT / "docs" / "listening.md").read_text(encoding="utf-8")
    (snippet,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "hmac" in block]
    names: dict[str, Any] = {}
    exec(snippet, names)
    found: Callable[[str, dict[str, str], bytes], bool] = names["is_from_surveyor"]
    return found


def test_what_we_sign_is_believed_and_nothing_else() -> None:
    is_from_surveyor, now, body = shown(), int(time.time()), '{"events":["ä"]}'.encode()
    signed = {TIMESTAMP: str(now), SIGNATURE: sign(SECRET, now, body)}
    assert is_from_surveyor(SECRET, signed, body)
    assert not is_from_surveyor("another secret!!", signed, body)
    assert not is_from_surveyor(SECRET, signed, body + b" ")
    assert not is_from_surveyor(SECRET, signed | {TIMESTAMP: str(now + 1)}, body)
    old = now - 400
    assert not is_from_surveyor(SECRET, {TIMESTAMP: str(old), SIGNATURE: sign(SECRET, old, body)}, body)
