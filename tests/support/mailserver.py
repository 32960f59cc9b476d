"""A real SMTP server on loopback that keeps what it takes, and refuses or fails as it is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

from surveyor.net.smtp import SmtpServer


class Mailbox:
    """`says` is an answer to the recipient, `says_to_mail` to the whole mail; none is a yes."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.says, self.says_to_mail = "", ""
        self.port = 0

    async def handle_RCPT(  # noqa: N802 - the name is the library's
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        if self.says:
            return self.says
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.says_to_mail:
            return self.says_to_mail
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        return "250 taken"

    @property
    def server(self) -> SmtpServer:
        return SmtpServer("127.0.0.1", self.port, "none", seconds=10.0)


@contextmanager
def receiving(box: Mailbox | None = None) -> Iterator[Mailbox]:
    """A server, on the same port as before if the mailbox had one."""
    mailbox = box or Mailbox()
    controller = Controller(mailbox, hostname="127.0.0.1", port=mailbox.port)
    if not mailbox.port:
        controller.port = _free_port()
    controller.start()
    mailbox.port = controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
