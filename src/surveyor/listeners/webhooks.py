"""Webhooks: batches of events as signed JSON, accepted by any answer of the 200s.

Ids, times and signatures are those of the Standard Webhooks specification, so that any library for it can
tell that a batch comes from here, unchanged, and is not an old one sent again by somebody else.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Collection, Sequence
from typing import Final

import orjson

from surveyor.clock import SystemClock
from surveyor.errors import BadInput, NetError
from surveyor.net.api import ApiClient
from surveyor.registry import feed
from surveyor.registry.feed import FeedEntry
from surveyor.settings import NetSettings

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
# Seconds for a receiver to answer; well within the time a teller holds its listener.
_ANSWER_SECONDS: Final = 20.0
_SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what a secret begins with
# Bytes of a secret: what the specification allows.
_SHORTEST, _LONGEST = 24, 64


def key_of(secret: str) -> bytes:
    """The bytes that a secret stands for; BadInput for one that no library would take."""
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_SECRET_PREFIX) or not _SHORTEST <= len(key) <= _LONGEST:
        raise BadInput(
            f"a secret is {_SECRET_PREFIX} and {_SHORTEST} to {_LONGEST} bytes in base64; make one with "
            f'`printf "{_SECRET_PREFIX}%s" "$(openssl rand -base64 32)"`'
        )
    return key


def sign(key: bytes, message: str, timestamp: int, body: bytes) -> str:
    """One signature of `webhook-signature`."""
    signed = b"%b.%d.%b" % (message.encode(), timestamp, body)
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


class Webhook:
    """One receiver. While its secret is changed it has several, and every one of them signs. `close` it."""

    def __init__(
        self,
        name: str,
        url: str,
        secrets: Sequence[str],
        net: NetSettings,
        *,
        kinds: Collection[str] = (),
    ) -> None:
        self.name = name
        self._keys = [key_of(secret) for secret in secrets]
        self._kinds = frozenset(kinds)
        hidden = [part for secret in secrets for part in (secret, secret.removeprefix(_SECRET_PREFIX))]
        self._client = ApiClient(url, net, secrets=hidden, seconds=_ANSWER_SECONDS)

    def __repr__(self) -> str:
        return f"Webhook({self.name}, {self._client!r})"

    async def deliver(self, batch: Sequence[FeedEntry]) -> None:
        """Send what this receiver wants of the batch; raises NetError unless it was accepted."""
        wanted = [entry for entry in batch if not self._kinds or entry.event.kind in self._kinds]
        if not wanted:
            return
        entry = {"type": "events", "webhook": self.name, "events": [feed.to_json(one) for one in wanted]}
        body = orjson.dumps(entry, option=orjson.OPT_UTC_Z)  # times as the API and the commands write them
        # The same for the same events, so that a receiver can tell a batch that is sent again.
        await self._post(f"evt_{wanted[0].position}_{wanted[-1].position}", body)

    async def test(self) -> None:
        """Send a message that is no event, to see whether it is accepted; raises NetError unless it was."""
        body = orjson.dumps({"type": "test", "webhook": self.name, "events": []})
        await self._post(f"test_{int(SystemClock().now().timestamp())}", body)

    async def _post(self, message: str, body: bytes) -> None:
        timestamp = int(SystemClock().now().timestamp())
        signatures = " ".join(sign(key, message, timestamp, body) for key in self._keys)
        headers = {ID: message, TIMESTAMP: str(timestamp), SIGNATURE: signatures}
        # As it is: what is signed is what is sent.
        answer = await self._client.request_json("POST", json=orjson.Fragment(body), headers=headers)
        if not answer.ok:
            raise NetError("http_status", f"webhook {self.name} answered {answer.status}")

    async def close(self) -> None:
        await self._client.close()
