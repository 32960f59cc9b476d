"""Webhooks: batches of events as signed JSON, accepted by any answer of the 200s.

The signature is an HMAC-SHA256 of the time and the body, so a receiver can tell that a batch
comes from here, unchanged, and is not an old one sent again by somebody else.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from typing import Final

import orjson

from surveyor.clock import Clock, SystemClock
from surveyor.errors import NetError
from surveyor.net.api import ApiClient
from surveyor.registry import feed
from surveyor.registry.feed import Told
from surveyor.settings import NetSettings

TIMESTAMP: Final = "Surveyor-Timestamp"
SIGNATURE: Final = "Surveyor-Signature"
# Seconds for a receiver to answer; well within the time a teller holds its listener.
_ANSWER_SECONDS: Final = 20.0
# Seconds a signature is believed: room for clocks that differ, too short to be useful when stolen.
_BELIEVED: Final = 300


def sign(secret: str, timestamp: int, body: bytes) -> str:
    """What `Surveyor-Signature` holds."""
    signed = b"%d.%b" % (timestamp, body)
    return "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def is_genuine(secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """The receiver's half: whether this batch was signed with our secret, and lately."""
    if not (timestamp.isascii() and timestamp.isdecimal()) or abs(now - int(timestamp)) > _BELIEVED:
        return False
    return hmac.compare_digest(sign(secret, int(timestamp), body).encode(), signature.encode())


class Webhook:
    """One receiver. `close` it."""

    def __init__(
        self,
        name: str,
        url: str,
        secret: str,
        net: NetSettings,
        *,
        kinds: Collection[str] = (),
        clock: Clock | None = None,
    ) -> None:
        self.name = name
        self._secret = secret
        self._kinds = frozenset(kinds)
        self._clock = clock or SystemClock()
        self._client = ApiClient(url, net, secrets=(secret,), seconds=_ANSWER_SECONDS)

    def __repr__(self) -> str:
        return f"Webhook({self.name}, {self._client!r})"

    async def tell(self, batch: Sequence[Told]) -> None:
        """Send what this receiver wants of the batch; raises NetError unless it was accepted."""
        wanted = [told for told in batch if not self._kinds or told.event.kind in self._kinds]
        if not wanted:
            return
        told = {"webhook": self.name, "events": [feed.to_json(one) for one in wanted]}
        body = orjson.dumps(told, option=orjson.OPT_UTC_Z)  # times as the API and the commands write them
        timestamp = int(self._clock.now().timestamp())
        headers = {TIMESTAMP: str(timestamp), SIGNATURE: sign(self._secret, timestamp, body)}
        # As it is: what is signed is what is sent.
        answer = await self._client.request_json("POST", json=orjson.Fragment(body), headers=headers)
        if not answer.ok:
            raise NetError("http_status", f"webhook {self.name} answered {answer.status}")

    async def close(self) -> None:
        await self._client.close()
