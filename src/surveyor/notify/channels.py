"""Ways to people: mail, a webhook, a chat that takes what Slack takes, and what plugins bring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any, Final, Protocol

from surveyor.entry_points import described
from surveyor.errors import NetError
from surveyor.net.api import ApiClient
from surveyor.net.smtp import SmtpServer, Undeliverable, deliver
from surveyor.notify.outbox import Letter
from surveyor.plugins import Message
from surveyor.settings import NetSettings

# Answers after which the same message would be refused again: it is not one of ours, or too large.
_REFUSED: Final = (400, 404, 410, 413, 422)
_SECONDS = 20.0


class Channel(Protocol):
    async def send(self, letter: Letter) -> None:
        """Returns when the other side took it. Undeliverable: never; any other SurveyorError: later."""
        ...

    async def close(self) -> None: ...


class MailChannel:
    def __init__(self, server: SmtpServer, sender: str) -> None:
        self._server, self._sender = server, sender

    async def send(self, letter: Letter) -> None:
        await deliver(self._server, self.mail_of(letter))

    def mail_of(self, letter: Letter) -> EmailMessage:
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"] = self._sender, letter.recipient
        mail["Subject"] = " ".join(letter.subject.split())
        mail["Date"] = format_datetime(letter.created_at)
        # The same for the same message, so that a duplicate can be recognised.
        mail["Message-ID"] = (
            f"<{letter.id}.{letter.created_at:%Y%m%d%H%M%S}@{self._sender.rpartition('@')[2]}>"
        )
        mail["Auto-Submitted"] = "auto-generated"  # nobody's holiday answers it
        mail.set_content(letter.body)
        return mail

    async def close(self) -> None:
        return None


class _JsonChannel:
    """Posts JSON to one URL."""

    def __init__(self, url: str, net: NetSettings) -> None:
        # The URL may be the secret: it is in no error.
        self._client = ApiClient(url, net, secrets=[url], seconds=_SECONDS)

    async def send(self, letter: Letter) -> None:
        answer = await self._client.request_json("POST", json=self.body_of(letter))
        if answer.status in _REFUSED:
            raise Undeliverable("http_status", f"the receiver answered {answer.status}")
        if not answer.ok:
            raise NetError("http_status", f"the receiver answered {answer.status}")

    def body_of(self, letter: Letter) -> dict[str, Any]:
        raise NotImplementedError

    async def close(self) -> None:
        await self._client.close()


class WebhookChannel(_JsonChannel):
    def body_of(self, letter: Letter) -> dict[str, Any]:
        return {"type": "notice", "id": letter.id, "subject": letter.subject, "text": letter.body}


class SlackChannel(_JsonChannel):
    def body_of(self, letter: Letter) -> dict[str, Any]:
        return {"text": _quoted(f"*{letter.subject}*\n{letter.body}")}


def _quoted(text: str) -> str:
    """As text: nothing in it calls a person or becomes a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class PluggedChannel:
    def __init__(self, name: str, notifier: Callable[[Message], Awaitable[None]]) -> None:
        self._name, self._notifier = name, notifier

    async def send(self, letter: Letter) -> None:
        try:
            await self._notifier(Message(letter.subject, letter.body))
        except Exception as error:
            raise NetError("plugin", f"the plugin {self._name} failed: {described(error)}") from error

    async def close(self) -> None:
        return None
