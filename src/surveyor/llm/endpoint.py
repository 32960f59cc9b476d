"""Speaks to one model at an OpenAI-compatible address: one question, one answer, or `ModelFailed`.

The key is in no message, no repr and no answer, and goes to no other host; redirects are refused.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from surveyor.errors import BadSettings, NetError
from surveyor.llm.dialect import Dialect
from surveyor.llm.failures import ModelFailed, Trouble
from surveyor.llm.question import Question, one_line, response_format
from surveyor.net.api import ApiClient, ApiResponse
from surveyor.net.reasons import OUR_FAULT, Reason
from surveyor.net.throttle import retry_after
from surveyor.settings import ModelSettings, NetSettings

_DETAIL_CHARS: Final = 200  # one line in a log
# Bytes of an answer: the most tokens that can be asked for in the frame of the protocol.
_MOST_BYTES: Final = 1_000_000
_NO_QUOTA: Final = "insufficient_quota"  # type and code of a 429 that no wait of a minute ends
_KEY_FILE_BYTES: Final = 10_000  # a key is short; a longer file was named by mistake
# Tokens that are believed of one request: a service that tells more has sent a mistake.
_MOST_TOKENS: Final = 10_000_000
_WRONG: Final = frozenset(
    {
        Reason.TOO_LARGE,
        Reason.BAD_RESPONSE,
        Reason.DECOMPRESS_ERROR,
        Reason.FORBIDDEN_REDIRECT,
        Reason.TOO_MANY_REDIRECTS,
    }
)


@dataclass(frozen=True, slots=True)
class Account:
    """Which model, where, and with which key."""

    url: str
    name: str
    key: str = field(repr=False, default="")

    @property
    def mark(self) -> str:
        """Tells this account from others, and tells nobody the key."""
        identity = "\n".join((self.url, self.name, self.key))
        return blake2b(identity.encode(), digest_size=8).hexdigest()


def account(settings: ModelSettings, workspace: Path) -> Account:
    """As the settings have it; what is missing or strange is said in one line."""
    if not settings.url or not settings.name:
        missing = "model.name" if settings.url else "model.url"
        raise BadSettings(f"{missing} is empty; a model needs both url and name, or neither to be off")
    if "@" in settings.url or "?" in settings.url:  # where people put secrets; this is shown
        raise BadSettings("model.url must be like https://host/v1; a key belongs into model.key_file")
    if not settings.name.isprintable():
        raise BadSettings("model.name holds a strange character; copy it again")
    return Account(settings.url, settings.name, _key(settings, workspace))


def _key(settings: ModelSettings, workspace: Path) -> str:
    if not settings.key_file:
        return ""
    path = workspace / settings.key_file
    try:
        with path.open("rb") as stream:
            lines = stream.read(_KEY_FILE_BYTES).decode("utf-8-sig", "replace").split()
    except OSError as error:
        raise BadSettings(f"model.key_file: {path} cannot be read: {error.strerror}") from None
    if len(lines) != 1 or not (lines[0].isascii() and lines[0].isprintable()):
        raise BadSettings(f"model.key_file: {path} must hold one line, the key")
    return lines[0]


class Completion(NamedTuple):
    """What the model said; `why` when it said nothing, and the service is not to blame."""

    content: str
    why: str | None
    tokens: int | None
    """What it cost; None where the service does not tell."""
    is_cut: bool = False
    """It was still speaking when its tokens were used up: with more of them there is an answer."""


class Endpoint:
    """For one event loop; `close` it."""

    def __init__(
        self, account: Account, settings: ModelSettings, net: NetSettings, tls: ssl.SSLContext | None = None
    ) -> None:
        self.account, self._settings = account, settings
        self._dialect = Dialect()
        try:
            self._client = ApiClient(
                account.url,
                net,
                headers={"Authorization": f"Bearer {account.key}"} if account.key else None,
                secrets=[account.key],
                seconds=settings.timeout_seconds,
                tls=tls,
                max_bytes=_MOST_BYTES,
            )
        except BadSettings as error:
            raise BadSettings(f"model.url: {error}") from None

    async def ask(self, question: Question, schema: dict[str, Any]) -> Completion:
        wanted = {
            "model": self.account.name,
            "messages": question.messages,
            "stream": False,
            "response_format": response_format(self._settings.response_format, schema),
        }
        answer = await self._send(wanted)
        while not answer.ok and self._dialect.learn(answer.status, answer.data):
            answer = await self._send(wanted)
        if not answer.ok:
            raise _of_status(answer)
        return _completion(answer)

    async def _send(self, wanted: dict[str, Any]) -> ApiResponse:
        body = wanted | self._dialect.parameters(self._settings.answer_tokens)
        try:
            return await self._client.request_json("POST", "chat/completions", json=body)
        except NetError as error:
            raise _of_net(error) from None

    async def close(self) -> None:
        await self._client.close()


def _of_net(error: NetError) -> ModelFailed:
    detail = f"{error.code}: {error.detail}"[:_DETAIL_CHARS]
    if error.code in OUR_FAULT:
        return ModelFailed(Trouble.LOCAL, detail)
    is_free = error.code in (Reason.CONNECTION_REFUSED, Reason.DNS_FAILURE, Reason.FORBIDDEN_REDIRECT)
    return ModelFailed(
        Trouble.MALFORMED if error.code in _WRONG else Trouble.UNREACHABLE, detail, is_free=is_free
    )


def _of_status(answer: ApiResponse) -> ModelFailed:
    match answer.status:
        case 402:
            trouble = Trouble.OUT_OF_QUOTA
        case 429 if _NO_QUOTA in answer.text_head:
            trouble = Trouble.OUT_OF_QUOTA
        case 401 | 403:
            trouble = Trouble.BAD_KEY
        case 404 | 405 | 410:
            trouble = Trouble.NOT_FOUND
        case 429:
            trouble = Trouble.RATE_LIMITED
        case 408:
            trouble = Trouble.UNREACHABLE
        case status if status >= 500:
            trouble = Trouble.SERVER
        case _:
            trouble = Trouble.REFUSED
    asked = retry_after(answer.headers.get("Retry-After", ""), datetime.now(UTC))
    return ModelFailed(trouble, _message(answer), retry_after=asked, is_free=True)


def _message(answer: ApiResponse) -> str:
    return f"{answer.status} {one_line(answer.text_head)}".strip()[:_DETAIL_CHARS]


def _completion(answer: ApiResponse) -> Completion:
    """The frame of the protocol, of which only what is needed is looked at."""
    try:
        choice = answer.data["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ModelFailed(Trouble.MALFORMED, f"no completion: {_message(answer)}"[:_DETAIL_CHARS]) from None
    tokens = _tokens(answer.data)
    if refusal or ended == "content_filter":
        return Completion("", "it refused", tokens)
    if ended == "length":
        return Completion("", "its answer was cut off", tokens, is_cut=True)
    if not isinstance(content, str) or not content.strip():
        return Completion("", "it said nothing", tokens)
    return Completion(content, None, tokens)


def _tokens(data: dict[str, Any]) -> int | None:
    usage = data.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    if isinstance(total, bool) or not isinstance(total, int) or total < 1:
        return None
    return min(total, _MOST_TOKENS)
