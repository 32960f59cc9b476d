"""A reader for tests of the stage: a page is JSON that says what is found on it, and how its reader ends."""

from __future__ import annotations

import json
import os
import signal
import time
from decimal import Decimal
from typing import Any

import xxhash

from surveyor.extract import child, messages
from surveyor.extract.model import Model
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page, PageText, Reading, Relevance


class ToldReader:
    def __init__(self, view: ProfileView, model: Model | None = None) -> None:
        self.kinds, self.model = view.kinds, model

    def read(self, page: Page) -> Reading:
        return reading_of(json.loads(page.body))


def reading_of(told: dict[str, Any]) -> Reading:
    match told.get("act"):
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            time.sleep(600)
        case "memory":
            bytes(4_000_000_000)
        case "raise":
            raise ValueError("no sense in it")
    text = told.get("text", "")
    score = Decimal("0.90") if told.get("relevant") else Decimal("0.10")
    language = told.get("language", "en")
    return Reading(
        PageText(told.get("title", "A page"), "", language, text, text, _hash(text), _hash(text)),
        Relevance(score, bool(told.get("relevant")), ["said so"]),
        [messages.to_record(record) for record in told.get("records", [])],
        [messages.to_contact(contact) for contact in told.get("contacts", [])],
    )


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode()) - (1 << 63)


if __name__ == "__main__":
    child.main(ToldReader, memory=1_000_000_000)
